// One world for everything that works on the log and the tables: the same deliveries and reads, in any order and in any batches, with
// rebuilds, replays, pruning, quarantine and a deleted contact in between, on both engines, end in the rows of the model, with each delivery in the log once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { quarantine } from '#workers/fold/pipeline/ingest.ts';
import { blankEntry, parseText } from '#workers/fold/pipeline/parse.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { observedRecord } from '#workers/sync/record-entry.ts';
import { replay } from '#workers/sync/replay.ts';
import { ingestObservations, mixedHistory, recordOf } from '../harness/data/api-reads.ts';
import { cut, history, reordered, type Observation } from '../harness/data/delivery-histories.ts';
import { canaryOf, uris } from '../harness/data/payloads.ts';
import { fold, readObservation } from '../harness/mirror/memory-fold.ts';
import { ageEntries, pruneLog } from '../harness/erasures.ts';
import { expectedBookingInvitees } from '../oracle/booking-invitees.ts';
import { propertyTimeoutMs, runs } from '../harness/runs.ts';
import {
  availableEngines,
  comparable,
  emptyTables,
  projectedRows,
  receivedAt,
  rowsOf,
  tableNames,
} from '../harness/stores.ts';

const [deletedContact = ''] = uris.contacts;
/** The service says that a contact was deleted, or answers 404 for it. */
const deletion = fc.constantFrom('contact.deleted', 'contact.gone').map((event): Observation => {
  const fact = { event, created_at: '2025-04-14T11:42:29.000000Z', payload: { uri: deletedContact }, sound: true };
  return { fact, body: event === 'contact.deleted' ? JSON.stringify(fact) : null };
});

const worlds = fc
  .tuple(fc.oneof(history(10), mixedHistory()), fc.option(deletion))
  .map(([sent, deleted]) => ({ sent: deleted === null ? sent : [...sent, deleted], isDeleted: deleted !== null }))
  .chain(({ sent, isDeleted }) =>
    fc.record({
      sent: fc.constant(sent),
      isDeleted: fc.constant(isDeleted),
      eraseOnDelete: fc.boolean(),
      batches: reordered(sent).chain(cut),
      /** One after each batch, round and round. */
      operations: fc.array(fc.constantFrom('none', 'none', 'rebuild', 'replay', 'prune'), {
        minLength: 1,
        maxLength: 6,
      }),
      isOld: fc.infiniteStream(fc.boolean()),
      isQuarantined: fc.infiniteStream(fc.nat(9).map((n) => n === 0)),
    }),
  );
type World = typeof worlds extends fc.Arbitrary<infer One> ? One : never;

async function operate(store: Store, operation: string | undefined, { eraseOnDelete, isOld }: World): Promise<void> {
  const screen = privacyScreen({ eraseOnDelete });
  if (operation === 'rebuild') expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
  if (operation === 'replay') await replay({ store, screen }, {});
  if (operation !== 'prune') return;
  await ageEntries(store, ({ outcome }) => outcome !== 'quarantined' && isOld.next().value);
  await pruneLog(store);
  expect(await pruneLog(store)).toMatchObject({ pruned: 0, blanked: 0 });
  expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
}

/** Some deliveries of a batch could not be projected at first. */
async function receive(store: Store, batch: readonly Observation[], { eraseOnDelete, isQuarantined }: World) {
  const refused = batch.filter(({ body }) => body !== null && isQuarantined.next().value);
  for (const { body } of refused) {
    const pipeline = { store, screen: privacyScreen({ eraseOnDelete }) };
    await quarantine(pipeline, { body, receivedAt }, { reason: 'A test made it so.', now: receivedAt });
  }
  const passed = batch.filter((observation) => !refused.includes(observation));
  await ingestObservations(store, passed, eraseOnDelete);
}

const identityOf = ({ fact, body }: Observation): string =>
  body === null
    ? observedRecord({ ...recordOf(fact), event: fact.event }).id
    : parseText(body, blankEntry).entry.delivery_id;

async function expectDeleted(store: Store): Promise<void> {
  for (const table of tableNames)
    expect(JSON.stringify(await rowsOf(store, table))).not.toContain(canaryOf(deletedContact));
  const row = (await rowsOf(store, 'contacts')).find(({ uri }) => uri === deletedContact);
  expect(row).toMatchObject({ emails: null, extra: null, version: null, deleted_at: expect.any(String) });
  const entries = (await rowsOf(store, 'event_log')).filter((entry) => entry['subject_uri'] === deletedContact);
  for (const entry of entries) expect(entry).toMatchObject({ redacted: true, changes: null });
}

describe.each(availableEngines)('the tables on $name', { timeout: propertyTimeoutMs }, ({ name, fresh }) => {
  it('end in the rows of the model, whatever arrives when, and whatever is done to the log in between', async () => {
    await using opened = await fresh();
    const { store } = opened;
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const { sent, isDeleted, eraseOnDelete, batches, operations } = world;
        const screen = privacyScreen({ eraseOnDelete });
        await emptyTables(store);
        for (const [index, batch] of batches.entries()) {
          await receive(store, batch, world);
          const before = await projectedRows(store);
          const operation = operations[index % operations.length];
          await operate(store, operation, world);
          // A replay also projects what was in quarantine.
          if (operation !== 'replay') expect(await projectedRows(store)).toEqual(before);
        }
        await replay({ store, screen }, { unprojected: true });
        const rows = await projectedRows(store);
        const { contents } = fold([sent.map(readObservation)], { eraseOnDelete });
        const booking_invitees = expectedBookingInvitees(contents.invitees ?? []);
        expect(rows).toEqual(comparable({ ...contents, booking_invitees }));
        // Each delivery and each content that was read, once.
        const log = (await rowsOf(store, 'event_log')).map((entry) => String(entry['delivery_id']));
        expect(log.toSorted()).toEqual([...new Set(sent.map(identityOf))].toSorted());
        if (isDeleted && eraseOnDelete) await expectDeleted(store);
        await replay({ store, screen }, {});
        expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
        expect(await projectedRows(store)).toEqual(rows);
      }),
      runs(name === 'sqlite' ? 25 : 7),
    );
  });
});

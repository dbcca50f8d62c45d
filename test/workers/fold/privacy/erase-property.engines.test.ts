// An erased person stays erased: whatever was delivered about them, in any order, before the erasure or after it.
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { Json } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import { appendEntries } from '#src/store/log/append.ts';
import type { NewEntry } from '#src/store/log/read.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { eraseFrom, everythingIn, ageEntries, pruneLog } from '../../../harness/erasures.ts';
import {
  availableEngines,
  ingest,
  emptyTables,
  projectedRows,
  receivedAt,
  rowsOf,
  testWith,
} from '../../../harness/stores.ts';
import { addressHash } from '#workers/fold/privacy/addresses.ts';
import { mirrorTables } from '#workers/fold/projections/contract.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { replay } from '#workers/sync/replay.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import {
  canaryAddress,
  companionAddress,
  withPlantedAddress,
  holdsCanary,
  holdsCompanion,
  mayBeErased,
} from '../../../harness/data/planted-addresses.ts';
import { cut, history, reordered, type Observation } from '../../../harness/data/delivery-histories.ts';
import { canaryOf, uris } from '../../../harness/data/payloads.ts';
import { ingestObservations, mixedHistory } from '../../../harness/data/api-reads.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';

const people = [uris.contacts, uris.invitees, uris.users, uris.recaps, uris.submissions].flat();
const whom = fc.oneof(
  { arbitrary: fc.constant(canaryAddress), weight: 3 },
  { arbitrary: fc.constant(companionAddress), weight: 1 },
  { arbitrary: fc.constantFrom(...people), weight: 2 },
);

const lives = withPlantedAddress(fc.oneof(history(8), mixedHistory(6))).chain((observations) =>
  fc.record({
    eraseOnDelete: fc.boolean(),
    batches: reordered(observations).chain(cut),
    otherwise: reordered(observations).chain(cut),
    erasures: fc.array(fc.record({ whom, place: fc.nat(20) }), { minLength: 1, maxLength: 3 }),
    /** After which batches the log is pruned, and which entries are old by then. */
    isPruned: fc.infiniteStream(fc.boolean()),
    isOld: fc.infiniteStream(fc.boolean()),
    // Among the times of the facts, or after all of them.
    now: fc.constantFrom('2025-04-14T11:42:31.500000Z', '2026-01-01T00:00:00.000000Z'),
  }),
);
type Life = (typeof lives extends fc.Arbitrary<infer One> ? One : never) & {
  readonly batches: readonly (readonly Observation[])[];
};

const key = 'k'.repeat(64);
const base64 = Buffer.from(`\xff\xfe ${canaryAddress}`, 'latin1').toString('base64');

async function tell(store: Store, batch: readonly Observation[], options: { eraseOnDelete: boolean }): Promise<void> {
  await ingestObservations(store, batch, options.eraseOnDelete);
  const deliveries = [{ body: base64, encoding: 'base64', receivedAt }];
  await ingest({ store, screen: privacyScreen(options) }, { v: 1, deliveries }, receivedAt);
}

async function live(store: Store, life: Life, { prunes = false } = {}): Promise<void> {
  const { batches, erasures, now, eraseOnDelete, isPruned, isOld } = life;
  const options = { eraseOnDelete };
  for (let place = 0; place <= batches.length; place += 1) {
    for (const [index, each] of erasures.entries())
      if (each.place % (batches.length + 1) === place) {
        const at = now.replace(/\d{3}Z$/, `${100 + index}Z`);
        await eraseFrom(store, each.whom, { now: at });
      }
    if (place < batches.length) await tell(store, batches[place] ?? [], options);
    if (!prunes || !isPruned.next().value) continue;
    await ageEntries(store, () => isOld.next().value);
    await pruneLog(store);
    expect(await rebuild({ store, screen: privacyScreen(options) })).toMatchObject({ rowsDiffered: 0 });
  }
}

async function rowsNow(store: Store): Promise<Record<string, StoredRow[]>> {
  const { key_values: _key, ...rows } = await projectedRows(store);
  return rows;
}

const erasuresIn = async (store: Store): Promise<StoredRow[]> =>
  (await rowsOf(store, 'event_log')).filter(({ source }) => source === 'operator');

/**
 * A contact that was deleted, and forgotten, before the erasure is one whose address is no longer known: it is found to be the
 * person's only where its facts come after it. It is a tombstone without values either way; whose, and since when, is left open.
 */
function withoutDates(rows: Record<string, StoredRow[]>, uris: ReadonlySet<unknown>): Record<string, StoredRow[]> {
  const contacts = (rows['contacts'] ?? []).map((row) =>
    uris.has(row['uri']) && row['deleted_at'] !== null
      ? { ...row, deleted_at: 'deleted', deleted_source: 'any', as_of: 'then' }
      : row,
  );
  return { ...rows, contacts };
}

describe.each(availableEngines)('an erased person on $name', { timeout: propertyTimeoutMs }, ({ name, fresh }) => {
  const count = name === 'sqlite' ? 8 : 3;
  // One for each test: a property that runs out of time leaves its last history unfinished.
  const it = testWith(fresh);

  it('is in no column of any table afterwards, also when everything is pruned, delivered, read, replayed and rebuilt', async ({
    store,
  }) => {
    await fc.assert(
      fc.asyncProperty(lives, async (life) => {
        const options = { eraseOnDelete: life.eraseOnDelete };
        await emptyTables(store);
        await live(store, { ...life, now: '2026-01-01T00:00:00.000000Z' }, { prunes: true });
        const erased = life.erasures.map((each) => each.whom);
        const isGone = async () => {
          const text = await everythingIn(store);
          if (erased.includes(canaryAddress)) expect(holdsCanary(text)).toBe(false);
          if (erased.includes(companionAddress)) expect(holdsCompanion(text)).toBe(false);
          for (const uri of uris.contacts)
            if (erased.includes(uri)) expect(text.includes(canaryOf(uri).toLowerCase())).toBe(false);
          for (const form of await rowsOf(store, 'routing_form_submissions'))
            if (erased.includes(String(form['submitter']))) expect(form).toMatchObject({ questions_and_answers: null });
          const subjects = new Set((await erasuresIn(store)).map(({ subject_uri: uri }) => uri));
          for (const recap of await rowsOf(store, 'meeting_recaps'))
            if (subjects.has(recap['uri'] ?? '') || subjects.has(recap['event_uri'] ?? ''))
              expect(recap).toMatchObject({ speakers: null, summary_md: null, attendees: null });
        };
        await isGone();
        expect(await rebuild({ store, screen: privacyScreen(options) })).toMatchObject({ rowsDiffered: 0 });
        for (const batch of life.otherwise) await tell(store, batch, options);
        await isGone();
        const rows = await rowsNow(store);
        await replay({ store, screen: privacyScreen(options) }, {});
        await isGone();
        expect(await rowsNow(store)).toEqual(rows);
        expect(await rebuild({ store, screen: privacyScreen(options) })).toMatchObject({ rowsDiffered: 0 });
      }),
      runs(count),
    );
  });

  // What follows does not depend on the engine.
  if (name !== 'sqlite') return;
  it('leaves the same rows whether facts come before the erasures or after them', async ({ store }) => {
    await fc.assert(
      fc.asyncProperty(lives, async (life) => {
        const options = { eraseOnDelete: life.eraseOnDelete };
        await emptyTables(store);
        await live(store, life);
        expect(await rebuild({ store, screen: privacyScreen(options) })).toMatchObject({ rowsDiffered: 0 });
        const rows = await rowsNow(store);
        const erasures = await erasuresIn(store);
        const checkpoints = await rowsOf(store, 'key_values');

        await emptyTables(store);
        await store.transaction(async (unit) => {
          await appendEntries(
            unit,
            erasures.map(({ seq: _place, ...entry }) => entry as NewEntry),
          );
          for (const { key: name, value } of checkpoints)
            await unit.db
              .insertInto('key_values')
              .values({ key: String(name), value: unit.engine.encode('json', value as Json) })
              .execute();
        });
        await rebuild({ store, screen: privacyScreen(options) });
        for (const batch of life.otherwise) await tell(store, batch, options);
        const named = new Set(erasures.map((entry) => entry['subject_uri']));
        const late = new Set(
          (await erasuresIn(store)).map((entry) => entry['subject_uri']).filter((uri) => !named.has(uri)),
        );
        expect(withoutDates(await rowsNow(store), late)).toEqual(withoutDates(rows, late));
      }),
      runs(count),
    );
  });

  it('takes nothing along: what others are and said without them stays as it was', async ({ store }) => {
    await fc.assert(
      fc.asyncProperty(lives, async (life) => {
        const { eraseOnDelete, batches } = life;
        await emptyTables(store);
        for (const batch of batches) await tell(store, batch, { eraseOnDelete });
        const before = await rowsNow(store);
        await emptyTables(store);
        // Last: then everything that is theirs is known by name.
        const erasures = life.erasures.map((each) => ({ ...each, place: batches.length }));
        await live(store, { ...life, erasures });
        const after = await rowsNow(store);
        const sent = await erasuresIn(store);
        const gone = new Set(sent.map(({ subject_uri }) => subject_uri));
        const lost = [canaryAddress, companionAddress].filter((address) =>
          sent.some(({ body }) => String(body).includes(addressHash(key, address))),
        );
        const payloads = batches.flat().map(({ fact }) => fact.payload);
        const may = mayBeErased(
          erasures.map((each) => each.whom),
          payloads,
        );
        expect(lost.filter((address) => !may.has(address))).toEqual([]);
        const isTheirs = (text: string) =>
          (lost.includes(canaryAddress) && holdsCanary(text)) ||
          (lost.includes(companionAddress) && holdsCompanion(text));
        for (const table of mirrorTables)
          for (const row of before[table] ?? []) {
            if (gone.has(row['uri'] ?? null)) continue;
            const now = after[table]?.find(({ uri }) => uri === row['uri']);
            const untouched = Object.entries(row).filter(
              ([, value]) => !isTheirs(JSON.stringify(value)) && !mentions(value, gone),
            );
            expect(now).toMatchObject(Object.fromEntries(untouched));
          }
      }),
      runs(count / 2),
    );
  });
});

/** Hosts are named with their user, and an erased user keeps only that. */
function mentions(value: Json | undefined, gone: ReadonlySet<unknown>): boolean {
  const text = JSON.stringify(value ?? null);
  return [...gone].some((uri) => typeof uri === 'string' && text.includes(`"${uri}"`));
}

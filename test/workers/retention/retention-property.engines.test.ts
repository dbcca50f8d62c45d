// Retention takes content out of the log, never out of the tables: a rebuild of what is left makes the same rows, and whatever
// comes afterwards ends where it would have ended.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { erase } from '#workers/privacy/erase.ts';
import { targetOf } from '#workers/privacy/target.ts';
import { prune, type RetentionReport } from '#workers/retention/retention.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { replay } from '#workers/sync/replay.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { canaryAddress, withPlantedAddress, holdsCanary } from '../../harness/data/planted-addresses.ts';
import { cut, history, reordered, type Observation } from '../../harness/data/delivery-histories.ts';
import { uris } from '../../harness/data/payloads.ts';
import { ingestObservations, mixedHistory } from '../../harness/data/api-reads.ts';
import {
  emptyTables,
  freshMemory,
  freshPostgres,
  projectedRows,
  rowsOf,
  type TestStore,
} from '../../harness/stores.ts';
import { propertyTimeoutMs, runs } from '../../harness/runs.ts';

const observations: fc.Arbitrary<Observation[]> = fc.oneof(history(10), mixedHistory());
const arrivals = observations.chain((sent) =>
  fc.record({
    options: fc.record({ eraseOnDelete: fc.boolean() }),
    batches: reordered(sent).chain(cut),
    /** After which batches the log is pruned, and which entries are old by then. */
    pruned: fc.infiniteStream(fc.boolean()),
    ages: fc.infiniteStream(fc.boolean()),
  }),
);

const lives = withPlantedAddress(observations).chain((sent) =>
  fc.record({
    options: fc.record({ eraseOnDelete: fc.boolean() }),
    batches: reordered(sent).chain(cut),
    /** What is done after each batch; whom to erase. */
    deeds: fc.array(fc.constantFrom('prune', 'prune', canaryAddress, ...uris.contacts, ...uris.invitees), {
      minLength: 1,
      maxLength: 6,
    }),
    ages: fc.infiniteStream(fc.boolean()),
  }),
);

/** Old is what the test says is old. */
async function age(store: Store, isOld: () => boolean): Promise<void> {
  for (const { seq } of await rowsOf(store, 'event_log'))
    if (isOld())
      await store.db.updateTable('event_log').set({ received_at: longAgo }).where('seq', '=', Number(seq)).execute();
}

const longAgo = '2024-01-01T00:00:00.000000Z';
const before = '2025-01-01T00:00:00.000000Z';

const pruneOnce = (store: Store): Promise<RetentionReport> =>
  prune({ store, sleep: async () => {}, nowMs: () => 0 }, { before, signal: new AbortController().signal });

describe.each([
  { name: 'sqlite', available: true, fresh: freshMemory, count: 8 },
  { name: 'postgres', available: inject('postgresUrl') !== '', fresh: freshPostgres, count: 4 },
])('pruning the log on $name', ({ available, fresh, count }) => {
  let opened: TestStore;
  // One a test: a run that was cut off at its time limit still works on the store it began with.
  beforeEach(async () => {
    if (available) opened = await fresh();
  });
  afterEach(() => opened?.[Symbol.asyncDispose]());

  it.runIf(available)(
    'changes no row, now or by anything that comes later, and a rebuild finds none that differs',
    async () => {
      await fc.assert(
        fc.asyncProperty(arrivals, async ({ options, batches, pruned, ages }) => {
          const { store } = opened;
          await emptyTables(store);
          for (const batch of batches) await ingestObservations(store, batch, options.eraseOnDelete);
          const rows = await projectedRows(store);

          await emptyTables(store);
          for (const batch of batches) {
            await ingestObservations(store, batch, options.eraseOnDelete);
            if (!pruned.next().value) continue;
            const stood = await projectedRows(store);
            await age(store, () => ages.next().value);
            await pruneOnce(store);
            expect(await pruneOnce(store)).toMatchObject({ pruned: 0, blanked: 0 });
            expect(await projectedRows(store)).toEqual(stood);
            expect(await rebuild({ store, screen: privacyScreen(options) })).toMatchObject({ rowsDiffered: 0 });
          }
          expect(await projectedRows(store)).toEqual(rows);
          await replay({ store, screen: privacyScreen(options) }, {});
          expect(await projectedRows(store)).toEqual(rows);
          expect(await rebuild({ store, screen: privacyScreen(options) })).toMatchObject({ rowsDiffered: 0 });
        }),
        runs(count),
      );
    },
    propertyTimeoutMs,
  );

  it.runIf(available)(
    'and erasing people, in any order, leave rows that a rebuild reproduces, and no erased person',
    async () => {
      await fc.assert(
        fc.asyncProperty(lives, async ({ options, batches, deeds, ages }) => {
          const { store } = opened;
          await emptyTables(store);
          for (const [index, batch] of batches.entries()) {
            await ingestObservations(store, batch, options.eraseOnDelete);
            const deed = deeds[index % deeds.length];
            if (deed === 'prune') {
              await age(store, () => ages.next().value);
              await pruneOnce(store);
            } else if (deed !== undefined) {
              const now = `2026-01-01T00:00:00.${100_000 + index}Z`;
              await erase({ store, newKey: () => 'k'.repeat(64) }, targetOf(deed), { now });
            }
            expect(await rebuild({ store, screen: privacyScreen(options) })).toMatchObject({ rowsDiffered: 0 });
          }
          const rows = await projectedRows(store);
          await replay({ store, screen: privacyScreen(options) }, {});
          expect(await projectedRows(store)).toEqual(rows);
          if (!deeds.slice(0, batches.length).includes(canaryAddress)) return;
          const log = await rowsOf(store, 'event_log');
          expect(holdsCanary(JSON.stringify([log, rows]))).toBe(false);
        }),
        runs(count),
      );
    },
    propertyTimeoutMs,
  );
});

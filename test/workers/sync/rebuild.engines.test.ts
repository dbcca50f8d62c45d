// The log is the truth: rebuilding the tables from it, or replaying it, finds nothing to change, whatever was delivered.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { quarantine } from '#workers/pipeline/ingest.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { replay } from '#workers/sync/replay.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { cut, history, reordered, type Observation } from '../../harness/data/delivery-histories.ts';
import { ingestObservations, mixedHistory } from '../../harness/data/api-reads.ts';
import {
  emptyTables,
  freshMemory,
  freshPostgres,
  projectedRows,
  receivedAt,
  type TestStore,
} from '../../harness/stores.ts';
import { propertyTimeoutMs, runs } from '../../harness/runs.ts';

const observations: fc.Arbitrary<Observation[]> = fc.oneof(history(10), mixedHistory());
const arrivals = observations.chain((sent) =>
  fc.record({ options: fc.record({ eraseOnDelete: fc.boolean() }), batches: reordered(sent).chain(cut) }),
);

describe.each([
  { name: 'sqlite', available: true, fresh: freshMemory, count: 15 },
  { name: 'postgres', available: inject('postgresUrl') !== '', fresh: freshPostgres, count: 5 },
])('the tables on $name', ({ available, fresh, count }) => {
  let opened: TestStore;
  // One a test: a run that was cut off at its time limit still works on the store it began with.
  beforeEach(async () => {
    if (available) opened = await fresh();
  });
  afterEach(() => opened?.[Symbol.asyncDispose]());

  it.runIf(available)(
    'are those that a rebuild or a replay of the log makes, also after a contact was redacted',
    async () => {
      await fc.assert(
        fc.asyncProperty(arrivals, async ({ options, batches }) => {
          const { store } = opened;
          await emptyTables(store);
          for (const batch of batches) await ingestObservations(store, batch, options.eraseOnDelete);
          const rows = await projectedRows(store);
          const { rowsDiffered } = await rebuild({ store, screen: privacyScreen(options) });
          expect(rowsDiffered).toBe(0);
          await replay({ store, screen: privacyScreen(options) }, {});
          expect(await projectedRows(store)).toEqual(rows);
          await rebuild({ store, screen: privacyScreen(options) });
          expect(await projectedRows(store)).toEqual(rows);
        }),
        runs(count),
      );
    },
    propertyTimeoutMs,
  );

  it.runIf(available)(
    'do not change by a rebuild while deliveries are in quarantine, and end as if those had never been there',
    async () => {
      await fc.assert(
        fc.asyncProperty(arrivals, fc.infiniteStream(fc.boolean()), async ({ options, batches }, kept) => {
          const { store } = opened;
          await emptyTables(store);
          for (const batch of batches) await ingestObservations(store, batch, options.eraseOnDelete);
          const rows = await projectedRows(store);

          await emptyTables(store);
          for (const batch of batches) {
            const passed = batch.filter(({ body }) => body === null || !kept.next().value);
            for (const { body } of batch.filter((each) => !passed.includes(each)))
              await quarantine(
                { store, screen: privacyScreen(options) },
                { body, receivedAt },
                { reason: 'A test said so.', now: receivedAt },
              );
            await ingestObservations(store, passed, options.eraseOnDelete);
          }
          expect(await rebuild({ store, screen: privacyScreen(options) })).toMatchObject({ rowsDiffered: 0 });
          await replay({ store, screen: privacyScreen(options) }, { unprojected: true });
          expect(await projectedRows(store)).toEqual(rows);
          expect(await rebuild({ store, screen: privacyScreen(options) })).toMatchObject({ rowsDiffered: 0 });
        }),
        runs(count),
      );
    },
    propertyTimeoutMs,
  );
});

// The log of the same deliveries and reads is the same in any order, and what each delivery did does not depend on how arrivals are cut
// into batches. The rows are those of the model: see world-property.engines.test.ts.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { ingestObservations, mixedHistory } from '../../harness/data/api-reads.ts';
import { cut, history, reordered, type Observation } from '../../harness/data/delivery-histories.ts';
import { propertyTimeoutMs, runs } from '../../harness/runs.ts';
import { emptyTables, freshMemory, freshPostgres, rowsOf, type TestStore } from '../../harness/stores.ts';

const arriving = (histories: fc.Arbitrary<readonly Observation[]>) =>
  histories.chain((observations) => {
    const batches = reordered(observations).chain(cut);
    return fc.record({ eraseOnDelete: fc.boolean(), batches, otherwise: batches });
  });

/** What an entry did, and which came first, may depend on arrival; that it is there, and what it is, may not. */
async function entriesIn(store: Store): Promise<unknown[]> {
  const entries = await rowsOf(store, 'event_log');
  return entries
    .map(({ delivery_id, source, event, subject_uri, occurred_at, tie, redacted, body }) => {
      const entry = { delivery_id, source, event, subject_uri, occurred_at, tie, redacted };
      return redacted ? { ...entry, body } : entry;
    })
    .toSorted((a, b) => (String(a.delivery_id) < String(b.delivery_id) ? -1 : 1));
}

async function outcomesIn(store: Store): Promise<unknown[]> {
  const entries = await rowsOf(store, 'event_log');
  return entries
    .toSorted((a, b) => Number(a['seq']) - Number(b['seq']))
    .map(({ seq: _seq, received_at: _received, ...entry }) => entry);
}

describe.each([
  { name: 'sqlite', available: true, fresh: freshMemory, count: 15 },
  { name: 'postgres', available: inject('postgresUrl') !== '', fresh: freshPostgres, count: 5 },
])('ingest on $name', ({ available, fresh, count }) => {
  let opened: TestStore;
  // One a test: a run that was cut off at its time limit still works on the store it began with.
  beforeEach(async () => {
    if (available) opened = await fresh();
  });
  afterEach(() => opened?.[Symbol.asyncDispose]());

  async function ingestAll(batches: readonly (readonly Observation[])[], eraseOnDelete: boolean): Promise<void> {
    await emptyTables(opened.store);
    for (const batch of batches) await ingestObservations(opened.store, batch, eraseOnDelete);
  }

  it.runIf(available)(
    'writes the same entries in any order',
    async () => {
      const arrivals = arriving(fc.oneof(history(10), mixedHistory()));
      await fc.assert(
        fc.asyncProperty(arrivals, async ({ eraseOnDelete, batches, otherwise }) => {
          await ingestAll(batches, eraseOnDelete);
          const entries = await entriesIn(opened.store);
          await ingestAll(otherwise, eraseOnDelete);
          expect(await entriesIn(opened.store)).toEqual(entries);
        }),
        runs(count),
      );
    },
    propertyTimeoutMs,
  );

  it.runIf(available)(
    'does the same with each delivery however the same arrivals are cut into batches',
    async () => {
      await fc.assert(
        fc.asyncProperty(arriving(history(10)), async ({ eraseOnDelete, batches }) => {
          await ingestAll(batches, eraseOnDelete);
          const outcomes = await outcomesIn(opened.store);
          await ingestAll([batches.flat()], eraseOnDelete);
          expect(await outcomesIn(opened.store)).toEqual(outcomes);
        }),
        runs(count),
      );
    },
    propertyTimeoutMs,
  );
});

// The same property through the real path: deliveries off the queue and records of the API, one transaction a batch, SQLite
// and PostgreSQL.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { cut, history, reordered, type Observation } from '../../harness/data/delivery-histories.ts';
import { canaryOf, uris } from '../../harness/data/payloads.ts';
import { ingestObservations, mixedHistory } from '../../harness/data/api-reads.ts';
import {
  emptyTables,
  freshMemory,
  freshPostgres,
  projectedRows,
  rowsOf,
  tableNames,
  type TestStore,
} from '../../harness/stores.ts';
import { fold, readObservation } from '../../harness/mirror/memory-fold.ts';
import { propertyTimeoutMs, runs } from '../../harness/runs.ts';

interface Arrival {
  readonly observations: readonly Observation[];
  readonly eraseOnDelete: boolean;
  readonly batches: readonly (readonly Observation[])[];
  readonly otherwise: readonly (readonly Observation[])[];
}

function arriving(histories: fc.Arbitrary<readonly Observation[]>): fc.Arbitrary<Arrival> {
  return histories.chain((observations) => {
    const batches = reordered(observations).chain(cut);
    return fc.record({
      observations: fc.constant(observations),
      eraseOnDelete: fc.boolean(),
      batches,
      otherwise: batches,
    });
  });
}

const sent: fc.Arbitrary<readonly Observation[]> = history(10);
const arrivals = arriving(fc.oneof(sent, mixedHistory()));

// What an entry did, and who came first, may depend on arrival; that it is there, and what it is, may not.
async function ledger(store: Store): Promise<unknown[]> {
  const entries = await rowsOf(store, 'event_log');
  return entries
    .map(({ delivery_id, source, event, subject_uri, occurred_at, tie, redacted, body }) => {
      const entry = { delivery_id, source, event, subject_uri, occurred_at, tie, redacted };
      return redacted ? { ...entry, body } : entry;
    })
    .toSorted((a, b) => (String(a.delivery_id) < String(b.delivery_id) ? -1 : 1));
}

async function contentsAfter(store: Store, batches: Arrival['batches'], eraseOnDelete: boolean) {
  await emptyTables(store);
  for (const batch of batches) await ingestObservations(store, batch, eraseOnDelete);
  return { rows: await projectedRows(store), ledger: await ledger(store) };
}

async function outcomes(store: Store): Promise<unknown[]> {
  const entries = await rowsOf(store, 'event_log');
  return entries
    .toSorted((a, b) => Number(a['seq']) - Number(b['seq']))
    .map(({ delivery_id, outcome, reason, changes, duplicates, redacted, body }) => [
      delivery_id,
      outcome,
      reason,
      changes,
      duplicates,
      redacted,
      body,
    ]);
}

describe.each([
  { name: 'sqlite', available: true, fresh: freshMemory, count: 30 },
  { name: 'postgres', available: inject('postgresUrl') !== '', fresh: freshPostgres, count: 10 },
])('ingest on $name', ({ available, fresh, count }) => {
  let opened: TestStore;
  // One a test: a run that was cut off at its time limit still works on the store it began with.
  beforeEach(async () => {
    if (available) opened = await fresh();
  });
  afterEach(() => opened?.[Symbol.asyncDispose]());

  it.runIf(available)(
    'ends in the rows of the fold, for any order, duplication and batching of the same deliveries and reads',
    async () => {
      await fc.assert(
        fc.asyncProperty(arrivals, async ({ observations, eraseOnDelete, batches, otherwise }) => {
          const once = await contentsAfter(opened.store, batches, eraseOnDelete);
          const again = await contentsAfter(opened.store, otherwise, eraseOnDelete);
          expect(again).toEqual(once);
          expect(once.rows).toEqual(fold([observations.map(readObservation)], { eraseOnDelete }).contents);
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
        fc.asyncProperty(arriving(sent), async ({ eraseOnDelete, batches }) => {
          await contentsAfter(opened.store, batches, eraseOnDelete);
          const cutUp = await outcomes(opened.store);
          await contentsAfter(opened.store, [batches.flat()], eraseOnDelete);
          expect(await outcomes(opened.store)).toEqual(cutUp);
        }),
        runs(count / 2),
      );
    },
    propertyTimeoutMs,
  );

  it.runIf(available)(
    'keeps no value of a deleted contact in any row of any table, whenever its facts arrive',
    async () => {
      await fc.assert(
        fc.asyncProperty(arrivals, fc.nat(20), fc.boolean(), async ({ batches, otherwise }, place, wasTold) => {
          const [uri = ''] = uris.contacts;
          const event = wasTold ? 'contact.deleted' : 'contact.gone';
          const fact = { event, created_at: '2025-04-14T11:42:29.000000Z', payload: { uri }, sound: true };
          const gone = { fact, body: wasTold ? JSON.stringify(fact) : null };
          // Early, in the middle or last; then everything once more, in another order.
          const delivered = batches.toSpliced(place % (batches.length + 1), 0, [gone]);
          await contentsAfter(opened.store, [...delivered, ...otherwise], true);
          for (const table of tableNames)
            expect(JSON.stringify(await rowsOf(opened.store, table))).not.toContain(canaryOf(uri));
          const row = (await rowsOf(opened.store, 'contacts')).find((contact) => contact['uri'] === uri);
          expect(row).toMatchObject({ emails: null, extra: null, version: null });
          expect(row?.['deleted_at']).toBeTypeOf('string');
          const about = (await rowsOf(opened.store, 'event_log')).filter((entry) => entry['subject_uri'] === uri);
          for (const entry of about) expect(entry).toMatchObject({ redacted: true, changes: null });
        }),
        runs(count / 2),
      );
    },
    propertyTimeoutMs,
  );
});

// The same property through the real path: deliveries off the queue, one transaction a batch, SQLite and PostgreSQL.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { cut, history, reordered, type Delivery } from '../harness/histories.ts';
import { canaryOf, uris } from '../harness/payloads.ts';
import {
  emptyTables,
  freshMemory,
  freshPostgres,
  ingestBodies,
  projectedRows,
  rowsOf,
  tableNames,
  type TestStore,
} from '../harness/stores.ts';
import { fold, read } from './memory-fold.ts';
import { patienceMs, runs } from './runs.ts';

interface Arrival {
  readonly deliveries: readonly Delivery[];
  readonly eraseOnDelete: boolean;
  readonly batches: readonly (readonly string[])[];
  readonly otherwise: readonly (readonly string[])[];
}

const arrivals = history(10).chain((deliveries) => {
  const batches = reordered(deliveries.map(({ body }) => body)).chain(cut);
  return fc.record({ deliveries: fc.constant(deliveries), eraseOnDelete: fc.boolean(), batches, otherwise: batches });
});

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
  for (const batch of batches) await ingestBodies(store, batch, eraseOnDelete);
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
  { name: 'sqlite', available: true, fresh: freshMemory, count: 60 },
  { name: 'postgres', available: inject('postgresUrl') !== '', fresh: freshPostgres, count: 20 },
])('ingest on $name', ({ available, fresh, count }) => {
  let opened: TestStore;
  beforeAll(async () => {
    if (available) opened = await fresh();
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());

  it.runIf(available)(
    'ends in the rows of the fold, for any order, duplication and batching of the same deliveries',
    async () => {
      await fc.assert(
        fc.asyncProperty(arrivals, async ({ deliveries, eraseOnDelete, batches, otherwise }) => {
          const once = await contentsAfter(opened.store, batches, eraseOnDelete);
          const again = await contentsAfter(opened.store, otherwise, eraseOnDelete);
          expect(again).toEqual(once);
          expect(once.rows).toEqual(fold([deliveries.map(({ body }) => read(body))], { eraseOnDelete }).contents);
        }),
        runs(count),
      );
    },
    patienceMs,
  );

  it.runIf(available)(
    'does the same with each delivery however the same arrivals are cut into batches',
    async () => {
      await fc.assert(
        fc.asyncProperty(arrivals, async ({ eraseOnDelete, batches }) => {
          await contentsAfter(opened.store, batches, eraseOnDelete);
          const cutUp = await outcomes(opened.store);
          await contentsAfter(opened.store, [batches.flat()], eraseOnDelete);
          expect(await outcomes(opened.store)).toEqual(cutUp);
        }),
        runs(count / 2),
      );
    },
    patienceMs,
  );

  it.runIf(available)(
    'keeps no value of a deleted contact in any row of any table, whenever its facts arrive',
    async () => {
      await fc.assert(
        fc.asyncProperty(arrivals, fc.nat(20), async ({ batches, otherwise }, place) => {
          const [uri = ''] = uris.contacts;
          const gone = JSON.stringify({
            event: 'contact.deleted',
            created_at: '2025-04-14T11:42:29Z',
            payload: { uri },
          });
          // Early, in the middle or last; then everything once more, in another order.
          const told = batches.toSpliced(place % (batches.length + 1), 0, [gone]);
          await contentsAfter(opened.store, [...told, ...otherwise], true);
          for (const table of tableNames)
            expect(JSON.stringify(await rowsOf(opened.store, table))).not.toContain(canaryOf(uri));
          const row = (await rowsOf(opened.store, 'contacts')).find((contact) => contact['uri'] === uri);
          expect(row).toMatchObject({ deleted_source: 'webhook', emails: null, body: null, version: null });
          const about = (await rowsOf(opened.store, 'event_log')).filter((entry) => entry['subject_uri'] === uri);
          for (const entry of about) expect(entry).toMatchObject({ redacted: true, changes: null });
        }),
        runs(count / 2),
      );
    },
    patienceMs,
  );
});

// Erasures in tests, with a key of the test's own; everything that a store holds as text, to see that a person is not in it; and retention,
// by which that is old which the test says.
import type { Store } from '#src/store/contract.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { erase } from '#workers/fold/privacy/erase.ts';
import { targetOf } from '#workers/fold/privacy/target.ts';
import { prune, type RetentionReport } from '#workers/fold/retention/retention.ts';
import { rowsOf, tableNames } from './stores.ts';

const newKey = (): string => 'k'.repeat(64);

export const eraseFrom = (
  store: Store,
  whom: string,
  options: { readonly now: string; readonly only?: boolean; readonly dryRun?: boolean },
): ReturnType<typeof erase> => erase({ store, newKey }, targetOf(whom), options);

/** Every row of every table, in lower case. */
export async function everythingIn(store: Store): Promise<string> {
  const rows = await Promise.all(tableNames.map((table) => rowsOf(store, table)));
  return JSON.stringify(rows).toLowerCase();
}

const longAgo = '2024-01-01T00:00:00.000000Z';
const before = '2025-01-01T00:00:00.000000Z';

export async function ageEntries(store: Store, isOld: (entry: StoredRow) => boolean): Promise<void> {
  for (const entry of await rowsOf(store, 'event_log'))
    if (isOld(entry))
      await store.db
        .updateTable('event_log')
        .set({ received_at: longAgo })
        .where('seq', '=', Number(entry['seq']))
        .execute();
}

export const pruneLog = (store: Store): Promise<RetentionReport> =>
  prune({ store, sleep: async () => {}, nowMs: () => 0 }, { before, signal: new AbortController().signal });

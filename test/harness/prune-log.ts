// Retention in tests: which entries are old is what the test says.
import type { Store } from '#src/store/contract.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { prune, type RetentionReport } from '#workers/retention/retention.ts';
import { rowsOf } from './stores.ts';

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

// How long after its event each of the latest deliveries came.
import type { Store } from './contract.ts';
import { decodeRow } from './rows.ts';

/** Seconds, newest first; what was read or is of no known time is left out. */
export async function latestDelays(store: Store, limit: number): Promise<readonly number[]> {
  const rows = await store.db.selectFrom('event_log').selectAll().orderBy('seq', 'desc').limit(limit).execute();
  return rows.flatMap((row) => {
    const { source, occurred_at: at, received_at: received } = decodeRow(store.engine, 'event_log', row);
    if (source !== 'webhook' || typeof at !== 'string' || typeof received !== 'string') return [];
    return [(Date.parse(received) - Date.parse(at)) / 1000];
  });
}

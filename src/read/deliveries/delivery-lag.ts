// The delay between an event and its delivery, of the latest deliveries.
import type { Store } from '#src/store/contract.ts';

/** Seconds, newest first, without records that were read and without deliveries of unknown time. */
export async function latestDelays(store: Store, limit: number): Promise<readonly number[]> {
  const latest = await latestDeliveries(store, limit);
  return latest.map(({ occurredMs, receivedMs }) => (receivedMs - occurredMs) / 1000);
}

export interface LatestDelivery {
  readonly seq: number;
  readonly occurredMs: number;
  readonly receivedMs: number;
}

/** Newest first, without entries that were moved to the end of the log because they were redacted. */
export async function latestDeliveries({ db, engine }: Store, limit: number): Promise<readonly LatestDelivery[]> {
  const rows = await db
    .selectFrom('event_log')
    .select(['seq', 'source', 'occurred_at', 'received_at', 'redacted'])
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
  return rows.flatMap(({ seq, source, occurred_at, received_at, redacted }) => {
    if (source !== 'webhook' || occurred_at === null || engine.decode('flag', redacted)) return [];
    return [{ seq, occurredMs: Date.parse(occurred_at), receivedMs: Date.parse(received_at) }];
  });
}

// How long after its event each of the latest deliveries came.
import type { Store } from '#src/store/contract.ts';

/** Seconds, newest first; what was read or is of no known time is left out. */
export async function latestDelays(store: Store, limit: number): Promise<readonly number[]> {
  const latest = await latestDeliveries(store, limit);
  return latest.map(({ occurredMs, receivedMs }) => (receivedMs - occurredMs) / 1000);
}

export interface LatestDelivery {
  readonly seq: number;
  readonly occurredMs: number;
  readonly receivedMs: number;
}

/** Newest first; not what stands at the end of the log again because somebody was taken out of it. */
export async function latestDeliveries({ db, engine }: Store, limit: number): Promise<readonly LatestDelivery[]> {
  const rows = await db
    .selectFrom('event_log')
    .select(['seq', 'source', 'occurred_at', 'received_at', 'redacted'])
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
  return rows.flatMap(({ seq, source, occurred_at, received_at, redacted }) => {
    const [at, received] = [engine.decode('time', occurred_at), engine.decode('time', received_at)];
    if (
      source !== 'webhook' ||
      engine.decode('flag', redacted) ||
      typeof at !== 'string' ||
      typeof received !== 'string'
    )
      return [];
    return [{ seq: seq, occurredMs: Date.parse(at), receivedMs: Date.parse(received) }];
  });
}

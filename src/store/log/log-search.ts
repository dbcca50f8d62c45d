// The log as operators look through it: newest first, without the bodies, by what they remember of an entry.
import { setImmediate as breathe } from 'node:timers/promises';
import type { Store } from '#src/store/contract.ts';
import { isKept, lastSeq, type LogEntry, type Outcome } from './log.ts';
import { decodeColumns, decodeRow } from '#src/store/rows.ts';

export interface DeliveryFilter {
  readonly event?: string | undefined;
  readonly outcome?: Outcome | undefined;
  readonly source?: string | undefined;
  readonly subjectUri?: string | undefined;
  readonly reason?: string | undefined;
  /** Only what is kept without being projected: quarantined, or of an unknown kind. */
  readonly kept?: boolean;
}

export interface LogStretch {
  /** Strictly beyond this entry; absent: from the end of the log. */
  readonly from?: number | undefined;
  /** Towards the end of the log instead of towards its beginning; never without `from`. */
  readonly newer: boolean;
  readonly limit: number;
}

const columns = [
  'seq',
  'delivery_id',
  'source',
  'event',
  'subject_uri',
  'occurred_at',
  'received_at',
  'outcome',
  'reason',
  'duplicates',
  'redacted',
] as const;

export type DeliveryLine = Pick<LogEntry, (typeof columns)[number]>;

/** How many places are looked through at a time where no index helps: SQLite looks on this thread. */
const lookedThrough = 10_000;

/** In the order in which they were looked for: newest first, or for `newer` oldest first. */
export async function readDeliveries(
  store: Store,
  filter: DeliveryFilter,
  { from, newer, limit }: LogStretch,
): Promise<DeliveryLine[]> {
  const last = await lastSeq(store);
  const stride = isIndexed(filter) ? Number.MAX_SAFE_INTEGER : lookedThrough;
  const found: DeliveryLine[] = [];
  // The places still to be looked through, both ends included.
  let [low, high] = newer ? [(from ?? 0) + 1, last] : [1, Math.min(last, (from ?? last + 1) - 1)];
  while (low <= high && found.length < limit) {
    const part = newer
      ? { low, high: Math.min(high, low + stride - 1) }
      : { low: Math.max(low, high - stride + 1), high };
    found.push(...(await readPart(store, filter, { ...part, newer, limit: limit - found.length })));
    if (newer) low = part.high + 1;
    else high = part.low - 1;
    await breathe();
  }
  return found;
}

/** Kept entries are few; a subject has few. */
function isIndexed({ outcome, source, subjectUri, kept, event }: DeliveryFilter): boolean {
  if (subjectUri !== undefined || kept || isOfKept(outcome)) return true;
  return source === undefined && outcome === undefined && event !== undefined;
}

const isOfKept = (outcome?: Outcome): boolean => outcome === 'quarantined' || outcome === 'unhandled';

interface Part {
  readonly low: number;
  readonly high: number;
  readonly newer: boolean;
  readonly limit: number;
}

async function readPart(store: Store, filter: DeliveryFilter, part: Part): Promise<DeliveryLine[]> {
  const { event, outcome, source, subjectUri, reason, kept } = filter;
  let query = store.db
    .selectFrom('event_log')
    .select(columns)
    .where('seq', '>=', part.low)
    .where('seq', '<=', part.high);
  if (event !== undefined) query = query.where('event', '=', event);
  if (outcome !== undefined) query = query.where('outcome', '=', outcome);
  if (source !== undefined) query = query.where('source', '=', source);
  if (subjectUri !== undefined) query = query.where('subject_uri', '=', subjectUri);
  if (reason !== undefined) query = query.where('reason', '=', reason);
  if (kept || isOfKept(outcome)) query = query.where(isKept);
  const rows = await query
    .orderBy('seq', part.newer ? 'asc' : 'desc')
    .limit(part.limit)
    .execute();
  return rows.map((row) => decodeColumns(store.engine, { table: 'event_log', columns }, row));
}

/** By its identity, or by its place in the log. */
export async function readDelivery(
  store: Store,
  id: { readonly deliveryId: string } | { readonly seq: number },
): Promise<LogEntry | undefined> {
  const all = store.db.selectFrom('event_log').selectAll();
  const row = await ('seq' in id ? all.where('seq', '=', id.seq) : all.where('delivery_id', '=', id.deliveryId))
    .limit(1)
    .executeTakeFirst();
  return row && (decodeRow(store.engine, 'event_log', row) as LogEntry);
}

export interface KeptReason {
  readonly outcome: string;
  readonly reason: string | null;
  readonly count: number;
  readonly newest_seq: number;
}

/** Why entries are kept, the most frequent first. */
export async function countReasons(store: Store, limit: number): Promise<KeptReason[]> {
  const rows = await store.db
    .selectFrom('event_log')
    .select(({ fn }) => ['outcome', 'reason', fn.countAll().as('count'), fn.max('seq').as('newest_seq')])
    .where(isKept)
    .groupBy(['outcome', 'reason'])
    .orderBy('count', 'desc')
    .orderBy('newest_seq', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ outcome, reason, count, newest_seq }) => ({
    outcome: outcome,
    reason: reason as string | null,
    count: Number(count),
    newest_seq: newest_seq,
  }));
}

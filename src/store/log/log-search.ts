// The log as operators search it: newest first, without bodies, by what they know about an entry.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Store } from '#src/store/contract.ts';
import { isUnprojected, lastSeq, type LogEntry, type Outcome } from './read.ts';
import { decodeColumns, decodeRow } from '#src/store/rows.ts';

export interface DeliveryFilter {
  readonly event?: string | undefined;
  readonly outcome?: Outcome | undefined;
  readonly source?: string | undefined;
  readonly subjectUri?: string | undefined;
  readonly reason?: string | undefined;
  /** Only entries that were stored without being projected: quarantined, or of an unknown kind. */
  readonly unprojected?: boolean;
}

export interface LogRange {
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

/** How many entries are scanned per query where no index helps: SQLite scans on this thread. */
const scannedAtOnce = 10_000;

/** In the order of the search: newest first, or for `newer` oldest first. */
export async function readDeliveries(
  store: Store,
  filter: DeliveryFilter,
  { from, newer, limit }: LogRange,
): Promise<DeliveryLine[]> {
  const last = await lastSeq(store);
  const stride = isIndexed(filter) ? Number.MAX_SAFE_INTEGER : scannedAtOnce;
  const found: DeliveryLine[] = [];
  // The offsets still to be scanned, both ends included.
  let [low, high] = newer ? [(from ?? 0) + 1, last] : [1, Math.min(last, (from ?? last + 1) - 1)];
  while (low <= high && found.length < limit) {
    const part = newer
      ? { low, high: Math.min(high, low + stride - 1) }
      : { low: Math.max(low, high - stride + 1), high };
    found.push(...(await readPart(store, filter, { ...part, newer, limit: limit - found.length })));
    if (newer) low = part.high + 1;
    else high = part.low - 1;
    await yieldToEventLoop();
  }
  return found;
}

/** Unprojected entries are few, and so are the entries of one subject. */
function isIndexed({ outcome, source, subjectUri, unprojected, event }: DeliveryFilter): boolean {
  if (subjectUri !== undefined || unprojected || isUnprojectedOutcome(outcome)) return true;
  return source === undefined && outcome === undefined && event !== undefined;
}

const isUnprojectedOutcome = (outcome?: Outcome): boolean => outcome === 'quarantined' || outcome === 'unhandled';

interface Part {
  readonly low: number;
  readonly high: number;
  readonly newer: boolean;
  readonly limit: number;
}

async function readPart(store: Store, filter: DeliveryFilter, part: Part): Promise<DeliveryLine[]> {
  const { event, outcome, source, subjectUri, reason, unprojected } = filter;
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
  if (unprojected || isUnprojectedOutcome(outcome)) query = query.where(isUnprojected);
  const rows = await query
    .orderBy('seq', part.newer ? 'asc' : 'desc')
    .limit(part.limit)
    .execute();
  return rows.map((row) => decodeColumns(store.engine, { table: 'event_log', columns }, row));
}

/** By its identity, or by its offset. */
export async function readDelivery(
  store: Store,
  id: { readonly deliveryId: string } | { readonly seq: number },
): Promise<LogEntry | undefined> {
  const all = store.db.selectFrom('event_log').selectAll();
  const row = await ('seq' in id ? all.where('seq', '=', id.seq) : all.where('delivery_id', '=', id.deliveryId))
    .limit(1)
    .executeTakeFirst();
  return row && decodeRow(store.engine, 'event_log', row);
}

export interface UnprojectedReason {
  readonly outcome: string;
  readonly reason: string | null;
  readonly count: number;
  readonly newest_seq: number;
}

/** Why entries were not projected, the most frequent reason first. */
export async function countReasons(store: Store, limit: number): Promise<UnprojectedReason[]> {
  const rows = await store.db
    .selectFrom('event_log')
    .select(({ fn }) => ['outcome', 'reason', fn.countAll().as('count'), fn.max('seq').as('newest_seq')])
    .where(isUnprojected)
    .groupBy(['outcome', 'reason'])
    .orderBy('count', 'desc')
    .orderBy('newest_seq', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ count, ...row }) => ({ ...row, count: Number(count) }));
}

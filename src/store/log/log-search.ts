// The log as operators search it: newest first, without bodies, by what they know about an entry.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Readable } from '#src/store/contract.ts';
import { decodeColumns, decodeRow } from '#src/store/rows.ts';
import { containsText } from '#src/store/sql-dialect.ts';
import { startsWith } from './feed.ts';
import {
  planSearch,
  receivedConditions,
  unprojectedOutcomes,
  type DeliveryFilter,
  type SeqRange,
} from './log-candidates.ts';
import { isUnprojected, isWaiting, lastSeq, type LogEntry } from './read.ts';
import { entriesAt } from './retention.ts';

export interface LogRange {
  /** Strictly beyond this entry; absent: from the end of the log. */
  readonly from?: number | undefined;
  /** Towards the end of the log instead of towards its beginning; never without `from`. */
  readonly newer: boolean;
  readonly limit: number;
  /** Is asked after each part of the log; a search that may not continue ends early. */
  readonly mayContinue?: () => boolean;
}

export interface DeliveryPage {
  /** In the order of the search: newest first, or for `newer` oldest first. */
  readonly lines: readonly DeliveryLine[];
  /** The last offset that was searched, when the search ended early. */
  readonly stoppedAt?: number;
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
  'dismissed_at',
] as const;

export type DeliveryLine = Pick<LogEntry, (typeof columns)[number]>;

/** How many entries are compared per query, so that a search can end early, and others take turns with it: of those that an index names, and of all. */
const mostCandidates = 1_000;
const scannedAtOnce = 5_000;
/** Bodies take longer to compare. */
const textsAtOnce = 500;

export async function readDeliveries(
  store: Readable,
  filter: DeliveryFilter,
  { from, newer, limit, mayContinue = () => true }: LogRange,
): Promise<DeliveryPage> {
  const bounds = { low: newer ? (from ?? 0) + 1 : 1, high: newer || from === undefined ? maxSeq : from - 1 };
  const { candidates, ...plan } = await planSearch(store, filter, bounds);
  const lines: DeliveryLine[] = [];
  const [stride, most] = filter.text === undefined ? [scannedAtOnce, mostCandidates] : [textsAtOnce, textsAtOnce];
  let { low, high } = plan;
  for (let size = limit; low <= high && lines.length < limit; size = Math.min(size * 4, most)) {
    const seqs = await candidates?.({ low, high, newer, limit: size });
    const end = seqs ? seqs[size - 1] : newer ? low + stride - 1 : high - stride + 1;
    const part = newer ? { low, high: Math.min(high, end ?? high) } : { low: Math.max(low, end ?? low), high };
    lines.push(...(await readPart(store, filter, { ...part, seqs, newer, limit: limit - lines.length })));
    if (newer) low = part.high + 1;
    else high = part.low - 1;
    if (low > high || lines.length >= limit) break;
    // The first parts of an index are short: a busy machine must not end a search that has hardly begun.
    const isLong = seqs === undefined || size >= most;
    if (isLong && !mayContinue()) return { lines, stoppedAt: newer ? part.high : part.low };
  }
  return { lines };
}

const maxSeq = Number.MAX_SAFE_INTEGER;

interface Part extends SeqRange {
  readonly seqs: readonly number[] | undefined;
  readonly newer: boolean;
  readonly limit: number;
}

async function readPart(store: Readable, filter: DeliveryFilter, part: Part): Promise<DeliveryLine[]> {
  const { low, high, seqs, newer, limit } = part;
  if (seqs?.length === 0) return [];
  const all = store.db.selectFrom('event_log').select(columns);
  const within = seqs ? all.where('seq', 'in', seqs) : all.where('seq', '>=', low).where('seq', '<=', high);
  const rows = await conditionsOf(store, filter)
    .reduce((query, condition) => query.where(condition), within)
    .orderBy('seq', newer ? 'asc' : 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => decodeColumns(store.engine, { table: 'event_log', columns }, row));
}

/** Everything that one entry can be compared with. The address is not: `planSearch` finds its subjects. */
function conditionsOf({ engine: { dialect } }: Readable, filter: DeliveryFilter): readonly RawBuilder<SqlBool>[] {
  const { event, outcome, source, subjectUri, reason, text } = filter;
  const conditions: RawBuilder<SqlBool>[] = [];
  const equal = { outcome, source, subject_uri: subjectUri, reason, event: event?.endsWith('*') ? undefined : event };
  for (const [column, value] of Object.entries(equal))
    if (value !== undefined) conditions.push(sql`${sql.ref(column)} = ${value}`);
  if (event?.endsWith('*')) conditions.push(startsWith(sql`${event.slice(0, -1)}`));
  if (filter.unprojected || filter.dismissed) conditions.push(isUnprojected);
  if (filter.dismissed) conditions.push(sql`dismissed_at is not null`);
  else if (unprojectedOutcomes(filter)) conditions.push(isWaiting);
  if (filter.hasBody) conditions.push(sql`body is not null`);
  conditions.push(...receivedConditions(dialect, filter));
  if (text !== undefined) {
    const searched = ['body', 'reason', 'subject_uri'].map((column) => containsText(dialect, column, text));
    conditions.push(sql`(${sql.join(searched, sql` or `)})`);
  }
  return conditions;
}

const entriesPerBatch = 200;

/** Whole entries in the order of the log, in batches, up to its present end. A search that may not continue ends early. */
export async function* entriesMatching(
  store: Readable,
  filter: DeliveryFilter,
  mayContinue?: () => boolean,
): AsyncGenerator<readonly LogEntry[]> {
  const bounded = { ...filter, maxSeq: Math.min(filter.maxSeq ?? maxSeq, await lastSeq(store)) };
  const range = { newer: true, limit: entriesPerBatch, ...(mayContinue && { mayContinue }) };
  for (let from: number | undefined = 0; from !== undefined;) {
    const found: DeliveryPage = await readDeliveries(store, bounded, { ...range, from });
    const entries = await entriesAt(
      store,
      found.lines.map(({ seq }) => seq),
    );
    if (entries.length > 0) yield entries;
    from = found.lines.length < entriesPerBatch ? undefined : found.lines.at(-1)?.seq;
  }
}

export interface MatchCount {
  readonly count: number;
  readonly byOutcome: Readonly<Record<string, number>>;
  /** False when the search ended early: there may be more. */
  readonly isComplete: boolean;
}

/** How many entries match, by outcome; no more than one beyond `most` are counted. */
export async function countDeliveries(
  store: Readable,
  filter: DeliveryFilter,
  { most, mayContinue }: { readonly most: number; readonly mayContinue: () => boolean },
): Promise<MatchCount> {
  const byOutcome: Record<string, number> = {};
  let count = 0;
  for (let from: number | undefined; ;) {
    const found: DeliveryPage = await readDeliveries(store, filter, {
      from,
      newer: false,
      limit: Math.min(countedAtOnce, most + 1 - count),
      mayContinue,
    });
    for (const { outcome } of found.lines) byOutcome[outcome] = (byOutcome[outcome] ?? 0) + 1;
    count += found.lines.length;
    from = found.lines.at(-1)?.seq;
    if (count > most) return { count, byOutcome, isComplete: false };
    const isEnd = found.stoppedAt === undefined && found.lines.length < countedAtOnce;
    if (isEnd || found.stoppedAt !== undefined || !mayContinue()) return { count, byOutcome, isComplete: isEnd };
  }
}

const countedAtOnce = 1_000;

/** When the entry at an offset, or the one before it, was received. */
export async function receivedAt({ db, engine }: Readable, seq: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('event_log')
    .select('received_at')
    .where('seq', '<=', seq)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && decodeColumns(engine, { table: 'event_log', columns: ['received_at'] }, row).received_at;
}

/** By its identity, or by its offset. */
export async function readDelivery(
  store: Readable,
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

/** PostgreSQL counts in text. */
type CountedReason = Omit<UnprojectedReason, 'count'> & { readonly count: number | string };

/** Why entries were not projected, the most frequent reason first; `newest` limits the entries of each outcome that are counted. */
export async function countReasons(
  { db }: Readable,
  { limit, newest = maxSeq }: { readonly limit: number; readonly newest?: number | undefined },
): Promise<UnprojectedReason[]> {
  const parts = ['quarantined', 'unhandled'].map(
    (outcome) => sql`select * from (select outcome, reason, seq from ${sql.table('event_log')}
      where outcome = ${outcome} and ${isUnprojected} and ${isWaiting} order by seq desc limit ${newest}) as part`,
  );
  const { rows } = await sql<CountedReason>`select outcome, reason, count(*) as count, max(seq) as newest_seq
    from (${sql.join(parts, sql` union all `)}) as counted
    group by outcome, reason order by count(*) desc, max(seq) desc limit ${limit}`.execute(db);
  return rows.map(({ count, ...row }) => ({ ...row, count: Number(count) }));
}

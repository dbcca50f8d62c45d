// Reads the event log: every delivery and every record that was read, once each, in the order in which they were committed.
import { sql, type SqlBool } from 'kysely';
import type { Readable, Store, Unit } from '#src/store/contract.ts';
import { runPrepared } from '#src/store/prepared-sql.ts';
import { decodeRow } from '#src/store/rows.ts';
import { columnsOf, type TableRow } from '#src/store/schema/tables.ts';

export type Outcome = 'applied' | 'unchanged' | 'superseded' | 'tombstoned' | 'quarantined' | 'unhandled';
export type LogEntry = TableRow<'event_log'>;
export type NewEntry = Omit<LogEntry, 'seq'>;

/**
 * Entries that were stored without being projected: quarantined, or of a kind that this version does not know. Literally the
 * condition of the index that finds them: SQLite uses a partial index for no other spelling.
 */
export const isUnprojected = sql<SqlBool>`outcome in ('quarantined', 'unhandled')`;

/** Of those, the ones that no operator has dismissed. */
export const isWaiting = sql<SqlBool>`dismissed_at is null`;

/** Entries about these subjects that have a body, redacted for another person or not; without those made by operators. */
export async function entriesAbout(unit: Unit, uris: readonly string[]): Promise<LogEntry[]> {
  if (uris.length === 0) return [];
  const rows = await unit.db
    .selectFrom('event_log')
    .selectAll()
    .where('subject_uri', 'in', uris)
    .where('body', 'is not', null)
    .where('source', '<>', 'operator')
    .execute();
  return rows.map((row) => decodeRow(unit.engine, 'event_log', row));
}

/** Entries without a known subject whose body contains this URI. */
export async function unparsedNaming(unit: Unit, uri: string): Promise<LogEntry[]> {
  const rows = await unit.db
    .selectFrom('event_log')
    .selectAll()
    .where(isUnprojected)
    .where('subject_uri', 'is', null)
    .where('body', 'like', `%${uri}%`)
    .where('redacted', '=', unit.engine.encode('flag', false))
    .execute();
  // `_` and `%` in a URI match more than themselves.
  return rows.map((row) => decodeRow(unit.engine, 'event_log', row)).filter(({ body }) => body?.includes(uri));
}

export async function deletedContacts(unit: Unit, uris: readonly string[]): Promise<string[]> {
  if (uris.length === 0) return [];
  const rows = await unit.db
    .selectFrom('contacts')
    .select('uri')
    .where('uri', 'in', uris)
    .where('deleted_at', 'is not', null)
    .execute();
  return rows.map(({ uri }) => uri);
}

/** How many entries wait in quarantine or for a version that knows their kind, without those that were pruned, erased or dismissed. */
export async function countUnprojected(
  from: Store | Unit,
  outcome: 'quarantined' | 'unhandled',
  since?: string,
): Promise<number> {
  const count = from.db.selectFrom('event_log').select(({ fn }) => fn.countAll<number>().as('count'));
  const waiting = count
    .where(isUnprojected)
    .where('outcome', '=', outcome)
    .where('body', 'is not', null)
    .where(isWaiting);
  const counted = since === undefined ? waiting : waiting.where('received_at', '>=', since);
  const row = await counted.executeTakeFirst();
  return row?.count ?? 0;
}

const foldedColumns = columnsOf('event_log', 'seq source occurred_at outcome body encoding tie');
/** An entry as a rebuild reads it: what its fact follows from. */
export type FoldedEntry = Pick<LogEntry, (typeof foldedColumns)[number]>;

export function entriesToFold(
  unit: Unit,
  { after, upTo, limit }: { readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<readonly FoldedEntry[]> {
  return runPrepared(unit, {
    id: 'entries to fold',
    values: { after, upTo, limit },
    build: (given) =>
      unit.db
        .selectFrom('event_log')
        .select(foldedColumns)
        .where('seq', '>', given.after)
        .where('seq', '<=', given.upTo)
        .orderBy('seq')
        .limit(given.limit),
  });
}

/** An entry as a search reads it: its content is text, as it is stored. */
export interface EntryText {
  readonly seq: number;
  readonly subject_uri: string | null;
  readonly encoding: string | null;
  readonly body: string;
  readonly changes: string;
}

/** Up to `limit` entries after an offset, in order. Entries made by operators have no body to search. */
export async function entryTexts(
  { db }: Store | Unit,
  { after, upTo, limit }: { readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<EntryText[]> {
  const range = db.selectFrom('event_log').where('seq', '>', after).where('seq', '<=', upTo);
  const rows = await range
    .select(['seq', 'subject_uri', 'encoding'])
    .select([
      sql<string>`case source when 'operator' then '' else coalesce(body, event, '') end`.as('body'),
      sql<string>`coalesce(cast(changes as text), '')`.as('changes'),
    ])
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows;
}

/** When these entries were received: with the number it says which entry it is. Those that are not in the log are left out. */
export async function receiptTimes(
  { db }: Store | Unit,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (seqs.length === 0) return new Map();
  const rows = await db.selectFrom('event_log').select(['seq', 'received_at']).where('seq', 'in', seqs).execute();
  return new Map(rows.map(({ seq, received_at }) => [seq, received_at]));
}

/** The newest entry up to an offset; undefined where there is none. */
export async function newestUpTo(
  { db }: Store | Unit,
  upTo: number,
): Promise<{ readonly seq: number; readonly receivedAt: string } | undefined> {
  const newest = db.selectFrom('event_log').select(['seq', 'received_at as receivedAt']).where('seq', '<=', upTo);
  return newest.orderBy('seq', 'desc').limit(1).executeTakeFirst();
}

/** The last offset of the log; 0 when it is empty. */
export async function lastSeq(from: Readable): Promise<number> {
  const [row] = await runPrepared(from, {
    id: 'last seq',
    values: {},
    build: () => from.db.selectFrom('event_log').select(({ fn }) => fn.max('seq').as('seq')),
  });
  return row?.seq ?? 0;
}

/** The `delivery_id` of the last entry; undefined when the log is empty. */
export async function newestEntry(from: Store | Unit): Promise<string | undefined> {
  const [row] = await runPrepared(from, {
    id: 'newest entry',
    values: {},
    build: () => from.db.selectFrom('event_log').select('delivery_id').orderBy('seq', 'desc').limit(1),
  });
  return row?.delivery_id;
}

/** When the last of the entries was received that came before this time; undefined when there is none. */
export async function lastReceivedBefore({ db }: Store | Unit, time: string): Promise<string | undefined> {
  const earlier = db.selectFrom('event_log').select('received_at').where('received_at', '<', time);
  return (await earlier.orderBy('received_at', 'desc').limit(1).executeTakeFirst())?.received_at;
}

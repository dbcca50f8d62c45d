// The event log: every delivery and every content read once, in the order in which it became visible. Every function here that writes expects
// its caller to hold the log (`engine.lockLog`) to the end of the transaction.
import { sql, type SqlBool } from 'kysely';
import type { Store, Unit } from '#src/store/contract.ts';
import { decodeRow, insertRows, readColumns } from '#src/store/rows.ts';
import { chunks, runPrepared } from '#src/store/prepared-sql.ts';
import { columnsOf, type TableRow } from '#src/store/tables.ts';

export type Outcome = 'applied' | 'unchanged' | 'superseded' | 'tombstoned' | 'quarantined' | 'unhandled';
export type LogEntry = TableRow<'event_log'>;
export type NewEntry = Omit<LogEntry, 'seq'>;

// To the letter the condition of the index that finds them: SQLite uses a partial index for no other spelling.
export const isKept = sql<SqlBool>`outcome in ('quarantined', 'unhandled')`;

/** The permanent ledger: which of these deliveries are in the log already. */
export async function knownDeliveries(unit: Unit, ids: readonly string[]): Promise<Set<string>> {
  const rows = await readColumns(unit, 'event_log', { columns: ['delivery_id'], key: 'delivery_id', values: ids });
  return new Set(rows.map((row) => row.delivery_id));
}

const knownColumns = columnsOf('event_log', 'delivery_id seq occurred_at outcome redacted');
export type KnownEntry = Pick<LogEntry, (typeof knownColumns)[number]>;

/** Those of these entries that are in the log already, by their identity. */
export async function knownEntries(unit: Unit, ids: readonly string[]): Promise<Map<string, KnownEntry>> {
  const rows = await readColumns(unit, 'event_log', { columns: knownColumns, key: 'delivery_id', values: ids });
  return new Map(rows.map((entry) => [entry.delivery_id, entry]));
}

/** The same content was observed at another time: an entry keeps the latest time, or of a deleted record the earliest. */
export async function observeAgain(
  unit: Unit,
  ids: readonly string[],
  { at, keep }: { readonly at: string; readonly keep: 'latest' | 'earliest' },
): Promise<void> {
  for (const chunk of chunks(ids))
    await runPrepared(unit, {
      id: `observe ${keep}`,
      values: { at, ids: chunk },
      build: (parameters) =>
        unit.db
          .updateTable('event_log')
          .set({ occurred_at: parameters.at })
          .where('delivery_id', 'in', parameters.ids)
          .where('occurred_at', keep === 'latest' ? '<' : '>', parameters.at),
    });
}

export function appendEntries(unit: Unit, entries: readonly NewEntry[]): Promise<void> {
  return insertRows(unit, 'event_log', entries, ['seq']);
}

/** Copies of deliveries already in the log, counted where the first one stands. */
export async function countDuplicates(unit: Unit, copies: ReadonlyMap<string, number>): Promise<void> {
  const byCount = Map.groupBy(copies.entries(), ([, count]) => count);
  for (const [count, found] of byCount) {
    await unit.db
      .updateTable('event_log')
      .set({ duplicates: sql<number>`duplicates + ${count}` })
      .where(
        'delivery_id',
        'in',
        found.map(([id]) => id),
      )
      .execute();
  }
}

/** Entries about these subjects that still hold a body, also where somebody else was taken out of it; not what an operator said. */
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

/** Entries that could not be read so far as to say whom they are about, but that name this URI. */
export async function unreadableNaming(unit: Unit, uri: string): Promise<LogEntry[]> {
  const rows = await unit.db
    .selectFrom('event_log')
    .selectAll()
    .where(isKept)
    .where('subject_uri', 'is', null)
    .where('body', 'like', `%${uri}%`)
    .where('redacted', '=', unit.engine.encode('flag', false))
    .execute();
  // `_` and `%` in a URI match more than themselves.
  return rows.map((row) => decodeRow(unit.engine, 'event_log', row)).filter(({ body }) => body?.includes(uri));
}

/** Which of these contacts are deleted. */
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

/** Replaces an entry's body by a stub or by nothing, and with it everything the entry says about a person. */
export async function redactEntry(unit: Unit, seq: number, stub: string | null): Promise<void> {
  await unit.db
    .updateTable('event_log')
    .set({ body: stub, encoding: null, changes: null, redacted: unit.engine.encode('flag', true) })
    .where('seq', '=', seq)
    .execute();
}

/** Gives an entry that is not what it was a new place at the end, so that no reader of the feed misses it. */
export async function moveEntry(unit: Unit, { seq }: Pick<LogEntry, 'seq'>, entry: NewEntry): Promise<void> {
  const removed = await unit.db
    .deleteFrom('event_log')
    .where('seq', '=', seq)
    .returning('duplicates')
    .executeTakeFirst();
  // Gone: somebody else moved it meanwhile. Copies counted meanwhile come along.
  if (removed) await appendEntries(unit, [{ ...entry, duplicates: removed.duplicates }]);
}

/** What waits in quarantine, or for a version that knows its kind; not what was pruned or erased there, which nothing can help any more. */
export async function countKept(
  from: Store | Unit,
  outcome: 'quarantined' | 'unhandled',
  since?: string,
): Promise<number> {
  const count = from.db.selectFrom('event_log').select(({ fn }) => fn.countAll<number>().as('count'));
  const waiting = count.where(isKept).where('outcome', '=', outcome).where('body', 'is not', null);
  const asked = since === undefined ? waiting : waiting.where('received_at', '>=', since);
  const row = await asked.executeTakeFirst();
  return row?.count ?? 0;
}

export interface EntryFilter {
  readonly subjectUri?: string;
  readonly deliveryId?: string;
  /** Only what is kept without being projected, and still has its content: quarantined, or of an unknown kind. */
  readonly kept?: true;
  /** Inclusive upper bound of `seq`. */
  readonly upTo?: number;
}

/** Up to `limit` entries after a place in the log, in order. */
export async function readEntries(
  from: Store | Unit,
  filter: EntryFilter,
  { after = 0, limit }: { after?: number; limit: number },
): Promise<LogEntry[]> {
  let query = from.db.selectFrom('event_log').selectAll().where('seq', '>', after).orderBy('seq').limit(limit);
  if (filter.subjectUri !== undefined) query = query.where('subject_uri', '=', filter.subjectUri);
  if (filter.deliveryId !== undefined) query = query.where('delivery_id', '=', filter.deliveryId);
  if (filter.kept) query = query.where(isKept).where('body', 'is not', null);
  if (filter.upTo !== undefined) query = query.where('seq', '<=', filter.upTo);
  return (await query.execute()).map((row) => decodeRow(from.engine, 'event_log', row));
}

/** An entry as it is searched through: what it holds is text, as it is stored. */
export interface EntryText {
  readonly seq: number;
  readonly subject_uri: string | null;
  readonly encoding: string | null;
  readonly body: string;
  readonly changes: string;
}

/** Up to `limit` entries after a place in the log, in order; of those that operators made there is nothing to search. */
export async function entryTexts(
  { db }: Store | Unit,
  { after, upTo, limit }: { readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<EntryText[]> {
  const stretch = db.selectFrom('event_log').where('seq', '>', after).where('seq', '<=', upTo);
  const rows = await stretch
    .select(['seq', 'subject_uri', 'encoding'])
    .select([
      sql<string>`case source when 'operator' then '' else coalesce(body, '') end`.as('body'),
      sql<string>`coalesce(cast(changes as text), '')`.as('changes'),
    ])
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows;
}

/** The last place in the log; 0 when it is empty. */
export async function lastSeq(from: Store | Unit): Promise<number> {
  const row = await from.db
    .selectFrom('event_log')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .executeTakeFirst();
  return row?.seq ?? 0;
}

// Keeps `contact_search` equal to the contacts. It follows the log with an offset of its own, so that no writer waits for the search.
//
//   absent ──first search──▶ filling, in the order of the URIs ──all copied──▶ following the log
//     ▲                         ▲                                                 │
//     │ it is switched off      └──────── a rebuild has changed contacts ─────────┘
//
// An entry commits with the row it describes, so a row that was read after its entry is at least as new. Searches read the contacts
// of the entries after the offset from the contacts themselves (`contact-page.ts`). Redacted contacts leave in the transaction that redacts them.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { z } from 'zod';
import type { Store, Unit } from '#src/store/contract.ts';
import { changeValue, keyValue, readValue, removeValues, writeValue } from '#src/store/key-value.ts';
import { lockKey } from '#src/store/locks.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { deleteRows } from '#src/store/rows.ts';
import { columnsOf } from '#src/store/tables.ts';

/** `offset`: the last log entry whose contact was copied. `filled`: while filling, the URI of the last contact that was copied. */
export const searchState = keyValue('contact search', z.object({ offset: z.number(), filled: z.string().nullable() }));

export interface CatchUpOptions {
  /** Contacts per transaction: the driver of SQLite blocks the whole process meanwhile. */
  readonly atOnce?: number;
  /** Ends the work after the current transaction. */
  readonly signal?: AbortSignal;
  /** Asked before each transaction; false ends the work. */
  readonly hasRoom?: () => Promise<boolean>;
}

const usuallyAtOnce = { sqlite: 100, postgres: 500 } as const;
/** Log entries read per contact: many may be about the same few contacts. */
const entriesPerContact = 4;

/** How far the table has come, as a search needs to know it. */
export interface SearchProgress {
  readonly offset: number;
  /** The subjects of the log entries since: the rows of contacts among them may be outdated. */
  readonly newer: readonly string[];
}

/** Undefined where the table cannot be used: it is not filled, or more than `most` entries behind. */
export async function searchProgress(store: Store, most: number): Promise<SearchProgress | undefined> {
  const state = await readValue(store, searchState);
  if (state === undefined || state.filled !== null) return undefined;
  const { offset } = state;
  const end = await lastSeq(store);
  if (end - offset > most) return undefined;
  if (end <= offset) return { offset, newer: [] };
  const { rows } = await sql<{ uri: string }>`select distinct subject_uri as uri from event_log
    where seq > ${offset} and seq <= ${end} and subject_uri is not null`.execute(store.db);
  return { offset, newer: rows.map(({ uri }) => uri) };
}

/** Begins to fill the table, unless that was done before. Without it the table stays empty, and searches scan the contacts. */
export async function useContactSearch(store: Store): Promise<void> {
  // Read before the first contact is: what commits meanwhile is then copied twice, and never missed.
  const offset = await lastSeq(store);
  await changeValue(store, searchState, (before) => ({
    result: undefined,
    ...(before === undefined && { after: { offset, filled: '' } }),
  }));
}

/** Brings the table up to date. Returns its offset; undefined where the search is not in use, or the work ended early. */
export async function catchUpContactSearch(
  store: Store,
  { atOnce = usuallyAtOnce[store.engine.name], signal, hasRoom = async () => true }: CatchUpOptions = {},
): Promise<number | undefined> {
  for (;;) {
    // Asked outside of a transaction: mostly there is nothing to do, and no writer should wait for that.
    const state = await readValue(store, searchState);
    if (state === undefined) return undefined;
    const isDone = state.filled === null && state.offset >= (await lastSeq(store));
    if (isDone) return state.offset;
    if (signal?.aborted || !(await hasRoom())) return undefined;
    await store.transaction((unit) => advance(unit, atOnce));
    await yieldToEventLoop();
  }
}

/** Empties the table, a piece at a time. */
export async function clearContactSearch(store: Store, { atOnce = 500, signal }: CatchUpOptions = {}): Promise<void> {
  for (let isFirst = true; !signal?.aborted; isFirst = false) {
    const uris = await firstUris(store, atOnce);
    if (uris.length === 0 && !isFirst) return;
    await store.transaction(async (unit) => {
      await lockSearch(unit);
      await removeValues(unit, [searchState]);
      await deleteRows(unit, 'contact_search', 'uri', uris);
    });
    await yieldToEventLoop();
  }
}

async function firstUris({ db }: Store, limit: number): Promise<readonly string[]> {
  const rows = await db.selectFrom('contact_search').select('uri').limit(limit).execute();
  return rows.map(({ uri }) => uri);
}

/** For transactions that remove personal data: the texts leave the search with them. Rows that stay are copied again by their entries. */
export async function removeFromSearch(unit: Unit, contacts: readonly string[]): Promise<void> {
  if (contacts.length === 0) return;
  // The follower may hold texts that it has read and not yet written.
  await lockSearch(unit);
  await deleteRows(unit, 'contact_search', 'uri', contacts);
}

/** For transactions that change contacts without a log entry: all of them are compared again. */
export async function refillContactSearch(unit: Unit): Promise<void> {
  await lockSearch(unit);
  if ((await readValue(unit, searchState)) === undefined) return;
  await writeValue(unit, searchState, { offset: await lastSeq(unit), filled: '' });
}

/** One transaction at a time changes the table. It is taken last, after rows and the log. */
const lockSearch = (unit: Unit): Promise<void> => lockKey(unit, searchState.key);

async function advance(unit: Unit, atOnce: number): Promise<void> {
  await lockSearch(unit);
  const state = await readValue(unit, searchState);
  if (state === undefined) return;
  const { offset, filled } = state;
  if (filled === null) await writeValue(unit, searchState, { offset: await follow(unit, offset, atOnce), filled });
  else await writeValue(unit, searchState, { offset, filled: await fill(unit, filled, atOnce) });
}

/** Copies the contacts of the next entries. Returns the offset of the last one. */
async function follow(unit: Unit, offset: number, atOnce: number): Promise<number> {
  const { rows } = await sql<{ seq: number; uri: string | null }>`select seq, subject_uri as uri from event_log
    where seq > ${offset} order by seq limit ${entriesPerContact * atOnce}`.execute(unit.db);
  const uris = new Set<string>();
  let reached = offset;
  for (const { seq, uri } of rows) {
    if (uris.size === atOnce) break;
    if (uri !== null) uris.add(uri);
    reached = seq;
  }
  const list = unit.engine.contactIndex.list([...uris]);
  await copyContacts(unit, (uri) => sql`${uri} in (${list})`);
  return reached;
}

/** Copies the next contacts. Returns the URI of the last one; null when all are copied. */
async function fill(unit: Unit, filled: string, atOnce: number): Promise<string | null> {
  const { rows } = await sql<{ uri: string }>`select uri from contacts where uri > ${filled} order by uri
    limit 1 offset ${atOnce - 1}`.execute(unit.db);
  const end = rows[0]?.uri;
  await copyContacts(unit, (uri) =>
    end === undefined ? sql`${uri} > ${filled}` : sql`${uri} > ${filled} and ${uri} <= ${end}`,
  );
  return end ?? null;
}

const copied = columnsOf(
  'contact_search',
  'uri created_at updated_at name job_title company city timezone country state',
);

/** Makes the rows of these contacts equal to them, within the database. URIs of anything else are passed over. */
async function copyContacts(
  { db, engine }: Unit,
  isAmong: (uri: RawBuilder<unknown>) => RawBuilder<SqlBool>,
): Promise<void> {
  const names = sql.join(copied.map((name) => sql.ref(name)));
  const isSame = copied.map((name) =>
    name === 'uri'
      ? sql`copy.uri = contacts.uri`
      : sql`copy.${sql.ref(name)} is not distinct from contacts.${sql.ref(name)}`,
  );
  const replaced = [...copied.slice(1), 'words'].map((name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`);
  await sql`insert into contact_search (${names}, words)
    select ${names}, ${engine.contactIndex.words} from contacts
    where ${isAmong(sql.ref('contacts.uri'))} and deleted_at is null
      and not exists (select 1 from contact_search as copy where ${sql.join(isSame, sql` and `)})
    on conflict (uri) do update set ${sql.join(replaced)}`.execute(db);
  await sql`delete from contact_search where ${isAmong(sql.ref('contact_search.uri'))}
    and not exists (select 1 from contacts where contacts.uri = contact_search.uri and contacts.deleted_at is null)`.execute(
    db,
  );
}

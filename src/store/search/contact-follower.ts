// Keeps `contact_search` equal to the contacts. It follows the log with an offset of its own, so that no writer waits for the search.
//
//   absent ──first search──▶ filling, in the order of the URIs ──all copied──▶ following the log
//     ▲                         ▲                                                 │
//     │ it is switched off      └──────── a rebuild has changed contacts ─────────┘
//
// An entry commits with the row it describes, so a row that was read after its entry is at least as new. Readers compare the contacts
// of the entries after the offset themselves (`newer-contacts.ts`). Redacted contacts leave in the transaction that redacts them.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Store, Unit } from '#src/store/contract.ts';
import { changeValue, keyValue, readValue, removeValues, writeValue } from '#src/store/key-value.ts';
import { lockKey } from '#src/store/locks.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { deleteRows, readColumns, writeRows } from '#src/store/rows.ts';
import { columnsOf, type TableRow } from '#src/store/tables.ts';

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

const usuallyAtOnce = 50;
/** Log entries per transaction: many may be about the same few contacts. */
const entriesAtOnce = 1_000;

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
  { atOnce = usuallyAtOnce, signal, hasRoom = async () => true }: CatchUpOptions = {},
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
    where seq > ${offset} order by seq limit ${entriesAtOnce}`.execute(unit.db);
  const uris = new Set<string>();
  let reached = offset;
  for (const { seq, uri } of rows) {
    if (uris.size === atOnce) break;
    if (uri !== null) uris.add(uri);
    reached = seq;
  }
  await copyContacts(unit, [...uris]);
  return reached;
}

/** Copies the next contacts. Returns the URI of the last one; null when all are copied. */
async function fill(unit: Unit, filled: string, atOnce: number): Promise<string | null> {
  const next = unit.db.selectFrom('contacts').select('uri').where('uri', '>', filled).orderBy('uri').limit(atOnce);
  const uris = (await next.execute()).map(({ uri }) => uri);
  const end = uris.length < atOnce ? undefined : uris.at(-1);
  await copyContacts(unit, uris);
  // Rows of an earlier time whose contacts no longer exist.
  const range = unit.db.selectFrom('contact_search').select('uri').where('uri', '>', filled);
  const held = await (end === undefined ? range : range.where('uri', '<=', end)).execute();
  const known = new Set(uris);
  await deleteRows(
    unit,
    'contact_search',
    'uri',
    held.flatMap(({ uri }) => (known.has(uri) ? [] : [uri])),
  );
  return end ?? null;
}

const copied = columnsOf(
  'contact_search',
  'uri created_at updated_at name job_title company city timezone country state',
);
type SearchRow = Pick<TableRow<'contact_search'>, (typeof copied)[number]>;

/** Makes the rows of these contacts equal to them; URIs of anything else are passed over. */
async function copyContacts(unit: Unit, uris: readonly string[]): Promise<void> {
  const lookup = { key: 'uri' as const, values: uris };
  const contacts = await readColumns(unit, 'contacts', { columns: [...copied, 'deleted_at'], ...lookup });
  const held = new Map(
    (await readColumns(unit, 'contact_search', { columns: copied, ...lookup })).map((row) => [row.uri, row] as const),
  );
  const live = contacts.filter(({ deleted_at: deletedAt }) => deletedAt === null);
  const different = live.filter((contact) => !isSame(contact, held.get(contact.uri)));
  await writeRows(
    unit,
    'contact_search',
    different.map(({ deleted_at: _deletedAt, ...row }) => ({ ...row, words: unit.engine.contactIndex.words(row) })),
  );
  for (const { uri } of live) held.delete(uri);
  await deleteRows(unit, 'contact_search', 'uri', [...held.keys()]);
}

const isSame = (contact: SearchRow, row: SearchRow | undefined): boolean =>
  row !== undefined && copied.every((name) => contact[name] === row[name]);

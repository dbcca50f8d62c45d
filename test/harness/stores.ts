// Fresh stores for tests, on both engines, and what can be seen in them: every row of every table, in a form that compares.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { inject, test } from 'vitest';
import type { ColumnKind, StoredColumns } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import { decodeRow, type StoredRow } from '#src/store/rows.ts';
import { openStore } from '#src/store/open-store.ts';
import { tables, type TableName } from '#src/store/schema/tables.ts';
import { reloadSettings } from '#src/store/settings-row.ts';
import type { StatedSettings } from '#src/store/shared-settings.ts';
import { decodeViewRow } from '#src/store/views/view.ts';
import { viewsFor } from '#src/store/views/views.ts';
import { canonicalJson } from '#schemas/wire.ts';
import type { FoldNeeds } from '#workers/fold/pipeline/fold.ts';
import { ingestParsed, type IngestReport } from '#workers/fold/pipeline/ingest.ts';
import { parseBatch } from '#workers/fold/pipeline/parse.ts';
import { happened } from './moments.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { ingestRecords, type ServiceRecord } from '#workers/sync/records.ts';
import { createDatabase } from './postgres.ts';
import { isLongRun } from './runs.ts';
import { copyPostgres, copySqlite } from './templates.ts';

export interface TestStore extends AsyncDisposable {
  readonly url: string;
  readonly store: Store;
  /** Another store on the same database, as another process would open it; closed with this one. */
  openAnother(): Promise<Store>;
}

export const receivedAt = '2025-04-14T12:00:00.000000Z';
export const tableNames = Object.keys(tables) as TableName[];

/** An empty database: the first store that opens it migrates it. */
export interface Blank extends AsyncDisposable {
  readonly url: string;
}

export async function blankSqlite(): Promise<Blank> {
  const dir = await mkdtemp(join(tmpdir(), 'slotstream-store-'));
  return { url: `sqlite:${join(dir, 'mirror.db')}`, [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) };
}

/** The database is removed with its server. */
export async function blankPostgres(): Promise<Blank> {
  return { url: await createDatabase(inject('postgresUrl')), [Symbol.asyncDispose]: async () => {} };
}

export async function freshSqlite(stated: StatedSettings = {}): Promise<TestStore> {
  const blank = await blankSqlite();
  await copySqlite(blank.url.slice('sqlite:'.length));
  return opened(blank, stated);
}

export const freshPostgres = async (stated: StatedSettings = {}): Promise<TestStore> =>
  opened({ url: await copyPostgres(), [Symbol.asyncDispose]: async () => {} }, stated);

/** For many short runs: nothing is synced to disk. */
export const freshMemory = (stated: StatedSettings = {}): Promise<TestStore> =>
  opened({ url: 'sqlite::memory:', [Symbol.asyncDispose]: async () => {} }, stated);

async function opened(blank: Blank, stated: StatedSettings = {}): Promise<TestStore> {
  await using stack = new AsyncDisposableStack();
  stack.use(blank);
  const { url } = blank;
  const open = async () => withMoments(await openStore({ report: () => {}, stated }, url));
  const store = stack.use(await open());
  // A copy has the id of its template.
  await newMirror().execute(store.db);
  await reloadSettings(store, store.settings);
  const kept = stack.move();
  const openAnother = async () => kept.use(await open());
  return { url, store, openAnother, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Each commit is a moment at which tests that wait look again. */
const withMoments = (store: Store): Store => ({
  ...store,
  transaction: (work) => store.transaction(work).finally(happened),
});

/** What every suite over both engines iterates; `available` is for `describe.runIf`. */
export const storeEngines = [
  { name: 'sqlite', available: true, fresh: freshSqlite, blank: blankSqlite },
  { name: 'postgres', available: Boolean(inject('postgresUrl')), fresh: freshPostgres, blank: blankPostgres },
] as const;

/** For what the engines do differently, such as several writers at once. */
export const availableEngines = storeEngines.filter(({ available }) => available);

/**
 * For what reads and writes through functions that other suites try on both engines, such as pages (pages.engines.test.ts) and the
 * operations behind them (reads.engines.test.ts). A long run tries both here too.
 */
export const oneEngine = isLongRun
  ? availableEngines
  : ([{ name: 'sqlite', available: true, fresh: freshSqlite, blank: blankSqlite }] as const);

/** Tests that each get a store of their own: `opened`, and its `store`. */
export const testWith = (fresh: () => Promise<TestStore>) =>
  test
    .extend('opened', async ({ task: _task }, { onCleanup }) => {
      const opened = await fresh();
      onCleanup(() => opened[Symbol.asyncDispose]());
      return opened;
    })
    .extend('store', ({ opened }) => opened.store);

/** Ingests one batch, as a queue job holds it, in a transaction of its own. */
export function ingest(needs: FoldNeeds, batch: unknown, now: string): Promise<IngestReport> {
  return ingestParsed(needs, parseBatch(batch, now));
}

export function ingestBodies(store: Store, bodies: readonly string[], eraseOnDelete = true): Promise<IngestReport> {
  const deliveries = bodies.map((body) => ({ body, receivedAt }));
  return ingest({ store, screen: privacyScreen({ eraseOnDelete }) }, { v: 1, deliveries }, receivedAt);
}

/** Takes in records as a backfill reads them. */
export const ingestRead = (store: Store, records: readonly ServiceRecord[], now = receivedAt) =>
  ingestRecords({ store, screen: privacyScreen({ eraseOnDelete: true }) }, records, { source: 'backfill', now });

/** The views of lists: what they show is mirrored like the rows of tables. */
export const listNames = ['contact_custom_fields', 'invitee_answers', 'routing_form_answers'] as const;
type ListName = (typeof listNames)[number];
export type MirroredName = TableName | ListName;

export const isList = (name: string): name is ListName => listNames.some((list) => list === name);

const lists = new Map(viewsFor([]).map((view) => [view.name, view]));
function listOf(name: ListName) {
  const list = lists.get(name);
  if (list === undefined) throw new Error(`No view ${name}.`);
  return list;
}

export const keyColumnsOf = (name: MirroredName): readonly string[] =>
  isList(name) ? listOf(name).key : tables[name].key;

export const columnKindsOf = (name: MirroredName): Readonly<Record<string, ColumnKind>> =>
  isList(name)
    ? Object.fromEntries(Object.entries(listOf(name).columns).map(([column, { kind }]) => [column, kind]))
    : tables[name].columns;

export async function rowsOf({ db, engine }: Store, name: MirroredName): Promise<StoredRow[]> {
  if (!isList(name)) {
    const rows = await db.selectFrom(name).selectAll().execute();
    return rows.map((row) => decodeRow(engine, name, row));
  }
  const { columns } = listOf(name);
  const { rows } = await sql<StoredColumns>`select * from ${sql.table(name)}`.execute(db);
  return rows.map((row) => decodeViewRow(engine, columns, row));
}

/** As `rowsOf`, as copies of the table have it: without the meetings of which nothing is known but the name. */
export async function describedRowsOf(store: Store, name: MirroredName): Promise<StoredRow[]> {
  const rows = await rowsOf(store, name);
  return name === 'scheduled_events' ? rows.filter(({ version }) => version !== null) : rows;
}

export type Contents = Partial<Record<MirroredName, StoredRow[]>>;

/** The log; the columns of a view, which get their names in the order in which the fields arrive; the zones that any row had. */
const notProjected = new Set<TableName>(['event_log', 'mirror_settings', 'contacts_wide_columns', 'time_zones']);

/** Every projected row of every table and every list: what may not depend on arrival. */
export async function projectedRows(store: Store): Promise<Contents> {
  const contents: Contents = {};
  for (const table of tableNames) if (!notProjected.has(table)) contents[table] = await rowsOf(store, table);
  for (const list of listNames) contents[list] = await rowsOf(store, list);
  contents.key_values = contents.key_values?.filter(({ key }) => key !== 'time_zones') ?? [];
  return comparable(contents);
}

/** Rows in the order of their keys, empty tables left out, keys of JSON values sorted: equal contents are equal values. */
export function comparable(contents: Contents): Contents {
  const sorted: Contents = {};
  for (const [table, rows] of Object.entries(contents) as [MirroredName, StoredRow[]][]) {
    if (rows.length === 0) continue;
    const keyOf = (row: StoredRow) => JSON.stringify(keyColumnsOf(table).map((column) => row[column]));
    const texts = rows.map((row) => [keyOf(row), canonicalJson(row)] as const).toSorted(([a], [b]) => (a < b ? -1 : 1));
    sorted[table] = texts.map(([, text]) => JSON.parse(text) as StoredRow);
  }
  return sorted;
}

const rowExists = tableNames.map((table) => `select '${table}' as name where exists (select 1 from ${table})`);

export async function filledTables(store: Store): Promise<ReadonlySet<TableName>> {
  const { rows } = await sql.raw<{ name: TableName }>(rowExists.join(' union all ')).execute(store.db);
  return new Set(rows.map(({ name }) => name));
}

/** The answer to a statement of a session that searches the schema of the mirror. */
export function asReader<Row = Readonly<Record<string, unknown>>>(
  { db, engine }: Store,
  text: string,
): Promise<readonly Row[]> {
  return db.transaction().execute(async (trx) => {
    if (engine.name === 'postgres') await sql`select set_config('search_path', ${engine.schema}, true)`.execute(trx);
    return (await engine.run<Row>(trx, { sql: text, parameters: [] })).rows;
  });
}

/** A store that is open knows which zones it holds: nothing deletes them. An empty mirror is another one. */
const emptied = tableNames.filter((table) => table !== 'time_zones' && table !== 'mirror_settings');
const newMirror = () => sql`update ${sql.table('mirror_settings')}
  set id = ${randomUUID()}, origin = null, organization = null, owner = null, settled_at = null, revision = revision + 1`;

/** Deletes rather than truncates: that is faster for the few rows of a test. */
export async function emptyTables(store: Store): Promise<void> {
  if (store.engine.name === 'postgres') {
    await sql.raw(emptied.map((table) => `delete from ${store.engine.schema}.${table}`).join(';')).execute(store.db);
    await newMirror().execute(store.db);
    await reloadSettings(store, store.settings);
    return;
  }
  const filled = await filledTables(store);
  await store.db.transaction().execute(async (db) => {
    for (const table of emptied) if (filled.has(table)) await db.deleteFrom(table).execute();
    await newMirror().execute(db);
  });
  await reloadSettings(store, store.settings);
}

/** When a thorough scrub is due for the contacts that are redacted by now. */
export const aDayLater = () => Date.now() + 25 * 3_600_000;

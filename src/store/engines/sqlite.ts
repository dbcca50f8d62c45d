// The SQLite engine: one file, one writer at a time, everything in the write-ahead log.
import { once } from 'node:events';
import { accessSync, chmodSync, constants, existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { CompiledQuery, Kysely, SqliteAdapter, SqliteDialect } from 'kysely';
import { z } from 'zod';
import { diskError } from '#src/base/disk-failure.ts';
import { makeFolder } from '#src/base/durable-file.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { codecOf } from '#src/store/columns.ts';
import type { StoreEngine } from '#src/store/contract.ts';
import { insertValues } from '#src/store/insert-rows.ts';
import { isMigrated, migrate } from '#src/store/migrations.ts';
import { sqliteTypes } from '#src/store/migrations/storage-types.ts';
import { ownNames, refuseForeignTables } from './foreign-tables.ts';
import { sqliteContactSearch } from './sqlite-contact-search.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { watchFile } from './sqlite-file.ts';
import { sqliteShadow } from './sqlite-shadow.ts';
import { sqliteViews } from './sqlite-view-installer.ts';
import { inPages } from './row-pages.ts';
import { cachedStatements } from './statement-cache.ts';
import type { Database } from '#src/store/schema/tables.ts';

// better-sqlite3 blocks the event loop while it waits for another process: it waits briefly, and `open-store.ts` retries.
const busyTimeoutMs = 100;

/** SQLite creates tables within transactions. With this flag Kysely migrates atomically, one process at a time. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class Dialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new Adapter();
  }
}

export const openSqlite = (path: string): StoreEngine => sqliteEngine(openFile(path), path);

/** On a connection that may only read, too. */
export function sqliteEngine(database: Sqlite.Database, path: string): StoreEngine {
  const requireFile = database.memory ? () => {} : watchFile(path);
  const db = new Kysely<Database>({ dialect: new Dialect({ database: withPreparedStatements(database) }) });
  return {
    name: 'sqlite',
    db,
    dialect: sqliteDialect,
    views: sqliteViews,
    contactSearch: sqliteContactSearch,
    insert: insertValues,
    run: (on, { sql: text, parameters }) => on.executeQuery(CompiledQuery.raw(text, [...parameters])),
    pipelines: () => false,
    takesLists: false,
    // They are set whenever a file is opened.
    unsafeSettings: async () => [],
    connections: async () => undefined,
    schema: 'main',
    ...sqliteShadow(database),
    ...codec,
    // `begin immediate` makes a transaction the only writer: there is nothing else to lock.
    manyWriters: false,
    lockTables: async () => {},
    lock: async () => {},
    isPooled: () => false,
    limitSilence: () => {},
    keepPlans: async () => {},
    begin: async () => {
      requireFile();
      return { [Symbol.dispose]: () => {} };
    },
    hasMirror: () => isMigrated(db),
    async migrate() {
      if (await isMigrated(db)) return;
      // Another program may have a table of migrations under the same name.
      requireOwnTables(database, path);
      await migrate(db, sqliteTypes);
    },
    noteRedaction: async (trx) => {
      if (Number(database.pragma('user_version', { simple: true })) <= 0)
        await trx.executeQuery(CompiledQuery.raw(`pragma user_version = ${hoursOf(Date.now())}`));
    },
    scrub: async (nowMs) => {
      if (!emptyJournal(database))
        throw new SlotstreamError('store_unavailable', 'A reader holds the write-ahead log.');
      const since = Math.abs(Number(database.pragma('user_version', { simple: true })));
      if (since === 0 || hoursOf(nowMs) - since < rewriteAfterHours || database.memory) return;
      await rewrite(path);
    },
    async *stream({ sql: text, parameters }) {
      // A connection that reads rows one by one can do nothing else; a database in memory has only one connection.
      using reader = database.memory ? undefined : openReader(path);
      const statement = (reader?.database ?? database).prepare<unknown[], unknown[]>(text).raw(true);
      yield* inPages(reader ? statement.iterate(...parameters) : statement.all(...parameters));
    },
    ping: async () => {
      requireFile();
      database.prepare('select 1').get();
    },
    // A file has the clock of the machine.
    clockAheadMs: async () => 0,
    close: async () => {
      await db.destroy();
      if (database.open) database.close();
    },
  };
}

function requireOwnTables(database: Sqlite.Database, path: string): void {
  const all = database
    .prepare<[], string>("select name from sqlite_master where type in ('table', 'view')")
    .pluck()
    .all();
  const own = ownNames();
  refuseForeignTables(
    all.filter((name) => own.includes(name)).toSorted(),
    `Use a file of its own: DATABASE_URL=sqlite:${join(dirname(path), 'slotstream.db')}`,
    `The SQLite file ${path}`,
  );
}

/** JSON is stored as text, flags as 0 and 1. */
const codec = codecOf({
  json: { encode: (value) => JSON.stringify(value), decode: (stored) => JSON.parse(String(stored)) },
  flag: { encode: Number, decode: (stored) => stored === 1 },
});

function openFile(path: string): Sqlite.Database {
  try {
    if (path !== ':memory:') {
      requireFolderAbove(path);
      makeFolder(dirname(path));
      // SQLite does not say why it cannot create a file.
      accessSync(dirname(path), constants.W_OK);
    }
    const database = new Sqlite(path, { timeout: busyTimeoutMs });
    if (path !== ':memory:') chmodSync(path, 0o600);
    database.pragma('journal_mode = WAL');
    // FULL: a committed batch leaves the queue, so it must survive a power cut, not only a crash of this process.
    database.pragma('synchronous = FULL');
    // Deleted personal data must not stay readable in free pages of the file.
    database.pragma('secure_delete = ON');
    database.pragma('cache_size = -8000');
    return database;
  } catch (error) {
    if (error instanceof SlotstreamError) throw error;
    const failure = diskError(`The SQLite file ${path} cannot be opened`, error);
    throw new SlotstreamError('store_unavailable', failure?.message ?? `The SQLite file ${path} cannot be opened.`, {
      hint: failure?.hint ?? 'Check that the folder exists, is writable and has room, and that the file is a database.',
      cause: error,
    });
  }
}

/** The folder itself is made; where the one above is missing too, the path is probably mistyped, or a disk is not mounted. */
function requireFolderAbove(path: string): void {
  const folder = resolve(dirname(path));
  if (existsSync(dirname(folder))) return;
  throw new SlotstreamError(
    'store_unavailable',
    `The SQLite file ${path} cannot be opened: there is no folder ${dirname(folder)}.`,
    {
      hint: `Correct DATABASE_URL or DATA_DIR, or make it: mkdir -p ${folder}`,
    },
  );
}

function openReader(path: string): Disposable & { readonly database: Sqlite.Database } {
  const database = new Sqlite(path, { readonly: true, timeout: busyTimeoutMs });
  return { database, [Symbol.dispose]: () => void database.close() };
}

// `secure_delete` overwrites deleted rows, but not the copies that SQLite leaves in unused parts of a page when it moves rows
// between pages; only a rewritten file has none. Writers wait meanwhile, so the file is rewritten at most once a day, and only after
// a redaction. SQLite's `user_version` holds the hour since which that is due (`sqlite-vacuum-worker.ts` draws the states).
/** False when a reader held the write-ahead log. */
function emptyJournal(database: Sqlite.Database): boolean {
  const [result] = pragmaRows.parse(database.pragma('wal_checkpoint(TRUNCATE)'));
  return result?.busy === 0;
}

const pragmaRows = z.array(z.object({ busy: z.number() }));
const rewriteAfterHours = 24;
const hoursOf = (ms: number) => Math.floor(ms / 3_600_000);

/** In a thread: the event loop continues, and batches that find the file busy are retried. */
async function rewrite(path: string): Promise<void> {
  const worker = new Worker(new URL(import.meta.resolve('#src/store/engines/sqlite-vacuum-worker.ts')), {
    workerData: path,
  });
  await once(worker, 'exit');
}

/** Keeps prepared statements, and makes every transaction an immediate one. */
function withPreparedStatements(database: Sqlite.Database) {
  const prepare = cachedStatements(database);
  return {
    close: () => void database.close(),
    prepare: (text: string): Sqlite.Statement => prepare(adjusted(text, database.inTransaction)),
  };
}

function adjusted(text: string, inTransaction: boolean): string {
  // A deferred transaction that reads and then writes fails with SQLITE_BUSY_SNAPSHOT at once, whatever the timeout.
  if (text === 'begin') return 'begin immediate';
  // A full disk ends the transaction by itself; a failing rollback would hide that error.
  return text === 'rollback' && !inTransaction ? 'select 1' : text;
}

// How the mirror is read for people and programs: apart from what receives and folds, so that a slow question hurts no one. A function
// that takes `{ db, engine }` reads this way as well as from the store itself.
import { Kysely, sql, type Dialect } from 'kysely';
import type pg from 'pg';
import { isPostgres, schemaIn } from '#src/base/database-schema.ts';
import { isMissingTable, SlotstreamError } from '#src/base/errors.ts';
import type { Readable, ReadableMirror, Store } from '#src/store/contract.ts';
import { sqliteFile } from '#src/store/open-store.ts';
import type { Database } from '#src/store/schema/tables.ts';
import type { ReaderLimits, ReadRequest, ReadResponse } from './sqlite-readers.ts';

export interface Reading extends ReadableMirror {
  /** Answers a whole request in a process of its own; undefined where rows are not read in one. */
  readonly respond: ((request: ReadRequest) => Promise<ReadResponse>) | undefined;
  /** For what may take longer than a question, such as a search of the log: without a limit of its time, one after the other. */
  readonly searches: Readable;
  /** By how many seconds the database that is read is behind; null where it is the database that is written. */
  behindSeconds(): Promise<number | null>;
}

export type OpenReading = Reading & AsyncDisposable;

interface ReadingNeeds {
  readonly store: Store;
  /** Of the store. */
  readonly url: string;
  /** A copy of the same mirror on another server of PostgreSQL, which is read instead. */
  readonly readUrl?: string | undefined;
  /** The script of the processes that read a SQLite file. */
  readonly readerScript: URL;
  /** Receives errors that concern no caller. */
  readonly report: (error: unknown) => void;
}

export const questionLimits: ReaderLimits = {
  // The second one answers while the first is busy. Each is a process or a connection, and a core of the machine or the server.
  most: 2,
  mostWaiting: 200,
  waitMs: 5_000,
  statementMs: 10_000,
  idleMs: 60_000,
};

/** In the process itself: for a database in memory, which no other process can read. */
export const readingWithin = ({ db, engine, settings }: ReadableMirror): OpenReading => ({
  db,
  engine,
  settings,
  respond: undefined,
  searches: { db, engine },
  behindSeconds: async () => null,
  [Symbol.asyncDispose]: async () => {},
});

/** Starts nothing and connects to nothing before it is asked, but for a copy, which has to be the same mirror. */
export async function openReading(
  { store, url, readUrl, readerScript, report }: ReadingNeeds,
  limits: Partial<ReaderLimits> = {},
): Promise<OpenReading> {
  if (sqliteFile(url) === ':memory:') return readingWithin(store);
  const question = { ...questionLimits, ...limits };
  const open = await readersFor({ store, url: readUrl ?? url, isCopy: readUrl !== undefined, readerScript, report });
  const { dialect, respond } = open(question);
  const db = new Kysely<Database>({ dialect });
  const searching = new Kysely<Database>(open({ ...question, most: 1, statementMs: undefined }));
  const close = async () => void (await Promise.all([db.destroy(), searching.destroy()]));
  if (readUrl !== undefined)
    await sql`select 1`.execute(db).catch(async (error: unknown) => {
      if (!(error instanceof SlotstreamError) || error.code !== 'config') return report(error);
      await close();
      throw error;
    });
  return {
    db,
    engine: { ...store.engine, db },
    settings: store.settings,
    respond,
    searches: { db: searching, engine: { ...store.engine, db: searching } },
    behindSeconds: async () => (readUrl === undefined ? null : secondsBehind(db)),
    [Symbol.asyncDispose]: close,
  };
}

interface Readers extends Pick<Reading, 'respond'> {
  readonly dialect: Dialect;
}

async function readersFor({
  store,
  url,
  isCopy,
  readerScript,
  report,
}: Pick<ReadingNeeds, 'store' | 'url' | 'readerScript' | 'report'> & { readonly isCopy: boolean }): Promise<
  (limits: ReaderLimits) => Readers
> {
  if (!isPostgres(url)) {
    const { sqliteReaders } = await import('./sqlite-readers.ts');
    return (limits) => sqliteReaders(sqliteFile(url) ?? '', { script: readerScript, limits });
  }
  const { postgresReaders } = await import('./postgres-readers.ts');
  const check = (client: pg.ClientBase) => requireCopyOf(store, client, schemaIn(url));
  const dialect = (limits: ReaderLimits) => postgresReaders(url, { report, limits, ...(isCopy && { check }) });
  // A server computes in processes of its own anyway.
  return (limits) => ({ dialect: dialect(limits), respond: undefined });
}

/** On each new connection: behind the same name there may be another server. */
async function requireCopyOf({ settings }: Store, client: pg.ClientBase, schema: string): Promise<void> {
  const read = async (): Promise<string | undefined> => {
    const { rows } = await client.query<{ id: string }>(`select id from "${schema}".mirror_settings`);
    return rows[0]?.id;
  };
  const found = await read().catch((error: unknown) => {
    if (isMissingTable(error)) return undefined;
    throw error;
  });
  if (found === settings.id) return;
  throw new SlotstreamError(
    'config',
    `DATABASE_READ_URL leads to ${found === undefined ? `a database without a mirror in the schema ${schema}` : 'another mirror than DATABASE_URL'}.`,
    { hint: 'Let it lead to a standby of the server of DATABASE_URL, with the same database, or remove it.' },
  );
}

/** Each process of a mirror writes its report every few seconds, so there is always a recent transaction to compare with. */
async function secondsBehind(db: Kysely<Database>): Promise<number | null> {
  const { rows } = await sql<{ seconds: number | null }>`select case when pg_is_in_recovery()
    then greatest(0, extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()))::float8 end as seconds`.execute(
    db,
  );
  return rows[0]?.seconds ?? null;
}

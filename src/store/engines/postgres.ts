// The PostgreSQL engine: many writers at once, which lock rows in one order; one writer of the log at a time.
import {
  CompiledQuery,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  sql,
  type DatabaseConnection,
  type PostgresDialectConfig,
} from 'kysely';
import pg from 'pg';
import { schemaIn, statedSchemaIn } from '#src/base/database-schema.ts';
import { codecOf } from '#src/store/columns.ts';
import type { Connections, Lock, RowPage, Statement, StoreEngine } from '#src/store/contract.ts';
import { isMigrated, migrate } from '#src/store/migrations.ts';
import { postgresTypes } from '#src/store/migrations/storage-types.ts';
import { neverSilent } from './pg-socket.ts';
import { commentOnTables } from './postgres-comments.ts';
import { QualifyingCompiler } from './postgres-compiler.ts';
import { openConnections } from './postgres-connections.ts';
import { indexTrigrams, postgresContactSearch } from './postgres-contact-search.ts';
import { insertArrays } from './postgres-insert.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { prepareSchema, refuseMirrorIn } from './postgres-schema.ts';
import { postgresShadow } from './postgres-shadow.ts';
import { postgresViews } from './postgres-view-installer.ts';
import { nextSize } from './row-pages.ts';
import type { Database } from '#src/store/schema/tables.ts';

// Advisory locks. Any numbers will do, as long as every process of Slotstream uses the same: "slot", "view", "keyv" and "migr" in ASCII.
const locks = {
  log: 0x736c6f74,
  views: 0x76696577,
  key: 0x6b657976,
  migrations: 0x6d696772,
} as const;
type Run = StoreEngine['run'];

/** How the driver reads cells. */
export const cellTypes = { getTypeParser: (type: number, format?: 'text' | 'binary') => parserOf(type, format) };

const oid = { int8: 20, date: 1082, timestamptz: 1184 };

export function openPostgres(url: string, report: (error: unknown) => void): StoreEngine {
  const { connect, namingPool, isPooled, limitSilence, applySettings } = openConnections(
    url,
    { types: cellTypes, pipeline: true },
    { report },
  );
  const schema = schemaIn(url);
  const db = new Kysely<Database>({ dialect: new QualifyingDialect({ pool: namingPool }, schema) });
  /** The connection of each transaction. Kysely itself sends a statement only when the one before has been answered. */
  const connections = new WeakMap<Kysely<Database>, DatabaseConnection>();
  const run: Run = (on, { sql: text, parameters }) =>
    (connections.get(on) ?? on).executeQuery(CompiledQuery.raw(text, [...parameters]));
  return {
    name: 'postgres',
    db,
    dialect: postgresDialect,
    views: postgresViews(schema),
    contactSearch: postgresContactSearch(schema),
    insert: insertArrays,
    run,
    pipelines: (on) => connections.has(on) && !isPooled(),
    takesLists: true,
    unsafeSettings: () => unsafeSettings(db),
    connections: () => connectionsOf(db),
    schema,
    ...postgresShadow(schema),
    async lockTables(trx, names) {
      for (const name of names) await sql`lock table ${sql.table(name)} in exclusive mode`.execute(trx);
    },
    // The driver would send a JavaScript array as an array of PostgreSQL; what it reads it has decoded already.
    ...codecOf({ json: { encode: (value) => JSON.stringify(value), decode: (stored) => stored } }),
    manyWriters: true,
    lock: (trx, wanted) => lock({ run, trx, schema }, wanted),
    isPooled,
    limitSilence,
    // Through a pooler no statement has a name by which the server could know its plan.
    keepPlans: async (trx) => isPooled() || run(trx, { sql: keepPlans, parameters: [] }),
    begin: async (trx) => {
      await trx.getExecutor().provideConnection(async (connection) => void connections.set(trx, connection));
      // Through a pooler the settings of the session are not there.
      if (isPooled()) await run(trx, { sql: applySettings, parameters: [] });
      return { [Symbol.dispose]: () => void connections.delete(trx) };
    },
    hasMirror: async () => {
      if (await isMigrated(db)) return true;
      if (statedSchemaIn(url) === undefined) await refuseMirrorIn(db, 'public');
      return false;
    },
    migrate: async () => {
      if (!(await isMigrated(db)))
        await db.transaction().execute(async (trx) => {
          await sql`set local lock_timeout = '1h'`.execute(trx);
          await sql`select pg_advisory_xact_lock(${sql.lit(locks.migrations)})`.execute(trx);
          await trx.executeQuery(CompiledQuery.raw(applySettings));
          await prepareSchema(trx, schema);
          await searchOnly(trx, schema);
          await migrate(trx, postgresTypes, schema);
        });
      const lockViews = (trx: Kysely<Database>) => lock({ run, trx, schema }, 'views');
      await commentOnTables(db, schema, lockViews);
      await indexTrigrams(db, schema, lockViews);
    },
    noteRedaction: async () => {},
    scrub: async () => {},
    stream: (statement) => fetched(connect, statement),
    ping: async () => {
      await sql`select 1`.execute(db);
    },
    async clockAheadMs() {
      const askedMs = Date.now();
      const { rows } = await sql<{
        ms: number;
      }>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`.execute(db);
      return (rows[0]?.ms ?? askedMs) - (askedMs + Date.now()) / 2;
    },
    close: () => db.destroy(),
  };
}

/**
 * Without Kysely's lock of migrations, which belongs to a session: a pooler would release it on another connection than the one that
 * holds it, and no process could start any more. The transaction of the migrations has a lock instead.
 */
class LockFreeAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/** Every statement names the schema of the tables. */
export class QualifyingDialect extends PostgresDialect {
  readonly #schema: string;

  constructor(config: PostgresDialectConfig, schema: string) {
    super(config);
    this.#schema = schema;
  }

  override createAdapter(): PostgresAdapter {
    return new LockFreeAdapter();
  }

  override createQueryCompiler(): QualifyingCompiler {
    return new QualifyingCompiler(this.#schema);
  }
}

/** Holds a lock until the transaction ends. */
async function lock(
  { run, trx, schema }: { readonly run: Run; readonly trx: Kysely<Database>; readonly schema: string },
  wanted: Lock,
): Promise<void> {
  // A process that starts does not wait long for readers of a view: the view is then replaced at the next start.
  if (wanted === 'views') {
    await sql`set local lock_timeout = '2s'`.execute(trx);
    await searchOnly(trx, schema);
  }
  const [name, key] = typeof wanted === 'string' ? [wanted, undefined] : (['key', wanted.key] as const);
  // Mirrors in other schemas of the database do not wait for each other.
  const parts = [schema, key].filter((part) => part !== undefined);
  const keys = sql`${locks[name]}, hashtext(${parts.join(' ')})`;
  await run(trx, sql`select pg_advisory_xact_lock(${keys})`.compile(trx));
}

/** For statements that define tables and views: until the transaction ends, the names in them are those of this schema. */
const searchOnly = (trx: Kysely<Database>, schema: string) =>
  sql`select set_config('search_path', ${schema}, true)`.execute(trx);

/** Through a cursor: the server holds the rows that were not fetched yet. */
async function* fetched(
  connect: () => Promise<pg.PoolClient>,
  { sql: text, parameters }: Statement,
): AsyncGenerator<RowPage> {
  const client = await connect();
  neverSilent(client);
  let broken = true;
  try {
    await client.query('begin read only');
    // The consumer of the rows may be slow.
    await client.query('set local idle_in_transaction_session_timeout = 0');
    await client.query(`declare streamed no scroll cursor for ${text}`, [...parameters]);
    for (let size = 64; ;) {
      const { rows } = await client.query<unknown[]>({ text: `fetch ${size} from streamed`, rowMode: 'array' });
      if (rows.length > 0) yield rows;
      if (rows.length < size) break;
      size = nextSize(rows);
    }
    await client.query('rollback');
    broken = false;
  } finally {
    // After a consumer that stopped early or a statement that failed, the connection is not used again.
    client.release(broken);
  }
}

function parserOf(type: number, format: 'text' | 'binary' | undefined) {
  if (type === oid.int8) return Number;
  if (type === oid.timestamptz) return sixDigits;
  // As written: a JavaScript Date would be midnight in some zone.
  if (type === oid.date) return String;
  return pg.types.getTypeParser(type, format);
}

const written = /^(?<seconds>.{19})(?:\.(?<fraction>\d+))?(?<offset>[+-].+)$/;

/** `2025-04-14 11:42:33.11+00` → `2025-04-14T11:42:33.110000Z`; a JavaScript Date would lose the microseconds. */
export function sixDigits(text: string): string {
  const { seconds = text, fraction = '', offset = '+00' } = written.exec(text)?.groups ?? {};
  const utc = offset === '+00' ? seconds.replace(' ', 'T') : inUtc(`${seconds}${offset}`);
  return `${utc}.${fraction.padEnd(6, '0')}Z`;
}

/** In the time zone of a session whose settings were discarded. PostgreSQL writes `+02` and `+05:30`. */
function inUtc(text: string): string {
  const withMinutes = text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00');
  return new Date(withMinutes).toISOString().slice(0, 19);
}

/** Making a plan takes longer than running most statements by key. A plan that was made when a table was small would read all of it. */
const keepPlans = `select set_config('plan_cache_mode', 'auto', true), set_config('enable_seqscan', 'off', true)`;

const durableSettings = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

/** Every user may read these numbers; a reserved connection is for superusers. */
async function connectionsOf(db: Kysely<Database>): Promise<Connections | undefined> {
  const { rows } = await sql<Connections>`select sum(numbackends)::int as used,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most
    from pg_stat_database`.execute(db);
  return rows[0];
}

async function unsafeSettings(db: Kysely<Database>): Promise<readonly string[]> {
  const unsafe: string[] = [];
  for (const name of durableSettings) {
    const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(db);
    if (rows[0]?.value === 'off') unsafe.push(`${name} = off`);
  }
  return unsafe;
}

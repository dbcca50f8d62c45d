// The PostgreSQL engine: many writers at once, which lock rows in one order; one writer of the log at a time.
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { codecOf } from '#src/store/columns.ts';
import type { RowPage, Statement, StoreEngine } from '#src/store/contract.ts';
import { migrate } from '#src/store/migrations.ts';
import { postgresTypes } from '#src/store/migrations/storage-types.ts';
import { postgresContactIndex } from './postgres-contact-index.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { postgresViews } from './postgres-view-installer.ts';
import { nextSize } from './row-pages.ts';
import type { Database } from '#src/store/tables.ts';

// Advisory locks. Any numbers will do, as long as every process of Slotstream uses the same: "slot", "view" and "keyv" in ASCII.
const locks = { log: 0x736c6f74, views: 0x76696577, key: 0x6b657976 } as const;
const oid = { int8: 20, date: 1082, timestamptz: 1184 };

export function openPostgres(url: string, report: (error: unknown) => void): StoreEngine {
  const pool = new pg.Pool({
    connectionString: url,
    max: 8,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    application_name: 'slotstream',
    options: '-c timezone=UTC -c lock_timeout=10000 -c idle_in_transaction_session_timeout=60000',
    types: { getTypeParser: (type: number, format?: 'text' | 'binary') => parserOf(type, format) },
  });
  // Without a listener, a connection that breaks while idle or between two statements would end the process.
  pool.on('error', report);
  pool.on('connect', (client) => client.on('error', report));
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  return {
    name: 'postgres',
    db,
    dialect: postgresDialect,
    views: postgresViews,
    contactIndex: postgresContactIndex(),
    // The next batches are compiled while one commits.
    concurrentBatches: 4,
    residue: 'Pages of the database that wait for its next vacuum.',
    unsafeSettings: () => unsafeSettings(db),
    shadowSchema: 'pg_temp',
    async liveSchema(connection) {
      const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(connection);
      return String(rows[0]?.name);
    },
    async makeShadow(connection, table) {
      const live = sql.id(await this.liveSchema(connection), table);
      await sql`create temporary table ${sql.id(table)} (like ${live} including defaults including indexes)`.execute(
        connection,
      );
    },
    async lockTables(trx, names) {
      const live = await this.liveSchema(trx);
      for (const name of names) await sql`lock table ${sql.id(live, name)} in share row exclusive mode`.execute(trx);
    },
    // The driver would send a JavaScript array as an array of PostgreSQL; what it reads it has decoded already.
    ...codecOf({ json: { encode: (value) => JSON.stringify(value), decode: (stored) => stored } }),
    manyWriters: true,
    async lock(trx, lock) {
      // A process that starts does not wait long for readers of a view: the view is then replaced at the next start.
      if (lock === 'views') await sql`set local lock_timeout = '2s'`.execute(trx);
      const key = typeof lock === 'string' ? sql`${locks[lock]}` : sql`${locks.key}, hashtext(${lock.key})`;
      await sql`select pg_advisory_xact_lock(${key})`.execute(trx);
    },
    migrate: () => migrate(db, postgresTypes),
    noteRedaction: async () => {},
    scrub: async () => {},
    stream: (statement) => fetched(pool, statement),
    ping: async () => {
      await sql`select 1`.execute(db);
    },
    close: () => db.destroy(),
  };
}

/** Through a cursor: the server holds the rows that were not fetched yet. */
async function* fetched(pool: pg.Pool, { sql: text, parameters }: Statement): AsyncGenerator<RowPage> {
  const client = await pool.connect();
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

/** `2025-04-14 11:42:33.11+00` → `2025-04-14T11:42:33.110000Z`; a JavaScript Date would lose the microseconds. */
function sixDigits(text: string): string {
  const fraction = text.slice(20, text.length - 3);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(6, '0')}Z`;
}

const durableSettings = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

async function unsafeSettings(db: Kysely<Database>): Promise<readonly string[]> {
  const unsafe: string[] = [];
  for (const name of durableSettings) {
    const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(db);
    if (rows[0]?.value === 'off') unsafe.push(`${name} = off`);
  }
  return unsafe;
}

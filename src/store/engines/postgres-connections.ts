// The connections of the PostgreSQL store: session settings that are verified, and an end to connections whose server is silent.
import type { PostgresPool } from 'kysely';
import pg from 'pg';
import { runsOften } from '#src/store/prepared-sql.ts';
import { directOption, isDirect } from '#src/base/direct-connection.ts';
import { codeOf, isUnprepared } from '#src/base/errors.ts';
import { readPostgresUrl } from '#src/base/postgres-url.ts';
import { clientOf, hostTimeoutMs, requireWritable } from './pg-hosts.ts';
import { limitSilence, neverSilent } from './pg-socket.ts';

/** What `current_setting` answers: times as UTC, and no endless wait for a lock or for an abandoned transaction. */
export const sessionSettings = {
  TimeZone: 'UTC',
  lock_timeout: '10s',
  // A statement sees what was committed before it: the fold relies on that once it has the lock of the log.
  default_transaction_isolation: 'read committed',
  // When a connection passes nothing any more, the server has the locks of its transaction until then, and no worker can go on.
  idle_in_transaction_session_timeout: '20s',
  // A plan that was made when a table was small reads all of it for ever: until the server analyzes the table again.
  plan_cache_mode: 'force_custom_plan',
  // Compiling the query of a view takes longer than it saves.
  jit: 'off',
} as const;

/** What connections are for, as the server sees it. */
export interface Session {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  /** How many connections; absent: as the address says. */
  readonly most?: number;
  /** Is called with each new connection. */
  readonly prepare?: (client: pg.ClientBase, isPooled: boolean) => Promise<unknown>;
  /** It only reads: a server that cannot be written to is good enough. */
  readonly onlyReads?: true;
}

const storeSession: Session = {
  name: 'slotstream',
  settings: sessionSettings,
  prepare: async (client, isPooled) => isPooled || client.query(fastCompression),
};

export interface PostgresConnections {
  /** A connection for the caller alone, who releases it. */
  connect(): Promise<pg.PoolClient>;
  /** The same connections for Kysely: statements that run often have a name. */
  readonly namingPool: PostgresPool;
  /** True when a connection pooler such as PgBouncer is in between: it discards settings, and a session is not one connection. */
  isPooled(): boolean;
  /** A connection in use whose server sends nothing for this long is closed, and its statement fails as transient. */
  limitSilence(ms: number): void;
  /** Gives one transaction the settings, where the session does not have them. */
  readonly applySettings: string;
  /** At once: a statement that it runs fails. */
  disconnect(client: pg.PoolClient): void;
  end(): Promise<void>;
}

export function openConnections(
  url: string,
  config: pg.PoolConfig,
  { report, session = storeSession }: { readonly report: (error: unknown) => void; readonly session?: Session },
): PostgresConnections {
  const settings = Object.entries(session.settings);
  let isPooled = false;
  let silenceMs = 0;
  const address = readPostgresUrl(url);
  const [firstUrl = url] = address.urls;
  const { connectionString, ownOptions } = optionsIn(firstUrl);
  const isOneOfSeveral = address.urls.length > 1;
  const pool = new pg.Pool({
    ...config,
    max: session.most ?? address.pool,
    connectionString,
    options: [
      ...ownOptions,
      ...settings.map(([name, value]) => `-c ${name}=${value.replace(' ', String.raw`\ `)}`),
      directOption,
    ].join(' '),
    ...(isOneOfSeveral && { Client: clientOf(address, { keepAlive: true }) }),
    connectionTimeoutMillis: 5_000 + (isOneOfSeveral ? address.urls.length * hostTimeoutMs : 0),
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: session.name,
    // The pool waits for it, without a limit of its own.
    onConnect: async (client) => {
      limitSilence(client, answerTimeoutMs);
      try {
        if (address.needsWrites && !session.onlyReads) await requireWritable(client, address);
        isPooled = !(await isDirect(client));
        await session.prepare?.(client, isPooled);
      } finally {
        neverSilent(client);
      }
    },
  });
  // Without a listener, a connection that breaks while idle or between two statements would end the process.
  pool.on('error', report);
  pool.on('connect', (client) => client.on('error', report));
  pool.on('acquire', (client) => limitSilence(client, silenceMs));
  pool.on('release', (_error, client) => neverSilent(client));
  const connect = async (): Promise<pg.PoolClient> => {
    const { options } = pool.options;
    try {
      return await pool.connect();
    } catch (error) {
      if (options === (ownOptions[0] ?? '') || !isOptionRefused(error)) throw error;
      // It is a pooler: each transaction gets the settings instead.
      pool.options.options = ownOptions[0] ?? '';
      return pool.connect();
    }
  };
  return {
    connect,
    namingPool: withNames({ pool, connect, isAllowed: () => !isPooled }),
    isPooled: () => isPooled,
    limitSilence: (ms) => void (silenceMs = ms),
    // Only the client itself has it: what the pool gives out is typed without.
    disconnect: (client) => void Reflect.apply(pg.Client.prototype.end, client, []),
    end: () => pool.end(),
    applySettings: `select ${settings.map(([name, value]) => `set_config('${name}', '${value}', true)`).join(', ')}`,
  };
}

interface NamingNeeds {
  readonly pool: pg.Pool;
  readonly connect: () => Promise<pg.PoolClient>;
  readonly isAllowed: () => boolean;
}

/** Kysely takes any pool of this shape, and has one object per connection. */
function withNames({ pool, connect, ...limits }: NamingNeeds): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, pg.PoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await connect();
      const naming = clients.get(client) ?? prepareOnServer(client, limits);
      clients.set(client, naming);
      return naming;
    },
  };
}

const names = new Map<string, string>();

/**
 * Gives statements that run often a name, by which the server keeps their parsed form and plan for the connection. A pooler would send
 * the next statement to a connection that does not know the name. Where the server no longer runs a statement by its name, the
 * connection goes on without names.
 */
function prepareOnServer(client: pg.PoolClient, { isAllowed }: { isAllowed(): boolean }): pg.PoolClient {
  let keepsNames = true;
  // In a transaction that has failed, the server refuses to prepare a statement, and the next one finds no such name.
  let hasFailed = false;
  async function query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    let name: string | undefined;
    if (runsOften(text) && keepsNames && isAllowed()) {
      name = names.get(text);
      if (name === undefined) names.set(text, (name = `slotstream_${names.size}`));
    }
    try {
      const answer = await client.query(name === undefined ? { text, values } : { name, text, values });
      hasFailed = false;
      return answer;
    } catch (error) {
      if (!hasFailed) keepsNames &&= !isUnprepared(error);
      hasFailed = true;
      throw error;
    }
  }
  return Object.create(client, { query: { value: query } });
}

/** The server's default takes more time to compress a body than to store it. Not every server has been built with LZ4. */
const fastCompression = `select set_config('default_toast_compression', 'lz4', false) from pg_settings
  where name = 'default_toast_compression' and 'lz4' = any(enumvals)`;

const answerTimeoutMs = 5000;

/** pg would use the options of the URL instead of ours. */
function optionsIn(url: string): { readonly connectionString: string; readonly ownOptions: readonly string[] } {
  const parsed = URL.parse(url);
  const own = parsed?.searchParams.get('options');
  if (!parsed || !own) return { connectionString: url, ownOptions: [] };
  parsed.searchParams.delete('options');
  return { connectionString: parsed.href, ownOptions: [own] };
}

/** A pooler rejects what it does not know in the start-up message, unless it is configured to ignore it. */
const isOptionRefused = (error: unknown): boolean =>
  codeOf(error) === '08P01' && error instanceof Error && /startup parameter/i.test(error.message);

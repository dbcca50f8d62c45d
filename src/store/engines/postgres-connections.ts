// The connections of the PostgreSQL store: session settings that are verified, and an end to connections whose server is silent.
import { Socket } from 'node:net';
import pg from 'pg';

/** What `current_setting` answers: times as UTC, and no endless wait for a lock or for an abandoned transaction. */
const sessionSettings = { TimeZone: 'UTC', lock_timeout: '10s', idle_in_transaction_session_timeout: '1min' } as const;
const settings = Object.entries(sessionSettings);

export interface PostgresConnections {
  readonly pool: pg.Pool;
  /** True when a connection pooler such as PgBouncer stands in between: it discards settings, and a session is not one connection. */
  isPooled(): boolean;
  /** A connection in use whose server sends nothing for this long is closed, and its statement fails as transient. */
  limitSilence(ms: number): void;
}

export function openConnections(
  config: pg.PoolConfig,
  { report }: { readonly report: (error: unknown) => void },
): PostgresConnections {
  let isPooled = false;
  let silenceMs = 0;
  const pool = new pg.Pool({
    ...config,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'slotstream',
    options: settings.map(([name, value]) => `-c ${name}=${value}`).join(' '),
    // The pool waits for it.
    onConnect: async (client) => {
      isPooled = !(await hasSettings(client));
      if (isPooled) await client.query(applySettings(false));
    },
  });
  // Without a listener, a connection that breaks while idle or between two statements would end the process.
  pool.on('error', report);
  pool.on('connect', (client) => client.on('error', report));
  pool.on('acquire', (client) => {
    const socket = socketOf(client);
    socket?.setTimeout(silenceMs, () => socket.destroy(new SilentServer(silenceMs)));
  });
  pool.on('release', (_error, client) => neverSilent(client));
  return { pool, isPooled: () => isPooled, limitSilence: (ms) => void (silenceMs = ms) };
}

/** For a statement that may take long, or a consumer that may read slowly. */
export function neverSilent(client: pg.PoolClient): void {
  socketOf(client)?.setTimeout(0).removeAllListeners('timeout');
}

/** The settings for one transaction (`isLocal`), or for the session. */
export const applySettings = (isLocal: boolean): string =>
  `select ${settings.map(([name, value]) => `set_config('${name}', '${value}', ${isLocal})`).join(', ')}`;

async function hasSettings(client: pg.ClientBase): Promise<boolean> {
  const text = `select ${settings.map(([name]) => `current_setting('${name}')`).join(', ')}`;
  const { rows } = await client.query<string[]>({ text, rowMode: 'array' });
  return settings.every(([, value], index) => rows[0]?.[index] === value);
}

/** The driver's type does not tell of its socket. */
function socketOf(client: pg.PoolClient): Socket | undefined {
  const stream: unknown = Reflect.get(Object(Reflect.get(client, 'connection')), 'stream');
  return stream instanceof Socket ? stream : undefined;
}

/** The message marks it as transient, like every other connection that ends. */
class SilentServer extends Error {
  constructor(ms: number) {
    super(`Connection terminated: the server was silent for ${ms / 1000} s`);
  }
}

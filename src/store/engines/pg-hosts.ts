// A client of pg for several hosts, as libpq has it: each new connection goes to the first host that answers and, where that is asked
// for, can be written to.
import pg from 'pg';
import { SlotstreamError } from '#src/base/errors.ts';
import type { PostgresAddress } from '#src/base/postgres-url.ts';
import { limitSilence } from './pg-socket.ts';

export const hostTimeoutMs = 3_000;

/** Where there is one host, the client of pg itself is enough. */
export function clientOf(address: PostgresAddress, config: pg.ClientConfig): typeof pg.Client {
  return class extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
      const connecting = firstUsable(address, config).then(({ host, port }) => {
        Reflect.set(this, 'host', host);
        Reflect.set(this, 'port', port);
        return super.connect();
      });
      if (callback === undefined) return connecting;
      void answer(connecting, callback);
    }
  };
}

/** As the client of pg answers its pool, which asks for no more than whether there is an error. */
async function answer(connecting: Promise<unknown>, callback: (error: Error) => void): Promise<void> {
  const failure = await connecting.then(
    () => [],
    (error: unknown) => [error],
  );
  Reflect.apply(callback, undefined, failure);
}

async function firstUsable(
  address: PostgresAddress,
  config: pg.ClientConfig,
): Promise<Pick<pg.Client, 'host' | 'port'>> {
  let failure: unknown;
  for (const connectionString of address.urls) {
    const client = new pg.Client({ ...config, connectionString, connectionTimeoutMillis: hostTimeoutMs });
    client.on('error', () => {});
    try {
      await client.connect();
      limitSilence(client, hostTimeoutMs);
      if (address.needsWrites) await requireWritable(client, address);
      return { host: client.host, port: client.port };
    } catch (error) {
      // The reason why a host does not answer says more than that another one is read-only.
      if (failure === undefined || !(error instanceof SlotstreamError)) failure = error;
    } finally {
      await client.end().catch(() => {});
    }
  }
  throw failure;
}

/** Throws on a standby, and on a server that is read-only by its settings. */
export async function requireWritable(client: pg.ClientBase, { hosts }: PostgresAddress): Promise<void> {
  const { rows } = await client.query<{ setting: string }>(
    `select current_setting('transaction_read_only') as setting`,
  );
  if (rows[0]?.setting !== 'on') return;
  throw new SlotstreamError('store_unavailable', `PostgreSQL at ${hosts.join(', ')} can only be read.`, {
    hint: 'DATABASE_URL asks for a server that can be written to (target_session_attrs=read-write): let it lead to the primary.',
  });
}

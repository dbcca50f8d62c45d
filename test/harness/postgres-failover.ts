// PostgreSQL with a standby that can be cut off and promoted, behind an address that leads to whichever is the primary.
import pg from 'pg';
import { until } from './ports.ts';
import { startPostgres } from './postgres.ts';
import { openProxy } from './silent-proxy.ts';

export type PostgresPair = Awaited<ReturnType<typeof startPostgresPair>>;

async function one(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(text);
    return Object.values(rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}

/** `isSynchronous`: the primary commits what the standby has. */
export async function startPostgresPair({ isSynchronous }: { readonly isSynchronous: boolean }) {
  await using started = new AsyncDisposableStack();
  const primary = started.use(await startPostgres({ durable: true }));
  const database = await primary.createDatabase();
  const standby = started.use(await startPostgres({ durable: true, standbyOf: primary.url }));
  const onStandby = new URL(database);
  onStandby.port = String(standby.port);
  const streams = (count: number) => async () =>
    Number(await one(primary.url, `select count(*) from pg_stat_replication where state = 'streaming'`)) === count;
  await until(streams(1), 'the standby follows');
  if (isSynchronous) {
    await one(primary.url, `alter system set synchronous_standby_names = '*'`);
    await one(primary.url, 'select pg_reload_conf()');
    const isSync = async () => (await one(primary.url, 'select sync_state from pg_stat_replication')) === 'sync';
    await until(isSync, 'the standby is synchronous');
  }
  const proxy = started.use(await openProxy(database));
  const resources = started.move();
  return {
    /** Leads to the primary. */
    url: proxy.url,
    onPrimary: database,
    onStandby: onStandby.href,
    /** From now on the standby gets nothing of what the primary commits. */
    async cutOff(): Promise<void> {
      await one(standby.url, `alter system set primary_conninfo = ''`);
      await one(standby.url, 'select pg_reload_conf()');
      await until(streams(0), 'the standby is cut off');
    },
    /** Kills the primary for good and promotes the standby. */
    async losePrimary(): Promise<void> {
      await primary.halt('kill');
      await one(standby.url, 'select pg_promote()');
      await until(async () => (await one(standby.url, 'select pg_is_in_recovery()')) === false, 'it is promoted');
      proxy.leadTo(onStandby.href);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

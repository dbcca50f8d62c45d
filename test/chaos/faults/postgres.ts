// Faults of PostgreSQL: killed, restarted, away, without a free connection. Each answers what was observed of it.
import { succeeds, until } from '../../harness/ports.ts';
import pg from 'pg';
import type { ShutdownMode, TestPostgres } from '../../harness/postgres.ts';
import type { WithPostgres } from '../engines.ts';
import type { Run } from '../scenario.ts';
import { kib, requireFault, seconds, diskLogBytes } from './evidence.ts';

type PostgresRun = Run<WithPostgres>;

/** Runs one statement on a connection of its own. */
export async function query<Row extends object>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

export interface Outage {
  readonly mode: ShutdownMode;
  readonly awayMs: number;
  readonly times?: number;
  /** Between the end of one outage and the next. */
  readonly apartMs?: number;
  /** The queue is there too, so deliveries must be accepted by the disk log. */
  readonly isQueue: boolean;
}

/** Takes the server away and brings it back, on the same data and port. */
export async function takeAway(
  run: PostgresRun,
  { mode, awayMs, times = 1, apartMs = 0, isQueue }: Outage,
): Promise<string> {
  const { postgres } = run.engines;
  const seen: string[] = [];
  for (let time = 0; time < times; time += 1) {
    if (time > 0) await run.wait(apartMs);
    const before = await startOf(postgres);
    const crashes = countOf(postgres.log(), crashRecovery);
    const acceptedBefore = run.load.accepted();
    await postgres.halt(mode);
    const goneMs = Date.now();
    await run.wait(awayMs);
    const onDisk = await diskLogBytes(run.stack.receivers);
    const isThere = await succeeds(startOf(postgres));
    await postgres.restart();
    const backMs = Date.now() - goneMs;
    const accepted = run.load.accepted() - acceptedBefore;
    const after = await startOf(postgres);
    requireFault(!isThere && before !== after, 'the server was not away');
    // What the server prints may arrive after its first answer.
    const hasCrashed = (): boolean => mode === 'fast' || countOf(postgres.log(), crashRecovery) > crashes;
    await until(hasCrashed, 'the server prints that it recovers', 10_000).catch(() => undefined);
    requireFault(hasCrashed(), 'the server found that it had been shut down properly');
    if (awayMs > 0 && accepted === 0) throw new Error('nothing was acknowledged while PostgreSQL was away');
    requireFault(awayMs === 0 || !isQueue || onDisk > 0, 'nothing was in the disk log');
    const text = isQueue ? `, ${kib(onDisk)} in the disk log` : '';
    seen.push(`${seconds(backMs)} away, ${accepted} acknowledged meanwhile${text}`);
  }
  const recovery = mode === 'fast' ? '' : ', after crash recovery each time';
  return `${seen.join('; ')}; pg_postmaster_start_time() changed${recovery}`;
}

const crashRecovery = 'automatic recovery in progress';

const countOf = (text: string, part: string): number => text.split(part).length - 1;

async function startOf({ url }: TestPostgres): Promise<string> {
  const [row] = await query<{ at: string }>(url, 'select pg_postmaster_start_time()::text as at');
  return row?.at ?? '';
}

/** The role of the product where `exhaustConnections` is used: a superuser could use the reserved connections. */
export const productRole = 'slotstream';
const crowdRole = 'crowd';

/** Settings and statements that `exhaustConnections` needs. */
export const crowded = {
  settings: { max_connections: '60', superuser_reserved_connections: '3', log_line_prefix: '%u ' },
  roles: `create role ${productRole} login; create role ${crowdRole} login;`,
} as const;

/** Ends every connection of the product and takes all free ones before it can come back, for at least `forMs` in one piece. */
export async function exhaustConnections(run: PostgresRun, forMs: number): Promise<string> {
  const { postgres } = run.engines;
  const crowd: pg.Client[] = [];
  const monitor = new pg.Client({ connectionString: postgres.url });
  await monitor.connect();
  const countProduct = async (): Promise<number> => {
    const { rows } = await monitor.query<{ count: number }>(
      'select count(*)::int as count from pg_stat_activity where usename = $1',
      [productRole],
    );
    return rows[0]?.count ?? 0;
  };
  const refused = (): number =>
    postgres
      .log()
      .split('\n')
      .filter((line) => line.startsWith(`${productRole} `) && /too many clients|slots are reserved/.test(line)).length;
  const had = await countProduct();
  const refusedBefore = refused();
  const acceptedBefore = run.load.accepted();
  const limitMs = Date.now() + 3 * forMs;
  try {
    let sinceMs = Date.now();
    while (Date.now() - sinceMs < forMs) {
      requireFault(Date.now() < limitMs, `the product was never without a connection for ${forMs} ms`);
      if ((await countProduct()) > 0) {
        await monitor.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [productRole]);
        await fill(crowd, postgres.url);
        sinceMs = Date.now();
      } else await run.wait(50);
    }
    const answers = refused() - refusedBefore;
    requireFault(answers > 0, 'no connection of the product was refused');
    const accepted = run.load.accepted() - acceptedBefore;
    return `${had} connections ended, ${crowd.length} others took all; then the product had 0 for ${forMs / 1000} s and was refused ${answers} times (too many clients), ${accepted} acknowledged meanwhile`;
  } finally {
    await Promise.all([monitor, ...crowd].map((client) => client.end().catch(() => undefined)));
  }
}

/** Opens connections until the server refuses one. */
async function fill(crowd: pg.Client[], serverUrl: string): Promise<void> {
  const url = new URL(serverUrl);
  url.username = crowdRole;
  const lane = async (): Promise<void> => {
    for (;;) {
      const client = new pg.Client({ connectionString: url.href });
      client.on('error', () => undefined);
      try {
        await client.connect();
      } catch {
        return;
      }
      crowd.push(client);
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

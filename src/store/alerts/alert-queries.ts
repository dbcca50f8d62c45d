// The alerts that operators list, newest first and page by page, and their counts.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { instantOf, minuteMs } from '#src/base/time.ts';
import { alertOf, alertStateOf, isWaiting, type Alert, type AlertState } from './alert-rows.ts';
import type { Store } from '#src/store/contract.ts';
import type { Page, PageRequest } from '#src/store/keyset.ts';
import { findRows, tableRows } from '#src/store/record-search.ts';

export interface AlertFilter {
  readonly state?: AlertState | undefined;
  readonly rule?: string | undefined;
  readonly channel?: string | undefined;
  readonly subject?: string | undefined;
}

/** Ordered by `created_at` and, where that is equal, by id. */
export async function findAlerts(
  store: Pick<Store, 'db' | 'engine'>,
  filter: AlertFilter,
  page: PageRequest,
): Promise<Page<Alert>> {
  const wanted = { order: 'created_at', id: 'id', page, where: conditionsOf(filter) } as const;
  const found = await findRows(store, tableRows('alerts'), wanted);
  return { ...found, items: found.items.map(alertOf) };
}

function conditionsOf({ state, rule, channel, subject }: AlertFilter): readonly RawBuilder<SqlBool>[] {
  const columns = { state, rule, channel, subject_uri: subject };
  return Object.entries(columns).flatMap(([column, value]) =>
    value === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} = ${value}`],
  );
}

export interface AlertCount {
  readonly channel: string;
  readonly state: AlertState;
  readonly count: number;
}

export async function countAlerts({ db }: Pick<Store, 'db'>): Promise<readonly AlertCount[]> {
  const rows = await db
    .selectFrom('alerts')
    .select(({ fn }) => ['channel', 'state', fn.countAll().as('count')])
    .groupBy(['channel', 'state'])
    .execute();
  return rows.map(({ channel, state, count }) => ({
    channel,
    state: alertStateOf(state),
    count: Number(count),
  }));
}

/** Counts by state, over all channels. */
export async function alertTotals(store: Pick<Store, 'db'>): Promise<Readonly<Record<AlertState, number>>> {
  const totals = { pending: 0, sent: 0, retracting: 0, retracted: 0, failed: 0 };
  for (const { state, count } of await countAlerts(store)) totals[state] += count;
  return totals;
}

/** What a channel has not accepted. */
export interface AlertBacklog {
  readonly channel: string;
  /** Messages that were due more than a minute ago, and are not postponed by a rule. */
  readonly overdue: number;
  /** Failed attempts of messages that wait, the last answer, and since when the first of these alerts was due. */
  readonly failures: number;
  readonly lastError: string | undefined;
  readonly failingSince: string | undefined;
  /** Given up. */
  readonly failed: number;
}

/** A channel that fails is paused for up to so long; quiet hours postpone alerts by more. */
const longestPauseMs = 300_000;

export async function alertBacklog({ db }: Pick<Store, 'db'>, nowMs: number): Promise<readonly AlertBacklog[]> {
  const [late, soon] = [instantOf(nowMs - minuteMs), instantOf(nowMs + longestPauseMs)];
  const tried = sql`${isWaiting} and attempts > 0`;
  const { rows } = await sql<Record<string, unknown>>`select channel,
      sum(case when ${isWaiting} and due_at < ${late} and digest is null and (attempts > 0 or next_at <= ${soon})
        then 1 else 0 end) as overdue,
      sum(case when ${isWaiting} and next_at < ${late} then 1 else 0 end) as unsent,
      sum(case when ${tried} then attempts else 0 end) as failures,
      max(case when ${tried} then last_error end) as last_error,
      min(case when ${tried} then due_at end) as failing_since,
      sum(case when state = 'failed' then 1 else 0 end) as failed
    from ${sql.table('alerts')} where ${isWaiting} or state = 'failed' group by channel order by channel`.execute(db);
  return rows.map((row) => {
    const isStuck = Number(row['failures']) > 0 || Number(row['unsent']) > 0;
    return {
      channel: String(row['channel']),
      overdue: isStuck ? Number(row['overdue']) : 0,
      failures: Number(row['failures']),
      lastError: textOf(row['last_error']),
      failingSince: textOf(row['failing_since']),
      failed: Number(row['failed']),
    };
  });
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

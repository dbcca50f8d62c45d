// The alerts that operators list, newest first and page by page, and their counts.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { alertOf, alertStateOf, type Alert, type AlertState } from './alert-rows.ts';
import type { Store } from '#src/store/contract.ts';
import type { Page, PageRequest } from '#src/store/keyset.ts';
import { findRows } from '#src/store/record-search.ts';

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
  const found = await findRows(store, 'alerts', wanted);
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
  const totals = { pending: 0, sent: 0, retracted: 0, failed: 0 };
  for (const { state, count } of await countAlerts(store)) totals[state] += count;
  return totals;
}

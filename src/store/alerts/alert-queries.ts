// The alerts that operators list, newest first and page by page, and their counts.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { alertOf, alertStateOf, type Alert, type AlertState } from './alert-rows.ts';
import type { StoredColumns } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import { pageOf, type PageFound, type PageWanted, type KeysetPosition, type Way } from '#src/store/search/keyset.ts';

export interface AlertFilter {
  readonly state?: AlertState | undefined;
  readonly rule?: string | undefined;
  readonly channel?: string | undefined;
  readonly subject?: string | undefined;
}

/** Ordered by `created_at` and, where that is equal, by id. */
export function findAlerts(
  store: Pick<Store, 'db' | 'engine'>,
  filter: AlertFilter,
  page: PageWanted,
): Promise<PageFound<Alert>> {
  const { db, engine } = store;
  const id = engine.dialect.bytes(sql`id`);
  const where = conditionsOf(filter);
  const select = async ({ ascending }: Way, conditions: readonly RawBuilder<SqlBool>[], need: number) => {
    const order = ascending ? sql`created_at asc, ${id} asc` : sql`created_at desc, ${id} desc`;
    const { rows } = await sql<StoredColumns>`select * from alerts
      where ${sql.join([sql`created_at is not null`, ...conditions, ...where], sql` and `)}
      order by ${order} limit ${need}`.execute(db);
    return rows.map((row) => alertOf(store, row));
  };
  const beyond = ({ ascending }: Way, position: KeysetPosition): RawBuilder<SqlBool> => {
    const from = engine.dialect.time(position.key);
    return sql<SqlBool>`(created_at, ${id}) ${ascending ? sql`>` : sql`<`} (${from}, ${position.uri})`;
  };
  const order = 'created_at';
  return pageOf(
    {
      order,
      seek: (way, from, need) => select(way, from === undefined ? [] : [beyond(way, from)], need),
      async isStillAt({ key, uri }) {
        const [found] = await select({ order, ascending: true }, [sql<SqlBool>`id = ${uri}`], 1);
        return found?.created_at === key;
      },
    },
    page,
  );
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

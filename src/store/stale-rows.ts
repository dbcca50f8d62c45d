// Rows that the service may have deleted: not deleted here, and not observed since a given time.
import type { Store } from './contract.ts';

export type DeletableTable =
  | 'contacts'
  | 'custom_field_definitions'
  | 'event_types'
  | 'meeting_recaps'
  | 'organization_memberships'
  | 'routing_forms';

export interface StaleRow {
  readonly uri: string;
  readonly updated_at: string | null;
  /** The owner, where the record names one. */
  readonly user: string | null;
}

/** In the order of their URIs, after `after`. */
export async function staleRows(
  store: Pick<Store, 'db' | 'engine'>,
  table: DeletableTable,
  { since, after, limit }: { readonly since: string; readonly after: string; readonly limit: number },
): Promise<readonly StaleRow[]> {
  // Only recaps have an owner that matters.
  const columns =
    table === 'meeting_recaps' ? (['uri', 'updated_at', 'extra'] as const) : (['uri', 'updated_at'] as const);
  const live = store.db.selectFrom(table).select(columns).where('deleted_at', 'is', null);
  const stale = live.where('as_of', '<', since);
  const rows = await stale.where('uri', '>', after).orderBy('uri').limit(limit).execute();
  return rows.map((row) => {
    const extra = 'extra' in row ? store.engine.decode('json', row.extra) : null;
    return { uri: row.uri, updated_at: row.updated_at, user: userIn(extra) };
  });
}

export async function countLive(
  store: Pick<Store, 'db'>,
  table: DeletableTable,
  { origin }: { readonly origin: string },
): Promise<number> {
  const row = await store.db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll().as('count'))
    .where('deleted_at', 'is', null)
    .where('uri', 'like', `${origin}/%`)
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

/** The user that a record names beside its columns. */
export function userIn(extra: unknown): string | null {
  const user = typeof extra === 'object' && extra !== null && 'user' in extra ? extra.user : null;
  return typeof user === 'string' ? user : null;
}

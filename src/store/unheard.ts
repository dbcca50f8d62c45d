// Rows of which nothing was heard since a moment: what a complete listing, read since then, did not show.
import type { Store } from './contract.ts';

export type DeletableTable = 'contacts' | 'event_types' | 'meeting_recaps';

export interface UnheardRow {
  readonly uri: string;
  /** Whose it is, where its record says so. */
  readonly user: string | null;
}

/** Not deleted, and not observed at or after `since`; in the order of their URIs, from `after` on. */
export async function unheardSince(
  store: Pick<Store, 'db' | 'engine'>,
  table: DeletableTable,
  { since, after, limit }: { readonly since: string; readonly after: string; readonly limit: number },
): Promise<readonly UnheardRow[]> {
  const rows = await store.db
    .selectFrom(table)
    .select(['uri', 'body'])
    .where('deleted_at', 'is', null)
    .where('as_of', '<', since)
    .where('uri', '>', after)
    .orderBy('uri')
    .limit(limit)
    .execute();
  return rows.map(({ uri, body }) => ({ uri: String(uri), user: userIn(store.engine.decode('json', body as never)) }));
}

/** The rows a delete could take. */
export async function countLive(store: Pick<Store, 'db'>, table: DeletableTable): Promise<number> {
  const row = await store.db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll().as('count'))
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

function userIn(body: unknown): string | null {
  const user = typeof body === 'object' && body !== null && 'user' in body ? body.user : null;
  return typeof user === 'string' ? user : null;
}

// Rows that may be gone from the service: not deleted here, and not heard of since a moment.
import type { Store } from './contract.ts';

export type DeletableTable = 'contacts' | 'event_types' | 'meeting_recaps';

export interface UnheardRow {
  readonly uri: string;
  /** Whose it is, where its record says so. */
  readonly user: string | null;
}

/** In the order of their URIs, from `after` on. */
export async function unheardSince(
  store: Pick<Store, 'db' | 'engine'>,
  table: DeletableTable,
  { since, after, limit }: { readonly since: string; readonly after: string; readonly limit: number },
): Promise<readonly UnheardRow[]> {
  // Only of recaps does it matter whose they are, and a million bodies are much to read.
  const columns = table === 'meeting_recaps' ? (['uri', 'body'] as const) : (['uri'] as const);
  const live = store.db.selectFrom(table).select(columns).where('deleted_at', 'is', null);
  const unheard = live.where('as_of', '<', since);
  const rows = await unheard.where('uri', '>', after).orderBy('uri').limit(limit).execute();
  return rows.map((row) => {
    const body = 'body' in row ? store.engine.decode('json', row.body) : null;
    return { uri: row.uri, user: userIn(body) };
  });
}

/** The rows a delete could take: of those of one service. */
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

function userIn(body: unknown): string | null {
  const user = typeof body === 'object' && body !== null && 'user' in body ? body.user : null;
  return typeof user === 'string' ? user : null;
}

// Contact search on SQLite: an FTS5 index of trigrams. Triggers list changed contacts as pending and remove deleted texts at once;
// readers index the pending contacts, a few at a time.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { CatchUpOptions, ContactIndex, IndexedStore } from '#src/store/search/contact-index.ts';
import type { TextsOf } from '#src/store/search/contact-match.ts';
import type { Database } from '#src/store/tables.ts';
import { wordColumns, wordQuery, wordsOf } from './sqlite-trigrams.ts';

/** Contacts per transaction: the driver blocks the whole process meanwhile. */
const usuallyAtOnce = 50;
/** Pending contacts are compared one by one, up to this many; with more of them, a search does not use the index. */
const mostPending = 300;

export function sqliteContactIndex(): ContactIndex {
  let running: Promise<void> | undefined;
  return {
    equals: (column, values) => [sql`${column} in (${sql.join(values)})`],
    like: (column, pattern) => sql`${column} like ${pattern} escape '\\'`,
    folding: async () => ({ beyondAscii: false, asciiIsSafe: false }),
    async candidates(db, { filters, sample, order, most }) {
      if ((await countPending(db, mostPending + 1)) > mostPending) return undefined;
      const queries = (['quick', 'thorough'] as const).map((how) => wordQuery(filters, sample, how));
      for (const query of new Set(queries)) {
        // Counted first: looking that many contacts up takes longer than finding them.
        const ids = query === undefined ? undefined : await matching(db, query, most + 1);
        if (ids !== undefined && ids.length <= most) return indexedOrPending(ids, order);
      }
      return undefined;
    },
    catchUp(store, options = {}) {
      running ??= indexAll(store, options).finally(() => {
        running = undefined;
      });
      return running;
    },
    needsCatchUp: true,
    missing: async () => [],
  };
}

async function indexAll(store: IndexedStore, { atOnce = usuallyAtOnce, signal }: CatchUpOptions): Promise<void> {
  // Asked outside of a transaction: mostly there is nothing to do, and no writer should wait for that.
  while (!signal?.aborted && (await countPending(store.db, 1)) > 0) {
    await indexSome(store, atOnce);
    await yieldToEventLoop();
  }
}

async function countPending(db: Kysely<Database>, most: number): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from (select 1 from contact_search_pending limit ${most})`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The numbers of up to `most` contacts that the index finds. */
async function matching(db: Kysely<Database>, query: string, most: number): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`select rowid as id from contact_search
    where contact_search match ${query} limit ${most}`.execute(db);
  return rows.map(({ id }) => id);
}

/** `key`, the time to sort by, and `uri` of these contacts and of all pending ones. */
const indexedOrPending = (ids: readonly number[], order: string): RawBuilder<unknown> =>
  sql`select ${sql.ref(order)} as key, uri from contact_search_texts
        where id in (select value from json_each(${JSON.stringify(ids)}))
      union all select c.${sql.ref(order)} as key, c.uri from contact_search_pending as p
        cross join contacts as c on c.uri = p.uri where c.deleted_at is null`;

type Pending = TextsOf & { readonly uri: string; readonly created_at: string; readonly updated_at: string };

function indexSome(store: IndexedStore, atOnce: number): Promise<void> {
  return store.transaction(async ({ db }) => {
    const pending = await sql<{ uri: string }>`select uri from contact_search_pending limit ${atOnce}`.execute(db);
    if (pending.rows.length === 0) return;
    const uris = sql.join(pending.rows.map(({ uri }) => uri));
    const columns = sql.join(wordColumns.map((name) => sql.ref(name)));
    const { rows } = await sql<Pending>`select uri, created_at, updated_at, ${columns} from contacts
      where uri in (${uris}) and deleted_at is null`.execute(db);
    if (rows.length > 0) {
      const texts = rows.map((row) => sql`(${sql.join([row.uri, row.created_at, row.updated_at, ...wordsOf(row)])})`);
      await sql`insert into contact_search_texts (uri, created_at, updated_at, ${columns})
        values ${sql.join(texts)}`.execute(db);
      await sql`insert into contact_search (rowid, ${columns}) select id, ${columns} from contact_search_texts
        where uri in (${uris})`.execute(db);
    }
    await sql`delete from contact_search_pending where uri in (${uris})`.execute(db);
  });
}

// Contact search on SQLite: an FTS5 index of trigrams, which triggers keep equal to the words in `contact_search`.
import { sql, type Kysely } from 'kysely';
import type { ContactIndex } from '#src/store/contact-search/contact-index.ts';
import type { Database } from '#src/store/tables.ts';
import { wordColumns, wordQuery } from './sqlite-trigrams.ts';

export const sqliteContactIndex: ContactIndex = {
  equals: (column, values) => [sql`${column} in (${sql.join(values)})`],
  like: (column, pattern) => sql`${column} like ${pattern} escape '\\'`,
  folding: async () => ({ beyondAscii: false, asciiIsSafe: false }),
  async candidates(db, { filters, sample, order, most }) {
    const queries = (['quick', 'thorough'] as const).map((how) => wordQuery(filters, sample, how));
    for (const query of new Set(queries)) {
      // Counted first: looking that many contacts up takes longer than finding them.
      const ids = query === undefined ? undefined : await matching(db, query, most + 1);
      if (ids !== undefined && ids.length <= most)
        return sql`select ${sql.ref(order)} as key, uri from contact_search
          where id in (select value from json_each(${JSON.stringify(ids)}))`;
    }
    return undefined;
  },
  words: sql`contact_words(${sql.join(wordColumns.map((name) => sql.ref(name)))})`,
  list: (values) => sql`select value from json_each(${JSON.stringify(values)})`,
  missing: async () => [],
};

/** The numbers of up to `most` contacts that the index finds. */
async function matching(db: Kysely<Database>, query: string, most: number): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`select rowid as id from contact_search_trigrams
    where contact_search_trigrams match ${query} limit ${most}`.execute(db);
  return rows.map(({ id }) => id);
}

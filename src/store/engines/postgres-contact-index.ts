// Contact search on PostgreSQL: the planner chooses among its indexes. The index on parts of texts needs the extension pg_trgm, which
// the database user may not be allowed to create.
import { sql } from 'kysely';
import { trigramStatements } from '#src/store/migrations/0008-contact-search-table.ts';
import type { ContactIndex, Folding } from '#src/store/search/contact-index.ts';

export function postgresContactIndex(): ContactIndex {
  let known: Folding | undefined;
  return {
    // The second condition is for the index, which holds the beginning of a value only.
    equals: (column, values) => [
      sql`${column} in (${sql.join(values)})`,
      sql`left(${column}, 100) in (${sql.join(values.map((value) => sql`left(${value}, 100)`))})`,
    ],
    like: (column, pattern) => sql`translate(${column}, U&'\\212A\\0130', 'ki') ilike ${pattern}`,
    /** Which letters are equal in another case depends on the locale of the database. */
    async folding(db) {
      if (known !== undefined) return known;
      const { rows } = await sql<{ folds: boolean }>`select lower('ÄΔЖ') = 'äδж' as folds`.execute(db);
      known = { beyondAscii: rows[0]?.folds === true, asciiIsSafe: true };
      return known;
    },
    candidates: async (_db, { condition, order, most }) =>
      condition && sql`select ${sql.ref(order)} as key, uri from contact_search where ${condition} limit ${most + 1}`,
    words: sql`null`,
    list: (values) => sql`select unnest(${values}::text[])`,
    async missing(db) {
      const { rows } = await sql<{ exists: boolean }>`
        select to_regclass('contact_search_trigrams') is not null as exists`.execute(db);
      return rows[0]?.exists === true ? [] : trigramStatements;
    },
  };
}

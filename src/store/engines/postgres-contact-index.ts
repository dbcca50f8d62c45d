// Contact search on PostgreSQL: the planner chooses among its indexes. The index on parts of texts needs the extension pg_trgm, which
// the database user may not be allowed to create.
import { sql } from 'kysely';
import type { ContactIndex, Folding } from '#src/store/search/contact-index.ts';

// U+212A and U+0130 are the only characters beyond ASCII whose small letters are within it.
const texts = ['name', 'job_title', 'company', 'city'].map(
  (name) => `translate(${name}, U&'\\212A\\0130', 'ki') gin_trgm_ops`,
);

/** The statements that create the index, in this order. */
export const trigramStatements = [
  'create extension if not exists pg_trgm',
  `create index if not exists contacts_trigrams on contacts using gin (${texts.join(', ')})`,
] as const;

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
      condition &&
      sql`select ${sql.ref(order)} as key, uri from contacts where deleted_at is null and ${condition} limit ${most + 1}`,
    catchUp: async () => {},
    needsCatchUp: false,
    async missing(db) {
      const { rows } = await sql<{ exists: boolean }>`
        select to_regclass('contacts_trigrams') is not null as exists`.execute(db);
      return rows[0]?.exists === true ? [] : trigramStatements;
    },
  };
}

// Contact search on PostgreSQL: the planner chooses among its indexes. The index on parts of texts needs the extension pg_trgm, which
// the database user may not be allowed to create.
import { CompiledQuery, sql, type Kysely } from 'kysely';
import type { Database } from '#src/store/tables.ts';
import type { ContactIndex, CaseRule } from '#src/store/contact-search/contact-index.ts';

export function postgresContactIndex(): ContactIndex {
  let known: CaseRule | undefined;
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
    missing: async (db) => ((await trigramsIn(db)).exists ? [] : ['create extension if not exists pg_trgm']),
  };
}

async function trigramsIn(db: Kysely<Database>) {
  const { rows } = await sql<{ exists: boolean; extension: string | null }>`
    select to_regclass('contact_search_trigrams') is not null as exists, (select quote_ident(nspname) from pg_extension
      join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm') as extension`.execute(db);
  return rows[0] ?? { exists: false, extension: null };
}

/** At every start: the extension may have been created since the last. */
export async function indexTrigrams(
  db: Kysely<Database>,
  lock: (trx: Kysely<Database>) => Promise<void>,
): Promise<void> {
  const { exists, extension } = await trigramsIn(db);
  if (exists || extension === null) return;
  // U+212A and U+0130 are the only characters beyond ASCII whose small letters are within it.
  const parts = ['name', 'job_title', 'company', 'city'].map(
    (name) => `translate(${name}, U&'\\212A\\0130', 'ki') ${extension}.gin_trgm_ops`,
  );
  const on = `contact_search using gin (${parts.join(', ')})`;
  await db
    .transaction()
    .execute(async (trx) => {
      await lock(trx);
      await trx.executeQuery(CompiledQuery.raw(`create index if not exists contact_search_trigrams on ${on}`));
    })
    // Searches are slower without it; `doctor` reports it.
    .catch(() => undefined);
}

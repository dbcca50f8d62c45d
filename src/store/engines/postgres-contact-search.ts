// Contact search on PostgreSQL. The index on parts of texts needs the extension pg_trgm, which the database user may not be allowed to create.
import { CompiledQuery, sql, type Kysely, type SqlBool } from 'kysely';
import { likePattern, type ContactSearch } from '#src/store/contract.ts';
import type { Database } from '#src/store/schema/tables.ts';

export const postgresContactSearch = (schema: string): ContactSearch => ({
  contains(column, segments) {
    const text = sql.ref(column);
    // The index is read as a whole for each short text, and once for each of many: comparing every row once is quicker.
    if (!areIndexed(segments)) return sql<SqlBool>`(lower(${text}) ~ lower(${segments.map(literal).join('|')}))`;
    // Not `any` of a list, which no index of trigrams serves.
    const matches = segments.map((segment) => sql`${text} ilike ${likePattern(segment)}`);
    return sql<SqlBool>`(${sql.join(matches, sql` or `)})`;
  },
  // PostgreSQL estimates that it soon meets enough contacts in their order, and reads all of them where it meets none: texts of which
  // no contact has both, or of old contacts alone. So few are found by the index on texts, and then sorted.
  async narrowed(db, { order, condition, segments }) {
    if (order !== 'created_at' || !segments.some(areIndexed)) return condition;
    const found = sql`select uri from ${sql.table('contacts')} where ${condition}`;
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from (${found} limit ${few}) as found`.execute(
      db,
    );
    return rows[0]?.n === few ? condition : sql`uri = any(array(${found}))`;
  },
  missing: async (db) => ((await trigramsIn(db, schema)).exists ? [] : ['create extension if not exists pg_trgm']),
});

async function trigramsIn(db: Kysely<Database>, schema: string) {
  const { rows } = await sql<{ exists: boolean; extension: string | null }>`
    select to_regclass(${`${schema}.contacts_trigrams`}) is not null as exists, (select quote_ident(nspname) from pg_extension
      join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm') as extension`.execute(db);
  return rows[0] ?? { exists: false, extension: null };
}

/** At every start: the extension may have been created since the last. */
export async function indexTrigrams(
  db: Kysely<Database>,
  schema: string,
  lock: (trx: Kysely<Database>) => Promise<void>,
): Promise<void> {
  const { exists, extension } = await trigramsIn(db, schema);
  if (exists || extension === null) return;
  const parts = ['name', 'job_title', 'company', 'city'].map((name) => `${name} ${extension}.gin_trgm_ops`);
  const on = `contacts using gin (${parts.join(', ')}) where deleted_at is null`;
  await db
    .transaction()
    .execute(async (trx) => {
      await lock(trx);
      await trx.executeQuery(CompiledQuery.raw(`create index if not exists contacts_trigrams on ${on}`));
    })
    // Searches are slower without it; `doctor` reports it.
    .catch(() => undefined);
}

const mostIndexed = 10;
const few = 500;

const areIndexed = (segments: readonly string[]): boolean =>
  segments.length <= mostIndexed && segments.every(hasTrigrams);

/** A regular expression of this text only. */
const literal = (segment: string): string => segment.replaceAll(/[^\p{L}\p{N}]/gu, String.raw`\$&`);

const hasTrigrams = (segment: string): boolean => /[\p{L}\p{N}]{3}/u.test(segment);

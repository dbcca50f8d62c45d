// The index by which PostgreSQL finds parts of texts: there where the user of the mirror may create the extension it needs, or
// somebody else has.
import { sql } from 'kysely';
import type { Store } from '#src/store/contract.ts';

// U+212A and U+0130 are the only characters beyond ASCII whose small letters are within it.
const texts = ['name', 'job_title', 'company', 'city'].map(
  (name) => `translate(${name}, U&'\\212A\\0130', 'ki') gin_trgm_ops`,
);

/** In this order. */
export const trigramStatements = [
  'create extension if not exists pg_trgm',
  `create index if not exists contacts_trigrams on contacts using gin (${texts.join(', ')})`,
] as const;

/** False where searching contacts is slower than it could be. */
export async function hasTrigrams({ engine, db }: Pick<Store, 'engine' | 'db'>): Promise<boolean> {
  if (engine.name !== 'postgres') return true;
  const { rows } = await sql<{ there: boolean }>`select to_regclass('contacts_trigrams') is not null as there`.execute(
    db,
  );
  return rows[0]?.there === true;
}

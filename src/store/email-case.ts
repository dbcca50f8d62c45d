// E-mail addresses looked up whatever their letter case, on both engines alike: the letters A to Z and no others.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { StoreEngine } from './contract.ts';

export const small = (address: string): string => address.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** The same in SQL; to the letter as in the indexes that find by it. */
export function smallAddress(engine: StoreEngine['name'], column: string): RawBuilder<string> {
  return engine === 'sqlite' ? sql`lower(${sql.ref(column)})` : sql`lower(${sql.ref(column)} collate "C")`;
}

/** Conditions for which there is an index each: an address as it is, and one that is written in another way. */
export function addressedAs(
  engine: StoreEngine['name'],
  addresses: readonly string[],
): readonly [RawBuilder<SqlBool>, RawBuilder<SqlBool>] {
  const given = sql.join(addresses);
  const lowered = smallAddress(engine, 'email');
  return [sql`email in (${given})`, sql`(email <> ${lowered} and ${lowered} in (${given}))`];
}

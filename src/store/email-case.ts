// E-mail addresses looked up in any letter case, alike on both engines: only the letters A to Z have another case.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { SqlDialect } from './sql-dialect.ts';

export const lowerCaseEmail = (address: string): string =>
  address.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Two conditions, each with an index: the address is stored in lower case, or it is stored in another case. */
export function emailAmong(
  dialect: SqlDialect,
  addresses: readonly string[],
): readonly [RawBuilder<SqlBool>, RawBuilder<SqlBool>] {
  const given = sql.join(addresses);
  const lowered = dialect.lowerCase('email');
  return [sql`email in (${given})`, sql`(email <> ${lowered} and ${lowered} in (${given}))`];
}

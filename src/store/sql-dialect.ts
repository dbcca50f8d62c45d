// The SQL expressions that SQLite and PostgreSQL write differently.
import { sql, type RawBuilder, type SqlBool } from 'kysely';

export type Sql = RawBuilder<unknown>;

/** What is used in many places, and no more: a query of its own is written twice, side by side, and what people read is a view. */
export interface SqlDialect {
  /** Whether another transaction wrote the row. SQLite has one writer at a time. */
  readonly isOfAnother: RawBuilder<SqlBool>;
  /** A time given as text, where it is compared with a column. */
  time(text: string): Sql;
  /** The moment of the query. */
  readonly now: Sql;
  /** The letters A to Z of a column in lower case, and no others; literally the expression of the indexes on e-mail addresses. */
  lowerCase(column: string): RawBuilder<string>;
  /** The same letters in lower case, without spaces around the text: for comparisons that no index serves. */
  plainCase(text: Sql): Sql;
  /** Text compared byte by byte, whatever the collation of the database: both stores then agree on what comes first. */
  bytes(text: Sql): Sql;
  /** The last characters of a column; literally the expression of the index on the URIs of invitees. */
  lastCharacters(column: string, count: number): Sql;
  /** A query for these texts, as one parameter. */
  values(texts: readonly string[]): Sql;
  jsonText(column: Sql): Sql;
  /** Whether `user` of one of the objects in a JSON list is among these. */
  hasUserAmong(list: Sql, users: Sql): RawBuilder<SqlBool>;
  /** The items of a JSON list, to be joined under the alias `item`; none where it is no list. */
  items(json: Sql): Sql;
  /** A member of `item`; null where it is no text. */
  itemText(name: string): Sql;
}

/** E-mail addresses are compared in any letter case, alike on both engines: only the letters A to Z have another case. */
export const lowerCaseEmail = (address: string): string =>
  address.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Whether a column contains a text, in any case of the letters A to Z. */
export function containsText(dialect: SqlDialect, column: string, text: string): RawBuilder<SqlBool> {
  const pattern = `%${lowerCaseEmail(text).replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  return sql<SqlBool>`${dialect.lowerCase(column)} like ${pattern} escape '\\'`;
}

/** Two conditions, each with an index: the address is stored in lower case, or it is stored in another case. */
export function emailAmong(
  dialect: SqlDialect,
  addresses: readonly string[],
): readonly [RawBuilder<SqlBool>, RawBuilder<SqlBool>] {
  const given = sql.join(addresses);
  const lowered = dialect.lowerCase('email');
  return [sql`email in (${given})`, sql`(email <> ${lowered} and ${lowered} in (${given}))`];
}

// The SQL expressions that SQLite and PostgreSQL write differently.
import { sql, type RawBuilder, type SqlBool } from 'kysely';

export type Sql = RawBuilder<unknown>;

export interface SqlDialect {
  /** Whether another transaction wrote the row. SQLite has one writer at a time. */
  readonly isOfAnother: RawBuilder<SqlBool>;
  /** A time given as text, where it is compared with a column. */
  time(text: string): Sql;
  /** The letters A to Z of a column in lower case, and no others; literally the expression of the indexes on e-mail addresses. */
  lowerCase(column: string): RawBuilder<string>;
  /** The same letters in lower case, without spaces around the text: for comparisons that no index serves. */
  plainCase(text: Sql): Sql;
  /** The same text, for a comparison with a column that has an index: PostgreSQL uses one only where the collations are alike. */
  comparable(text: Sql): Sql;
  /** The last characters of a column; literally the expression of the index on the URIs of invitees. */
  lastCharacters(column: string, count: number): Sql;
  /**
   * Joins the rows of a table that meet a condition, row by row through an index. PostgreSQL would read the whole table where it expects
   * many rows, as it does of a recursive query.
   */
  lookUp(join: 'join' | 'left join', table: string, by: { readonly on: Sql; readonly as?: string }): Sql;
  /** Joins one row of values about each row of a query, computed once and only where it is read. */
  oneRow(alias: string, select: OneRowSelect): OneRow;
  /** A query for these texts, as one parameter. */
  values(texts: readonly string[]): Sql;
  /** Aggregates texts to a JSON list: on PostgreSQL sorted by bytes, on SQLite in the order in which they come. */
  list(text: Sql): Sql;
  /** A JSON list of no text or one. */
  listOf(text?: Sql): Sql;
  /** The texts of a JSON list as a table with the column `value`. */
  texts(list: Sql, alias: string): Sql;
  /** Joins the rows of a table whose `email` is an address in any letter case, one by one; the address is given in lower case. */
  lookUpAddress(table: string, by: { readonly address: Sql; readonly as: string }): Sql;
  /** A part of a union whose reader wants it sorted by a column: SQLite finds out by itself. */
  sortedPart(select: Sql, column: string): Sql;
  /** Whether a limit inside a recursive query ends it; else the limit of its reader does. */
  readonly limitsRecursion: boolean;
  jsonText(column: Sql): Sql;
  /** Whether `user` of one of the objects in a JSON list is among these. */
  hasUserAmong(list: Sql, users: Sql): RawBuilder<SqlBool>;
  /** The moment of the query. */
  readonly now: Sql;
  /** Text compared byte by byte, whatever the collation of the database: both stores then agree on what comes first. */
  bytes(text: Sql): Sql;
  /** From one time to another in whole seconds, each time cut to its second. */
  secondsBetween(from: Sql, to: Sql): Sql;
  /** Whole seconds since 1970. */
  epoch(time: Sql): Sql;
  /** Of a time in UTC: its month as `2025-04`, its day, its hour as two digits, its weekday from 1 (Monday) to 7. */
  month(time: Sql): Sql;
  day(time: Sql): Sql;
  hour(time: Sql): Sql;
  weekday(time: Sql): Sql;
  /** A time, cut to its second, and so many seconds later. */
  later(time: Sql, seconds: Sql): Sql;
  /** `2025-04-14T09:30` in UTC. */
  minute(time: Sql): Sql;
  /** A member of a JSON object, or of the object at an index of a JSON list; null where it is no text. */
  textAt(json: Sql, path: { readonly index?: number; readonly name: string }): Sql;
  /** The items of a JSON list, to be joined under the alias `item`; none where it is no list. */
  items(json: Sql): Sql;
  /** The same, without items that have no text in a member; of those with the same text, the last. */
  distinctItems(json: Sql, name: string): Sql;
  /** Where `item` is in its list, from 1; not of distinct items. */
  readonly itemPosition: Sql;
  /** A member of `item`; null where it is no text. */
  itemText(name: string): Sql;
  /** A member of `item` as JSON; null where there is none. */
  itemJson(name: string): Sql;
  itemIsTrue(name: string): RawBuilder<SqlBool>;
  /** The text that `item` is; null where it is no text. */
  readonly item: Sql;
  /** The greatest of several numbers, none of them null. */
  greatest(numbers: readonly Sql[]): Sql;
  asText(value: Sql): Sql;
  /** Division that keeps its fraction; null by nothing. */
  ratio(part: Sql, whole: Sql): Sql;
  /** A sum of amounts of money, without what adding binary fractions leaves behind. */
  sumOfMoney(amount: Sql): Sql;
  /** Joins the values in a list of custom fields: of each of these fields the last one, as JSON; null where there is none. */
  customFields(list: Sql, fields: readonly NamedField[]): { readonly join: Sql; value(field: NamedField): Sql };
  /** One value of a custom field in the type of its definition; null where it does not fit. */
  readonly custom: CustomValues;
}

export interface OneRowSelect {
  readonly values: Readonly<Record<string, Sql>>;
  readonly with?: Sql;
  readonly from: Sql;
}

export interface OneRow {
  readonly join: Sql;
  value(name: string): Sql;
}

export interface NamedField {
  readonly uri: string;
  readonly name: string;
}

export interface CustomValues {
  text(value: Sql): Sql;
  number(value: Sql): Sql;
  integer(value: Sql): Sql;
  flag(value: Sql): Sql;
  date(value: Sql): Sql;
  tags(value: Sql): Sql;
  /** The label of the option which the value names; its uuid where it has none. */
  option(value: Sql, options: Sql): Sql;
  /** A text as it is, anything else as JSON. */
  anyText(value: Sql): Sql;
}

/** Beyond it is no amount of money; one such number would swallow the others, or overflow. */
export const largestAmount = 1e15;
/** What every reader of a number can hold. */
export const largestInteger = sql.lit(Number.MAX_SAFE_INTEGER);

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

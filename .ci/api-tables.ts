// The tables and views as plain interfaces, from the declarations. A column whose values our code alone writes has exactly those; where the
// service may send others, any text is allowed beside the known ones.
import { commonRelations } from '#src/read/tables/relation.ts';
import { describedTables } from '#src/store/schema/dictionary.ts';
import { viewsFor } from '#src/store/views/views.ts';

interface Column {
  readonly name: string;
  readonly kind: string;
  readonly required: boolean;
  readonly about: string;
  readonly oneOf?: readonly string[] | undefined;
  readonly isOpen?: boolean;
}

const values = `/** What node-postgres returns for each kind of column. */
export interface PostgresValues {
  text: string;
  /** Has microseconds in the database, and milliseconds here. */
  time: Date;
  date: Date;
  json: Json;
  flag: boolean;
  integer: string;
  number: number;
}
/** What SQLite stores for each kind of column: JSON as text, flags as 0 and 1. */
export interface SqliteValues {
  text: string;
  time: string;
  date: string;
  json: string;
  flag: number;
  integer: number;
  number: number;
}
/** What the HTTP API answers for each kind of column. */
export interface JsonValues {
  text: string;
  /** \`2026-11-01T09:00:00.000000Z\`; \`new Date(…)\` reads it. */
  time: string;
  /** \`2026-11-01\` */
  date: string;
  json: Json;
  flag: boolean;
  integer: number;
  number: number;
}
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
/** For a driver of your own, or one with other parsers: the types of its values. */
export type ColumnValues = Record<keyof PostgresValues, unknown>;
/** For PostgreSQL: \`new Kysely<Database>(…)\`. */
export type Database = Tables<PostgresValues>;
export type SqliteDatabase = Tables<SqliteValues>;
/** A row of a table or a view: \`Row<'contacts'>\`. */
export type Row<Name extends keyof Tables<PostgresValues>, Values extends ColumnValues = PostgresValues> = Tables<Values>[Name];`;

/** Columns of custom fields are those of the account. */
const withCustomColumns = 'contacts_wide';

export function tableTypes({ described = describedTables(), wanted = viewsFor([]) } = {}): string {
  const tables = described.map(({ name, about, columns }) => ({ name, about, columns }));
  const views = wanted.map(({ name, about, key, columns }) => ({
    name,
    about,
    columns: Object.entries(columns).map(([column, each]) => ({
      name: column,
      required: key.includes(column),
      ...each,
    })),
  }));
  const all = [...tables, ...views];
  const list = all.map(({ name }) => `  ${name}: ${interfaceName(name)}<Values>;`);
  const readable = new Set(commonRelations().map(({ name }) => name));
  const hidden = all.flatMap(({ name }) => (readable.has(name) ? [] : [`'${name}'`]));
  return [
    values,
    `/** What \`slotstream/client\` reads: every table and view, except those that only the program reads. */\nexport type ReadableTable = Exclude<keyof Tables<JsonValues>, ${hidden.join(' | ')}>;`,
    `export interface Tables<Values extends ColumnValues> {\n${list.join('\n')}\n}`,
    ...all.map(
      ({ name, about, columns }) =>
        `/** ${about} */\nexport interface ${interfaceName(name)}<Values extends ColumnValues> {\n${columns.map(line).join('\n')}${
          name === withCustomColumns ? '\n  [customField: string]: unknown;' : ''
        }\n}`,
    ),
  ].join('\n');
}

const line = ({ name, kind, required, about, oneOf, isOpen }: Column): string => {
  const words = oneOf?.map((word) => `'${word}'`).concat(isOpen ? ['(string & {})'] : []);
  const type = words?.join(' | ') ?? `Values['${kind}']`;
  return `  /** ${about.replaceAll('*/', '* /')} */\n  ${name}: ${type}${required ? '' : ' | null'};`;
};

const interfaceName = (table: string): string =>
  `${table.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Row`;

// A column and a value of it, as each engine compares and sorts them: text by bytes, times and numbers by their type.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { ColumnKind } from '#src/store/columns.ts';
import type { StoreEngine } from '#src/store/contract.ts';
import { lowerCaseEmail } from '#src/store/sql-dialect.ts';
import type { Pattern, Value } from './question.ts';

type Sql = RawBuilder<unknown>;
type Engine = Pick<StoreEngine, 'name' | 'encode'>;

/** PostgreSQL takes a parameter for a value of the column's own type, which may be too small for it. */
const types: Readonly<Record<ColumnKind, Sql>> = {
  time: sql`::timestamptz`,
  date: sql`::date`,
  integer: sql`::bigint`,
  number: sql`::double precision`,
  flag: sql`::boolean`,
  text: sql`::text`,
  json: sql`::jsonb`,
};

export function parameter(engine: Engine, kind: ColumnKind, value: Value): Sql {
  const bound = sql`${typeof value === 'boolean' ? engine.encode('flag', value) : value}`;
  return engine.name === 'sqlite' ? bound : sql`${bound}${types[kind]}`;
}

/** A column where it is sorted, or compared by its order. */
export const ordered = ({ name }: Engine, kind: ColumnKind, column: Sql): Sql =>
  kind === 'text' && name === 'postgres' ? sql`(${column} collate "C")` : column;

/** Only the letters A to Z have another case. SQLite's `like` knows no difference of case, its `glob` does. */
export function matches(
  { name }: Engine,
  column: Sql,
  { pattern, ignoresCase }: { readonly pattern: Pattern; readonly ignoresCase: boolean },
): RawBuilder<SqlBool> {
  if (name === 'sqlite' && !ignoresCase) return sql<SqlBool>`${column} glob ${globOf(pattern)}`;
  const text = likeOf(pattern);
  if (name === 'sqlite') return sql<SqlBool>`${column} like ${text} escape '\\'`;
  return ignoresCase
    ? sql<SqlBool>`lower(${column} collate "C") like ${lowerCaseEmail(text)} escape '\\'`
    : sql<SqlBool>`${column} like ${text} escape '\\'`;
}

const globOf = (pattern: Pattern): string =>
  pattern
    .map((part) =>
      typeof part === 'string' ? part.replaceAll(/[[*?]/g, (each) => `[${each}]`) : { one: '?', many: '*' }[part.any],
    )
    .join('');

const likeOf = (pattern: Pattern): string =>
  pattern
    .map((part) =>
      typeof part === 'string' ? part.replaceAll(/[\\%_]/g, (each) => `\\${each}`) : { one: '_', many: '%' }[part.any],
    )
    .join('');

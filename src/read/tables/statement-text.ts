// A question as one statement with its values in it, for people to run with psql or sqlite3: it has the rows of the first page, or all groups.
import { sql } from 'kysely';
import type { Readable } from '#src/store/contract.ts';
import { plainWhere } from './conditions.ts';
import { sortColumns, wholeOrder } from './order.ts';
import type { Question } from './question.ts';
import type { Relation } from './relation.ts';
import { groupsSql, mostGroups } from './rows.ts';

export function statementText(
  store: Readable,
  relation: Relation,
  { question, limit }: { readonly question: Question; readonly limit: number },
): string {
  const where = plainWhere(store.engine, relation, question.where);
  const names = question.select.map(({ name }) => sql.id(name));
  const order = wholeOrder(store.engine, sortColumns(relation, question.order));
  const query = question.isGrouped
    ? groupsSql(store, relation, { question, where, limit: mostGroups })
    : sql`select ${sql.join(names)} from ${sql.table(relation.name)} where ${where} order by ${order} limit ${question.limit ?? limit}`;
  const { sql: text, parameters } = query.compile(store.db);
  return `${inLines(withValues(text, parameters))};`;
}

/** A name or a text in quotes, or the place of a parameter: numbered by PostgreSQL, in their order by SQLite. */
const pieces = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\$(\d+)|\?/g;

function withValues(text: string, parameters: readonly unknown[]): string {
  let next = 0;
  return text.replaceAll(pieces, (piece: string, number: string | undefined) => {
    if (number !== undefined) return literal(parameters[Number(number) - 1]);
    if (piece !== '?') return piece;
    next += 1;
    return literal(parameters[next - 1]);
  });
}

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);

/** Each part on a line of its own; what is in quotes stays as it is. */
const inLines = (text: string): string =>
  text.replaceAll(
    /"(?:[^"]|"")*"|'(?:[^']|'')*'|\s+(from|where|group by|order by|limit)?(?!\S)|\s+/g,
    (piece, word) => {
      if (!/^\s/.test(piece)) return piece;
      return typeof word === 'string' ? `\n${word}` : ' ';
    },
  );

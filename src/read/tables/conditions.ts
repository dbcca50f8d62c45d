// The conditions of a question as SQL, with what they imply and an index knows.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { isMarked, withOutcome } from '#src/read/bookings/booking-conditions.ts';
import { withoutBlank } from '#src/store/blank-meetings.ts';
import { outcomes } from '#src/store/bookings/words.ts';
import type { StoreEngine } from '#src/store/contract.ts';
import { matches, ordered, parameter } from './column-sql.ts';
import type { Condition, Test, Value } from './question.ts';
import type { Relation } from './relation.ts';

type Bool = RawBuilder<SqlBool>;

/** The rows that a question is about; blank rows are never among them. */
export function rowsWhere(engine: StoreEngine, relation: Relation, where: readonly Condition[]): Bool {
  const parts = where.flatMap((condition) => [
    ...impliedBy(engine, relation, condition),
    conditionSql(engine, relation, condition),
  ]);
  return and([...parts, ...withoutBlank(relation.name)]);
}

/** The same rows, as a person would write it. */
export const plainWhere = (engine: StoreEngine, relation: Relation, where: readonly Condition[]): Bool =>
  and([...where.map((each) => conditionSql(engine, relation, each)), ...withoutBlank(relation.name)]);

export const and = (parts: readonly Bool[]): Bool =>
  parts.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.join(parts, sql` and `)}`;

function conditionSql(engine: StoreEngine, relation: Relation, condition: Condition): Bool {
  const positive =
    'column' in condition
      ? testSql(engine, relation, condition)
      : sql<SqlBool>`(${sql.join(
          condition.parts.map((part) => conditionSql(engine, relation, part)),
          condition.operator === 'and' ? sql` and ` : sql` or `,
        )})`;
  return condition.isNegated ? sql<SqlBool>`(not ${positive})` : positive;
}

const symbols = { eq: sql`=`, neq: sql`<>`, gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const;

function testSql(engine: StoreEngine, { columns }: Relation, test: Test & { readonly column: string }): Bool {
  const column = sql.id(test.column);
  const kind = columns[test.column]?.kind ?? 'text';
  const bound = (value: Value) => parameter(engine, kind, value);
  switch (test.operator) {
    case 'is':
      return isSql(engine, column, test.value);
    case 'in':
      // PostgreSQL has no empty list. As every test but `is`, it does not hold for a row without a value, nor does its opposite.
      return test.values.length === 0
        ? sql<SqlBool>`(case when ${column} is not null then 1 = 0 end)`
        : sql<SqlBool>`${column} in (${sql.join(test.values.map(bound))})`;
    case 'like':
    case 'ilike':
      return matches(engine, column, { pattern: test.pattern, ignoresCase: test.operator === 'ilike' });
    case 'eq':
    case 'neq':
      return sql<SqlBool>`${column} ${symbols[test.operator]} ${bound(test.value)}`;
    default:
      return sql<SqlBool>`${ordered(engine, kind, column)} ${symbols[test.operator]} ${bound(test.value)}`;
  }
}

function isSql({ name }: StoreEngine, column: RawBuilder<unknown>, value: null | boolean): Bool {
  if (value === null) return sql<SqlBool>`${column} is null`;
  if (name === 'sqlite') return sql<SqlBool>`${column} is ${Number(value)}`;
  return value ? sql<SqlBool>`${column} is true` : sql<SqlBool>`${column} is false`;
}

/** Conditions that hold wherever this one does. The row must satisfy this one too, so they only make it faster. */
function impliedBy(engine: StoreEngine, { name, lookUp }: Relation, condition: Condition): readonly Bool[] {
  if (!('column' in condition) || condition.isNegated) return [];
  const { column } = condition;
  const values = condition.operator === 'eq' ? [condition.value] : condition.operator === 'in' ? condition.values : [];
  if (values.length === 0) return [];
  if (column === lookUp?.column) {
    const { by, table, group, member } = lookUp;
    const wanted = engine.dialect.values(values.map(String));
    return [
      sql<SqlBool>`${sql.id(by)} in (select ${sql.id(member)} from ${sql.table(table)}
        where ${sql.id(group)} in (${wanted}) union all ${wanted})`,
    ];
  }
  if (name !== 'bookings' || values.length > 1) return [];
  if (column === 'attendance') return values[0] === 'no_show' ? [isMarked] : [];
  const outcome = column === 'outcome' && outcomes.find((each) => each === values[0]);
  return outcome ? withOutcome(outcome) : [];
}

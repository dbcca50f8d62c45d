// The order of a page: rows without a value come last, text is sorted by bytes, and the key decides between equal rows. A page begins beyond
// a row. Where the first column can be null, its rows with a value and those without one are two queries, so that each follows an index; and
// `a >= x and (a > x or …)` lets an index begin at the row, which `(a, b) > (x, y)` does not where the directions differ.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { ColumnKind } from '#src/store/columns.ts';
import type { StoreEngine } from '#src/store/contract.ts';
import { ordered, parameter } from './column-sql.ts';
import type { OrderTerm, Value } from './question.ts';
import type { Relation } from './relation.ts';

type Bool = RawBuilder<SqlBool>;

export interface SortColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly isDescending: boolean;
  readonly isNullable: boolean;
}

/** What was asked for, else the first fast order with the newest first, else the key; completed with the key. */
export function sortColumns({ key, fast, columns }: Relation, asked: readonly OrderTerm[]): readonly SortColumn[] {
  const [first] = fast;
  const usual = first === undefined ? [] : [{ name: first, isDescending: true }];
  const chosen = asked.length > 0 ? asked : usual;
  const isDescending = chosen.at(-1)?.isDescending ?? false;
  const rest = key.filter((name) => chosen.every((term) => term.name !== name));
  return [...chosen, ...rest.map((name) => ({ name, isDescending }))].map((term) => {
    const { kind, isRequired } = columns[term.name] ?? { kind: 'text', isRequired: false };
    return { ...term, kind, isNullable: !isRequired };
  });
}

/** Whether an index orders the rows so. A table is ordered by its key, too. */
export const isFast = ({ fast, key, isView }: Relation, [first]: readonly SortColumn[]): boolean =>
  first !== undefined && (fast.includes(first.name) || (!isView && key[0] === first.name));

export interface Start {
  /** Of each column of the order; null where the row has none. */
  readonly values: readonly (Value | null)[];
  /** The row itself is part of the page. */
  readonly isIncluded: boolean;
}

interface Part {
  readonly condition: Bool;
  readonly orderBy: RawBuilder<unknown>;
}

interface Way {
  readonly start: Start | undefined;
  readonly isBackwards: boolean;
}

/** The queries whose rows, one after the other, are those in this order. */
export function partsInOrder(
  engine: StoreEngine,
  [first, ...rest]: readonly SortColumn[],
  { start, isBackwards }: Way,
): readonly Part[] {
  if (first === undefined) throw new TypeError('An order has at least one column.');
  const sorter = sorterFor(engine, isBackwards);
  const whole = [first, ...rest];
  if (!first.isNullable)
    return [{ condition: start ? sorter.beyond(whole, start) : always, orderBy: sorter.orderBy(whole) }];
  const column = sql.id(first.name);
  const [value, ...others] = start?.values ?? [];
  const isAtNull = start !== undefined && value === null;
  const filled = { ...first, isNullable: false };
  const withValue: Part = {
    condition: start && !isAtNull ? sorter.beyond([filled, ...rest], start) : sql<SqlBool>`${column} is not null`,
    orderBy: sorter.orderBy([filled, ...rest]),
  };
  const beyond = start && isAtNull ? sorter.beyond(rest, { ...start, values: others }) : always;
  const without: Part = {
    condition: sql<SqlBool>`${column} is null and ${beyond}`,
    orderBy: sorter.orderBy(rest),
  };
  if (isBackwards) return start && !isAtNull ? [withValue] : [without, withValue];
  return isAtNull ? [without] : [withValue, without];
}

/** All rows in this order, in one query. */
export const wholeOrder = (engine: StoreEngine, columns: readonly SortColumn[]): RawBuilder<unknown> =>
  sorterFor(engine, false).orderBy(columns);

const always = sql<SqlBool>`1 = 1`;
const never = sql<SqlBool>`1 = 0`;

function sorterFor(engine: StoreEngine, isBackwards: boolean) {
  const isFalling = ({ isDescending }: SortColumn) => isDescending !== isBackwards;
  return {
    orderBy: (columns: readonly SortColumn[]): RawBuilder<unknown> =>
      sql.join(
        columns.map((each) => {
          const sorted = sql`${sqlOf(each)} ${isFalling(each) ? sql`desc` : sql`asc`}`;
          if (!each.isNullable) return sorted;
          return isBackwards ? sql`${sorted} nulls first` : sql`${sorted} nulls last`;
        }),
      ),
    beyond,
  };

  function sqlOf({ name, kind }: SortColumn): RawBuilder<unknown> {
    return ordered(engine, kind, sql.id(name));
  }

  function beyond([first, ...rest]: readonly SortColumn[], { values, isIncluded }: Start): Bool {
    if (first === undefined) return isIncluded ? always : never;
    const [value = null, ...others] = values;
    const later = beyond(rest, { values: others, isIncluded });
    const column = sqlOf(first);
    if (value === null)
      return isBackwards
        ? sql<SqlBool>`(${column} is not null or ${later})`
        : sql<SqlBool>`(${column} is null and ${later})`;
    const [sign, at] = [isFalling(first) ? sql`<` : sql`>`, parameter(engine, first.kind, value)];
    const among = sql<SqlBool>`${column} ${sign}= ${at} and (${column} ${sign} ${at} or ${later})`;
    return first.isNullable && !isBackwards
      ? sql<SqlBool>`(${column} is null or (${among}))`
      : sql<SqlBool>`(${among})`;
  }
}

// Writes a question to a table as the address has it: `start_time=gte.2026-11-01&or=(moves.gt.0,host.is.null)`. Values are quoted, so that
// any text arrives as itself; docs/tables.md has the grammar.

export interface AnyQuestion {
  readonly where?: object | undefined;
  readonly select?: readonly string[] | undefined;
  readonly order?: readonly string[] | undefined;
  readonly limit?: number | undefined;
}

interface Test {
  readonly column: string;
  /** `eq`, also behind `not.`. */
  readonly operator: string;
  readonly value: unknown;
}
interface Group {
  readonly word: 'or' | 'and' | 'not.and';
  readonly parts: readonly Condition[];
}
type Condition = Test | Group;

const operators: ReadonlySet<string> = new Set(['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'is', 'like', 'ilike']);
/** A column with one of these names stands in `and=(…)`. */
const words: ReadonlySet<string> = new Set('select order limit or and not.or not.and raw page_token'.split(' '));

export function rowsQuestion({ where = {}, select, order, limit }: AnyQuestion): {
  readonly query: URLSearchParams;
  readonly isGrouped: boolean;
} {
  if (limit !== undefined && !(Number.isInteger(limit) && limit > 0))
    throw new TypeError('limit is a whole number, 1 or more');
  const query = queryOf(where);
  if (select !== undefined) query.set('select', select.join());
  if (order !== undefined && order.length > 0) query.set('order', order.join());
  const isGrouped = select?.some((each) => each.endsWith(')')) === true;
  if (isGrouped && limit !== undefined) query.set('limit', String(limit));
  return { query, isGrouped };
}

export function countQuestion(where: object = {}): URLSearchParams {
  const query = queryOf(where);
  query.set('select', 'count()');
  return query;
}

function queryOf(where: object): URLSearchParams {
  const query = new URLSearchParams();
  for (const condition of conditionsIn(where)) {
    if (isGroup(condition)) query.append(condition.word, listOf(condition.parts));
    else if (words.has(condition.column)) query.append('and', listOf([condition]));
    else query.append(condition.column, `${condition.operator}.${valueText(condition.value, { isQuoted: false })}`);
  }
  return query;
}

const isGroup = (condition: Condition): condition is Group => 'parts' in condition;
const listOf = (parts: readonly Condition[]): string => `(${parts.map(nested).join()})`;
const nested = (condition: Condition): string =>
  isGroup(condition)
    ? `${condition.word}${listOf(condition.parts)}`
    : `${condition.column}.${condition.operator}.${valueText(condition.value, { isQuoted: true })}`;

/** All of them hold. */
function conditionsIn(where: object): readonly Condition[] {
  return Object.entries(where).flatMap(([name, given]: readonly [string, unknown]): readonly Condition[] => {
    if (name === 'not') return [opposite(conditionsIn(objectIn(name, given)))];
    if (name !== 'or' && name !== 'and') return testsIn(name, given);
    if (!Array.isArray(given)) throw new TypeError(`${name} is a list of conditions`);
    const parts = given.map((each) => conditionsIn(objectIn(name, each)));
    if (name === 'and') return parts.flat();
    return [{ word: 'or', parts: filled(parts.map(together), 'or') }];
  });
}

function testsIn(column: string, given: unknown): readonly Condition[] {
  if (given === undefined) throw new TypeError(`${column} is undefined: leave it out, or write null`);
  if (given === null) return [{ column, operator: 'is', value: null }];
  if (Array.isArray(given)) return [oneOf(column, given)];
  if (typeof given !== 'object' || given instanceof Date) return [{ column, operator: 'eq', value: given }];
  const tests = Object.entries(given).map(([operator, value]: readonly [string, unknown]): Condition => {
    if (operator === 'not') return opposite(testsIn(column, value));
    if (!operators.has(operator)) throw new TypeError(`${column}: there is no operator ${operator}`);
    if (value === undefined) throw new TypeError(`${column}: ${operator} is undefined: leave it out`);
    if (operator !== 'in') return { column, operator, value };
    if (!Array.isArray(value)) throw new TypeError(`${column}: in has a list`);
    return oneOf(column, value);
  });
  return filled(tests, column);
}

function oneOf(column: string, values: readonly unknown[]): Condition {
  if (values.some((each) => each === null || each === undefined))
    throw new TypeError(`${column}: a list has no null; write or: [{ ${column}: […] }, { ${column}: null }]`);
  return { column, operator: 'in', value: values };
}

function opposite(conditions: readonly Condition[]): Condition {
  const [first, ...others] = filled(conditions, 'not');
  if (first !== undefined && others.length === 0 && !isGroup(first) && !first.operator.startsWith('not.'))
    return { ...first, operator: `not.${first.operator}` };
  return { word: 'not.and', parts: conditions };
}

function together(conditions: readonly Condition[]): Condition {
  const [first, ...others] = filled(conditions, 'or');
  return first !== undefined && others.length === 0 ? first : { word: 'and', parts: conditions };
}

/** Nothing would mean everything in one place and nothing in another. */
function filled(conditions: readonly Condition[], name: string): readonly Condition[] {
  if (conditions.length === 0) throw new TypeError(`${name} has no condition`);
  return conditions;
}

function objectIn(name: string, given: unknown): object {
  if (typeof given === 'object' && given !== null) return given;
  throw new TypeError(`${name}: expected conditions, such as { uri: '…' }`);
}

function valueText(value: unknown, { isQuoted }: { readonly isQuoted: boolean }): string {
  if (Array.isArray(value)) return `(${value.map((each) => valueText(each, { isQuoted: true })).join()})`;
  const text = value instanceof Date ? value.toISOString() : String(value);
  // null, numbers and flags need no quotes.
  if (!isQuoted || (typeof value !== 'string' && !(value instanceof Date))) return text;
  return `"${text.replaceAll(/["\\]/g, (each) => `\\${each}`)}"`;
}

// Statements that run often. Kysely builds each once per engine and shape; afterwards only its text is used again with other
// values, because building a statement costs more than running it. Values are bound by name.
import { sql, type Compilable, type RawBuilder, type SqlBool } from 'kysely';
import type { StoreEngine, Unit } from './contract.ts';

/** How many rows or keys one statement takes at most. */
export const largestStatement = 64;

type Value = string | number | null;
type Values = Readonly<Record<string, Value | readonly Value[] | undefined>>;

/** What a statement is built with in place of its values. A list keeps its length, and undefined stays undefined. */
type Parameters<Given extends Values> = {
  readonly [Name in keyof Given]: Given[Name] extends readonly (infer Item)[]
    ? readonly RawBuilder<Item>[]
    : RawBuilder<Exclude<Given[Name], undefined>> | Extract<Given[Name], undefined>;
};

interface StatementDefinition<Given extends Values, Row> {
  /** Unique among all statements, but for the shape of the values. */
  readonly id: string;
  readonly values: Given;
  /** The best plan depends on the values and on the rows, so that the server must not keep one. */
  readonly isPlannedEachTime?: boolean;
  readonly build: (parameters: Parameters<Given>) => Compilable<Row> | RawBuilder<Row>;
}

class Placeholder {
  readonly name: string;
  readonly index: number | undefined;
  constructor(name: string, index?: number) {
    this.name = name;
    this.index = index;
  }
}

interface PreparedStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

const statements = new WeakMap<StoreEngine, Map<string, PreparedStatement>>();

/**
 * Runs a statement that is built once per `id` and shape of its values. The shape is the length of each list and which values are
 * undefined. Lists are filled up to a power of two by repeating their last item, so that few statements serve every length:
 * they are for `in (…)` only.
 */
export async function runPrepared<const Given extends Values, Row>(
  unit: Unit,
  { id, values, isPlannedEachTime = false, build }: StatementDefinition<Given, Row>,
): Promise<readonly Row[]> {
  let shape = id;
  for (const name in values) shape += shapeOf(values[name]);
  const { sql: text, parameters } = prepared(unit, shape, () => build(parametersOf(values)), { isPlannedEachTime });
  const bound = parameters.map((each) => (each instanceof Placeholder ? valueOf(values, each) : each));
  return (await unit.engine.run<Row>(unit.db, { sql: text, parameters: bound })).rows;
}

interface ForKeys<Row> {
  /** Unique among all statements. */
  readonly id: string;
  readonly keys: readonly string[];
  /** `isAmong` is the condition that a column equals one of the keys. */
  readonly build: (isAmong: (column: RawBuilder<unknown>) => RawBuilder<SqlBool>) => RawBuilder<Row>;
}

/** Runs a statement for a list of keys: at once where the engine takes a list as one value, otherwise in parts. */
export async function runForKeys<Row>(unit: Unit, { id, keys, build }: ForKeys<Row>): Promise<readonly Row[]> {
  if (keys.length === 0) return [];
  if (unit.engine.takesLists) {
    const whole = new Placeholder('keys');
    const { sql: text, parameters } = prepared(unit, id, () =>
      build((column) => sql<SqlBool>`${column} = any(${whole})`),
    );
    const bound = parameters.map((each) => (each instanceof Placeholder ? keys : each));
    return (await unit.engine.run<Row>(unit.db, { sql: text, parameters: bound })).rows;
  }
  return inChunks(keys, (chunk) =>
    runPrepared(unit, {
      id,
      values: { keys: chunk },
      build: (parameters) => build((column) => sql<SqlBool>`${column} in (${sql.join(parameters.keys)})`),
    }),
  );
}

const texts = new Set<string>();

/** Whether a statement runs often, so that a server should prepare it. */
export const runsOften = (text: string): boolean => texts.has(text);

/** The statement of this name, built when it is first needed. */
export function prepared(
  { db, engine, schema = '' }: Unit,
  id: string,
  build: () => Compilable | RawBuilder<unknown>,
  { isPlannedEachTime = false } = {},
): PreparedStatement {
  let known = statements.get(engine);
  if (known === undefined) statements.set(engine, (known = new Map()));
  const name = `${schema} ${id}`;
  let found = known.get(name);
  if (found === undefined) {
    const { sql: text, parameters } = build().compile(db);
    known.set(name, (found = { sql: text, parameters }));
    if (!isPlannedEachTime) texts.add(text);
  }
  return found;
}

function shapeOf(value: Values[string]): string {
  if (value === undefined) return ' -';
  return isList(value) ? ` ${powerOfTwo(value.length)}` : ' 1';
}

function parametersOf<Given extends Values>(values: Given): Parameters<Given> {
  const parameters: Record<string, RawBuilder<unknown> | readonly RawBuilder<unknown>[] | undefined> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) parameters[name] = undefined;
    else if (isList(value))
      parameters[name] = Array.from(
        { length: powerOfTwo(value.length) },
        (_, index) => sql`${new Placeholder(name, index)}`,
      );
    else parameters[name] = sql`${new Placeholder(name)}`;
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one parameter for each value, as the type says
  return parameters as Parameters<Given>;
}

function valueOf(values: Values, { name, index }: Placeholder): unknown {
  const value = values[name];
  return index !== undefined && isList(value) ? value[Math.min(index, value.length - 1)] : value;
}

const isList = (value: Values[string]): value is readonly Value[] => Array.isArray(value);

/** Parts small enough for one statement each. */
export function chunks<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / largestStatement) }, (_, index) =>
    items.slice(index * largestStatement, (index + 1) * largestStatement),
  );
}

/** The rows of one query after the other, each for a part of the values. */
export async function inChunks<Item, Row>(
  items: readonly Item[],
  read: (chunk: Item[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  for (const chunk of chunks(items)) for (const row of await read(chunk)) found.push(row);
  return found;
}

const powerOfTwo = (least: number) => (least === 0 ? 0 : 2 ** Math.ceil(Math.log2(least)));
export const largestPowerOfTwo = (limit: number) => 2 ** Math.floor(Math.log2(limit));

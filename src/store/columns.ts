// The seven kinds of value a column may hold, and how a table's shape is written and typed.
import { z } from 'zod';
import { instant } from '#schemas/resources/values.ts';

/** A value as the program uses it, by kind of column. */
export interface ColumnKinds {
  text: string;
  /** UTC, ISO 8601, exactly six fractional digits: text order is time order on both engines. */
  time: string;
  /** A day: `YYYY-MM-DD`. */
  date: string;
  json: Json;
  flag: boolean;
  integer: number;
  number: number;
}

export type ColumnKind = keyof ColumnKinds;
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

declare const storedAs: unique symbol;

/** A value in the form of one engine: only `StoreEngine.encode` makes it, and only `StoreEngine.decode` reads it. */
export interface StoredAs<Kind extends ColumnKind> {
  readonly [storedAs]: Kind;
}

/** A value as the database holds it. The engines store flags and JSON differently, everything else alike. */
export type StoredKinds = {
  [Kind in ColumnKind]: Kind extends 'json' | 'flag' ? StoredAs<Kind> : ColumnKinds[Kind];
};

/** A row as a driver returns it: any of the columns, in the form of the engine. */
export type StoredColumns = Readonly<Record<string, StoredKinds[ColumnKind] | null | undefined>>;

/** Translates values between the program's form and that of one engine. */
export interface Codec {
  encode<Kind extends ColumnKind, Value extends ColumnKinds[Kind] | null>(
    kind: Kind,
    value: Value,
  ): Value extends null ? null : StoredKinds[Kind];
  decode<Kind extends ColumnKind, Value extends StoredKinds[Kind] | null>(
    kind: Kind,
    stored: Value,
  ): Value extends null ? null : ColumnKinds[Kind];
}

interface StoredForm {
  readonly encode: (value: Json) => unknown;
  readonly decode: (stored: unknown) => unknown;
}

/** Values that the engine stores as the program uses them. */
const unchanged: StoredForm = { encode: (value) => value, decode: (stored) => stored };

/** The codec of an engine from the forms in which it stores JSON and flags; null stays null. Runs for every cell: it must be fast. */
export function codecOf({ json = unchanged, flag = unchanged }: { json?: StoredForm; flag?: StoredForm }): Codec {
  const encode = (kind: ColumnKind, value: Json): unknown => {
    if (value === null) return null;
    if (kind === 'json') return json.encode(value);
    return kind === 'flag' ? flag.encode(value) : value;
  };
  const decode = (kind: ColumnKind, stored: unknown): unknown => {
    if (stored === null) return null;
    if (kind === 'json') return json.decode(stored);
    return kind === 'flag' ? flag.decode(stored) : stored;
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the engine's own functions do to each kind
  return { encode, decode } as Codec;
}

export interface TableShape {
  /** The columns of the primary key; never null. */
  readonly key: readonly string[];
  /** Columns that are never null, the key included. */
  readonly required: readonly string[];
  readonly columns: Readonly<Record<string, ColumnKind>>;
}

type NullIn<Shape extends TableShape, Column> = Column extends Shape['required'][number] ? never : null;

/** A row as the program uses it: decoded, null where a nullable column has no value. */
export type Row<Shape extends TableShape = TableShape> = {
  [Column in keyof Shape['columns']]: ColumnKinds[Shape['columns'][Column]] | NullIn<Shape, Column>;
};

const valueSchemas: Readonly<Record<ColumnKind, z.ZodType>> = {
  text: z.string(),
  time: instant,
  date: z.iso.date(),
  json: z.json(),
  flag: z.boolean(),
  integer: z.int(),
  number: z.number(),
};

/** The schema of a row as JSON. That of another version may lack columns, which are null then, and have others, which are left out. */
export function recordOf<Shape extends TableShape>({ columns, required }: Shape) {
  const schemas = Object.entries(columns).map(([name, kind]) => {
    const schema = valueSchemas[kind];
    return [name, required.includes(name) ? schema : schema.nullable().default(null)];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- built from the columns that `Row` reads
  return z.object(Object.fromEntries(schemas)) as z.ZodObject<{
    [Column in keyof Row<Shape> & string]: z.ZodType<Row<Shape>[Column]>;
  }>;
}

/** A row as Kysely selects and compares it: in the form of the engine. */
export type DatabaseRow<Shape extends TableShape> = {
  [Column in keyof Shape['columns']]: StoredKinds[Shape['columns'][Column]] | NullIn<Shape, Column>;
};

/** Column names separated by spaces, as a union. */
export type Words<Text extends string, Found extends string = never> = Text extends `${infer First} ${infer Rest}`
  ? Words<Rest, Found | First>
  : Found | Text;
type Lists = { readonly [Kind in ColumnKind]?: string };
type ColumnsOf<L extends Lists> = {
  [Kind in keyof L & ColumnKind as L[Kind] extends string ? Words<L[Kind]> : never]: Kind;
};

/** Text whose words are all among `Allowed`; otherwise a type that names the words that are not. */
export type WordsAmong<Text extends string, Allowed> =
  Words<Text> extends Allowed ? Text : `not a column: ${Exclude<Words<Text>, Allowed>}`;

/**
 * A table from its key and its columns, listed by kind: `table('uri', { text: 'uri name', time: 'created_at' })`.
 * Key columns are never null; `required` lists the other columns that are not.
 */
export function table<const L extends Lists, const Key extends string, const Required extends string = never>(
  key: Key & WordsAmong<Key, keyof ColumnsOf<L>>,
  lists: L,
  required?: Required & WordsAmong<Required, keyof ColumnsOf<L>>,
): {
  readonly key: readonly Words<Key>[];
  readonly required: readonly (Words<Key> | Words<Required>)[];
  readonly columns: ColumnsOf<L>;
} {
  const kinds: Record<string, string> = {};
  for (const [kind, names] of Object.entries(lists)) for (const name of names.split(' ')) kinds[name] = kind;
  const keys = wordsOf(key);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- built from the very lists that `ColumnsOf` reads
  return { key: keys, required: [...keys, ...(required ? wordsOf(required) : [])], columns: kinds as ColumnsOf<L> };
}

export function wordsOf<const Text extends string>(text: Text): readonly Words<Text>[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Words` splits the type as `split` does the value
  return text.split(' ') as unknown as readonly Words<Text>[];
}

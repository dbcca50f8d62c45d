// The seven kinds of value a column may hold, how an engine stores them, and lists of columns that the compiler checks.

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

/** Column names separated by spaces, as a union. */
export type Words<Text extends string, Found extends string = never> = Text extends `${infer First} ${infer Rest}`
  ? Words<Rest, Found | First>
  : Found | Text;
/** Text whose words are all among `Allowed`; otherwise a type that names the words that are not. */
export type WordsAmong<Text extends string, Allowed> =
  Words<Text> extends Allowed ? Text : `not a column: ${Exclude<Words<Text>, Allowed>}`;

export function wordsOf<const Text extends string>(text: Text): readonly Words<Text>[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Words` splits the type as `split` does the value
  return text.split(' ') as unknown as readonly Words<Text>[];
}

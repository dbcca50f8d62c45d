// The seven kinds of value a column may hold, and how a table's shape is written and typed.

export interface ColumnKinds {
  text: string;
  /** UTC, ISO 8601, exactly six fractional digits: text order is time order on both stores. */
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

export interface TableShape {
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, ColumnKind>>;
}

/** A row as the program sees it: decoded, null where there is nothing. */
export type Row<Shape extends TableShape = TableShape> = {
  [Column in keyof Shape['columns']]: ColumnKinds[Shape['columns'][Column]] | null;
};

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;
type Lists = { readonly [Kind in ColumnKind]?: string };
type ColumnsOf<L extends Lists> = {
  [Kind in keyof L & ColumnKind as L[Kind] extends string ? Words<L[Kind]> : never]: Kind;
};

/** A table from its key and its columns, listed by kind: `table('uri', { text: 'uri name', time: 'created_at' })`. */
export function table<const L extends Lists>(key: string, lists: L): { key: readonly string[]; columns: ColumnsOf<L> } {
  const columns: Record<string, string> = {};
  for (const [kind, names] of Object.entries(lists)) for (const name of names.split(' ')) columns[name] = kind;
  return { key: key.split(' '), columns: columns as ColumnsOf<L> };
}

// A question to a table or view, read and checked: each column exists, and each value is of the kind of its column.

/** As the program uses it; JSON is not compared. */
export type Value = string | number | boolean;

export const comparisons = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'] as const;

export type Test =
  | { readonly operator: (typeof comparisons)[number]; readonly value: Value }
  | { readonly operator: 'in'; readonly values: readonly Value[] }
  | { readonly operator: 'is'; readonly value: null | boolean }
  /** A part of a pattern is text, or stands for one character or for any number of them. */
  | { readonly operator: 'like' | 'ilike'; readonly pattern: Pattern };

export type Pattern = readonly (string | { readonly any: 'one' | 'many' })[];

export type Condition =
  | ({ readonly column: string; readonly isNegated: boolean } & Test)
  | { readonly operator: 'and' | 'or'; readonly isNegated: boolean; readonly parts: readonly Condition[] };

export const aggregates = ['count', 'sum', 'avg', 'min', 'max'] as const;

/** A column of the answer: one of the table, or computed from the rows of a group. */
export interface Selected {
  readonly name: string;
  readonly column: string | undefined;
  readonly aggregate: (typeof aggregates)[number] | undefined;
}

export interface OrderTerm {
  /** A column; of groups, the name of a column of the answer. */
  readonly name: string;
  readonly isDescending: boolean;
}

export interface Question {
  /** All of them hold. */
  readonly where: readonly Condition[];
  readonly select: readonly Selected[];
  /** One row of the answer is a group of rows. */
  readonly isGrouped: boolean;
  /** As it was asked for: without what decides between equal rows. */
  readonly order: readonly OrderTerm[];
  readonly limit: number | undefined;
}

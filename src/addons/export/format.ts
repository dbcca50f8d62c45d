// Defines what a file format is: it receives the columns, then pages of rows, and writes bytes to an output. A new format is
// one file that implements it and one line in formats.ts.
import type { ColumnKind } from '#src/store/columns.ts';

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** One value: text, times, dates and JSON are strings, flags are booleans; null where there is no value. */
export type Cell = string | number | boolean | null;

/** In the order of the columns; further cells do not belong to the file. */
export type Cells = readonly Cell[];

export interface Output {
  write(bytes: Uint8Array): Promise<void>;
}

export interface FormatOptions {
  /** CSV: texts that a spreadsheet would run as formulas are written unchanged. */
  readonly isRaw?: boolean;
}

export interface RowWriter {
  write(rows: readonly Cells[]): Promise<void>;
  close(): Promise<void>;
  /** CSV: how many cells were changed so that a spreadsheet runs no formula. */
  readonly guarded?: number;
}

export interface Format {
  /** True when it can be written to a terminal or a pipe. */
  readonly isText: boolean;
  open(output: Output, columns: readonly Column[], options?: FormatOptions): Promise<RowWriter>;
}

// What a file format is: it is told its columns, then rows a page at a time, and turns them into bytes for an output.
// A new format = one file that defines it + one line in formats.ts.
import type { ColumnKind } from '#src/store/columns.ts';

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** One value: text, times and dates as text, JSON as its text, flags as booleans; null where there is nothing. */
export type Cell = string | number | boolean | null;

/** The cells stand in the order of the columns; any further ones are not meant for the file. */
export type Cells = readonly Cell[];

export interface Output {
  write(bytes: Uint8Array): Promise<void>;
}

export interface RowWriter {
  write(rows: readonly Cells[]): Promise<void>;
  /** Writes what is left, and whatever ends such a file. */
  close(): Promise<void>;
}

export interface Format {
  /** True when a terminal or a pipe can take it. */
  readonly isText: boolean;
  open(output: Output, columns: readonly Column[]): Promise<RowWriter>;
}

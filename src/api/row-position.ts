// What lists of rows have in common: how a row's place in its list is told, and which last parts of a URI can be looked for.
import type { Position } from '#src/http/pagination.ts';
import type { StoredRow } from '#src/store/rows.ts';

export const positionIn =
  (order: string) =>
  (row: StoredRow): Position => ({ key: String(row[order]), uri: String(row['uri']) });

/** As a URI may hold it (A5): anything else names nothing, and not every database lets itself be asked for it. */
export const isIdentifier = (text: string): boolean => /^[\x21-\x2e\x30-\x7e]{1,200}$/.test(text);

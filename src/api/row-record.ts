// Turns stored rows into the records of the API, and names a row by the last part of its URI.
import { isObject } from '#schemas/wire.ts';
import type { Position } from '#src/http/pagination.ts';
import type { StoredRow } from '#src/store/rows.ts';

/** The columns as they are stored. */
export const columnsOf = (row: StoredRow, ...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, row[name] ?? null]));

/** These fields of a JSON column; null when it holds no object. */
export const fieldsOf = (value: unknown, ...names: readonly string[]) =>
  isObject(value) ? Object.fromEntries(names.map((name) => [name, value[name] ?? null])) : null;

/** The objects of a JSON column that holds a list. */
export const objectsIn = (value: unknown) => (Array.isArray(value) ? value : []).filter(isObject);

export const positionIn =
  (order: string) =>
  (row: StoredRow): Position => ({ key: String(row[order]), uri: String(row['uri']) });

/** The characters of a URI (A5). Anything else names no row, and PostgreSQL rejects some of it. */
export const isIdentifier = (text: string): boolean => /^[\x21-\x2e\x30-\x7e]{1,200}$/.test(text);

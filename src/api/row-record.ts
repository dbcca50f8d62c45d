// Finds the rows that an operation of the API lists or names, and turns them into its records.
import { isObject } from '#schemas/wire.ts';
import { notFound } from '#src/http/http-error.ts';
import { listing, type Listing } from '#src/http/pagination.ts';
import type { Readable } from '#src/store/contract.ts';
import { readColumns, type StoredRow } from '#src/store/rows.ts';
import type { TableRow } from '#src/store/schema/tables.ts';
import {
  findRows,
  tableRows,
  inviteeEndingWith,
  rowsByUri,
  uriEndingWith,
  type RowQuery,
} from '#src/store/record-search.ts';

/** The objects of a JSON column that holds a list. */
export const objectsIn = (value: unknown) => (Array.isArray(value) ? value : []).filter(isObject);

/** The characters of a URI (A5). Anything else names no row, and PostgreSQL rejects some of it. */
export const isIdentifier = (text: string): boolean => /^[\x21-\x2e\x30-\x7e]{1,200}$/.test(text);

type ListedTable =
  | 'contacts'
  | 'custom_field_definitions'
  | 'invitees'
  | 'scheduled_events'
  | 'meeting_recaps'
  | 'routing_form_submissions';

/** Whose rows are named by the last part of their URIs. */
export type NamedTable =
  | ListedTable
  | 'event_types'
  | 'organization_memberships'
  | 'routing_forms'
  | 'users'
  | 'webhook_subscriptions';

/** One page of a table, in the order of a time. */
export async function listRows(
  store: Readable,
  table: ListedTable,
  wanted: RowQuery & { readonly recordOf: (row: StoredRow) => object },
): Promise<Listing> {
  const found = await findRows(store, tableRows(table), wanted);
  const positionOf = (row: StoredRow) => ({ key: String(row[wanted.order]), uri: String(row['uri']) });
  return listing<StoredRow>({ ...found, positionOf }, wanted.recordOf);
}

/** The row that the last part of its URI names; `what` is for the error where there is none. */
export async function rowNamed<Name extends NamedTable>(
  store: Readable,
  table: Name,
  id: string,
  what: string,
): Promise<TableRow<Name>> {
  const end = `/${table}/${id}`;
  const find = () => (table === 'invitees' ? inviteeEndingWith(store, end) : uriEndingWith(store, table, end));
  const uri = isIdentifier(id) ? await find() : undefined;
  const [row] = uri === undefined ? [] : await rowsByUri(store, table, [uri]);
  if (row === undefined) throw notFound(`No such ${what}.`);
  return row;
}

/** Names by URI; what is not mirrored or has no name is left out. */
export async function namesOf(
  store: Readable,
  table: 'contacts' | 'event_types' | 'routing_forms' | 'users',
  uris: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const values = [...new Set(uris.flatMap((uri) => uri || []))];
  const rows = await readColumns(store, table, { columns: ['uri', 'name'], key: 'uri', values });
  return new Map(rows.flatMap(({ uri, name }) => (name ? [[uri, name] as const] : [])));
}

// What operators did: a page of the recorded actions.
import { pageQuery } from '#schemas/pagination.ts';
import { paginationOf } from '#src/http/cursor.ts';
import { listing } from '#src/http/pagination.ts';
import { filtersOf, parseInput, plainText, readCursor, type RawQuery } from '#src/http/request.ts';
import { findActions, type AdminAction } from '#src/store/admin-actions.ts';
import type { ApiContext } from './api-operation.ts';

const actionQuery = pageQuery.extend({ operation: plainText.optional() });

/** Newest first, with the filters and the page token of this address. */
export async function readActions(
  { store, cursors }: Pick<ApiContext, 'store' | 'cursors'>,
  { url, query }: { readonly url: URL; readonly query: RawQuery },
) {
  const path = url.pathname;
  const cursor = readCursor(query, (token) => cursors.read(path, token));
  const filters = cursor?.filters ?? filtersOf(query);
  const { operation, count } = parseInput(actionQuery, { ...query, ...filters });
  const order = { count, descending: true, backwards: false, ...cursor?.position };
  const page = await findActions(store, { operation }, order);
  const listed = listing<AdminAction>({ ...page, positionOf: ({ at, id }) => ({ key: at, uri: id }) });
  return { actions: page.items, pagination: paginationOf(listed, { cursors, list: { path, filters }, url }) };
}

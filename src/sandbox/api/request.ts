// Reading a call: its query and body against the operation's schemas, its page token against the list it was made for.
import type { Context } from 'hono';
import { parseInput, readCursor, filtersOf, readJson, readQuery } from '#src/http/request.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import type { Caller } from './caller.ts';
import type { ListRequest, Cursors } from '#src/http/cursor.ts';
import type { Call, Operation } from './operation.ts';

/** A call, and the list it asks for when it asks for one. */
export interface ReadCall {
  readonly call: Call;
  readonly list: ListRequest;
}

interface CallNeeds {
  readonly service: Service;
  readonly cursors: Cursors;
}

export async function readCall(
  { service, cursors }: CallNeeds,
  operation: Operation,
  { context, caller }: { readonly context: Context; readonly caller: Caller },
): Promise<ReadCall> {
  const asked = readQuery(context.req);
  const { path } = context.req;
  const cursor =
    operation.answers === 'collection' ? readCursor(asked, (token) => cursors.read(path, token)) : undefined;
  const filters = cursor?.filters ?? filtersOf(asked);
  const query = operation.query && parseInput(operation.query, { ...asked, ...filters });
  const body = operation.body && parseInput(operation.body, await readJson(context.req.raw));
  const call: Call = {
    service,
    caller,
    uri: resourceUri(service, operation, context),
    query,
    body,
    pageIn(sort = '') {
      const { count } = query as { count: number };
      return { count, descending: sort.endsWith(':desc'), backwards: false, ...cursor?.position };
    },
  };
  return { call, list: { path, filters } };
}

export function resourceUri({ options }: Service, { path }: Operation, context: Context): string {
  const named = path.slice(0, path.lastIndexOf('}') + 1);
  return named === ''
    ? ''
    : options.baseUrl + named.replaceAll(/\{(\w+)\}/g, (_, name: string) => context.req.param(name) ?? '');
}

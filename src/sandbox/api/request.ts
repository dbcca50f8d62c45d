// Reading a call: its query and body against the operation's schemas, its page token against the list it was made for.
import type { Context } from 'hono';
import { readAs } from '../reading.ts';
import { invalid } from '../refusal.ts';
import type { Service } from '../world/service.ts';
import type { Caller } from './caller.ts';
import type { AskedList, Cursor, Cursors } from './cursor.ts';
import type { Call, Operation } from './operation.ts';

/** A call, and the list it asks for when it asks for one. */
export interface ReadCall {
  readonly call: Call;
  readonly list: AskedList;
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
  const asked = queryOf(context);
  const { path } = context.req;
  const cursor = operation.answers === 'collection' ? cursorIn(asked, (token) => cursors.read(path, token)) : undefined;
  const filters = cursor?.filters ?? filtersOf(asked);
  const query = operation.query && readAs(operation.query, { ...asked, ...filters });
  const body = operation.body && readAs(operation.body, await jsonOf(context));
  const call: Call = {
    service,
    caller,
    uri: resourceUri(service, operation, context),
    query,
    body,
    pageIn(sort = '') {
      const { count } = query as { count: number };
      return { count, descending: sort.endsWith(':desc'), backwards: false, ...cursor?.place };
    },
  };
  return { call, list: { path, filters } };
}

type Asked = Readonly<Record<string, string>>;

function filtersOf(asked: Asked): Asked {
  const { count: _count, page_token: _token, ...filters } = asked;
  return filters;
}

/** A token stands for everything its list was asked with. Who repeats some of it has to say the same. */
function cursorIn(asked: Asked, read: (token: string) => Cursor | undefined): Cursor | undefined {
  const { page_token: token } = asked;
  if (token === undefined) return undefined;
  const refuse = (message: string): Error => invalid({ message, parameter: 'page_token' });
  const cursor = read(token);
  if (cursor === undefined) throw refuse('not a token of this list, or expired: begin again without it');
  const changed = Object.entries(filtersOf(asked)).filter(([name, value]) => cursor.filters[name] !== value);
  if (changed.length > 0)
    throw refuse(`made for the list with another ${changed.map(([name]) => name).join(', ')}: begin again without it`);
  return cursor;
}

/** A parameter given twice is ambiguous, so it is refused rather than guessed at. */
function queryOf(context: Context): Record<string, string> {
  // Not Hono's own reading, which loses a parameter called `__proto__`.
  const { searchParams } = new URL(context.req.url);
  const names = [...searchParams.keys()];
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  if (repeated.length > 0)
    throw invalid(...[...new Set(repeated)].map((parameter) => ({ message: 'given more than once', parameter })));
  return Object.fromEntries(searchParams);
}

async function jsonOf(context: Context): Promise<unknown> {
  const type = context.req.header('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw invalid({ message: 'Send the header Content-Type: application/json.' });
  try {
    return JSON.parse(utf8.decode(await context.req.arrayBuffer())) as unknown;
  } catch (error) {
    // The limit on the body speaks through the same read.
    if (error instanceof SyntaxError) throw invalid({ message: 'The body is not JSON.' });
    if (error instanceof TypeError) throw invalid({ message: 'The body is not UTF-8.' });
    throw error;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function resourceUri({ options }: Service, { path }: Operation, context: Context): string {
  const named = path.slice(0, path.lastIndexOf('}') + 1);
  return named === ''
    ? ''
    : options.baseUrl + named.replaceAll(/\{(\w+)\}/g, (_, name: string) => context.req.param(name) ?? '');
}

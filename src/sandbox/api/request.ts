// Reading a call: its query and body against the operation's schemas, its page token against the list it was made for.
import type { Context } from 'hono';
import type { z } from 'zod';
import { detailsOf, invalid } from '../refusal.ts';
import type { Service } from '../world/service.ts';
import type { Caller } from './caller.ts';
import type { Cursors } from './cursor.ts';
import type { Call, Operation } from './operation.ts';

/** A call, and the list it turned out to ask for. */
export interface ReadCall {
  readonly call: Call;
  /** Names the list and its order, once `pageIn` was called. */
  listName(): string;
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
  const query = read(operation.query, queryOf(context));
  const body = operation.body === undefined ? undefined : read(operation.body, await jsonOf(context));
  let list = '';
  const call: Call = {
    service,
    caller,
    uri: resourceUri(service, operation, context),
    query,
    body,
    pageIn(order, descending = false) {
      const { count, page_token } = query as { count: number; page_token?: string };
      list = `${context.req.path} ${order} ${descending}`;
      if (page_token === undefined) return { count, descending, backwards: false };
      const cursor = cursors.read(list, page_token);
      if (cursor === undefined)
        throw invalid({
          message: 'not a token of this list, or expired: begin again without it',
          parameter: 'page_token',
        });
      return { count, descending, ...cursor };
    },
  };
  return { call, listName: () => list };
}

function read(schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined;
  const result = schema.safeParse(value);
  if (!result.success) throw invalid(...detailsOf(result.error));
  return result.data;
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

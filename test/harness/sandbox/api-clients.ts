// Clients as tests use them: of the sandbox, with a clock that only pauses move, and strangers that answer anything.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createClient, type Client, type ClientNeeds, type ClientOptions } from '#src/upstream/client.ts';
import { bearerToken, defaultNeeds } from '#src/upstream/clients.ts';
import type { ApiPage } from '#src/upstream/pages.ts';
import { openServer } from '../ports.ts';

/** Time that passes in pauses only: nothing waits, and every pause is written down. */
export function pausedTime(startMs = Date.parse('2026-11-15T12:00:00Z')) {
  let now = startMs;
  const pauses: number[] = [];
  return {
    nowMs: () => now,
    async sleep(ms: number, signal?: AbortSignal): Promise<void> {
      signal?.throwIfAborted();
      pauses.push(ms);
      now += ms;
    },
    pauses,
    pass: (ms: number) => void (now += ms),
  };
}

export const someToken = 'pat_a_secret_nobody_may_see';

export interface Bent extends Partial<ClientNeeds>, Partial<ClientOptions> {
  readonly as?: string;
}

/** A client that pauses without waiting; `bent` changes what it needs and its options. */
export function clientOf(baseUrl: string, { as = someToken, ...bent }: Bent = {}): Client {
  const needs = { ...pausedTime(Date.now()), fetch: defaultNeeds.fetch, random: () => 0.5, token: bearerToken(as) };
  return createClient({ ...needs, ...bent }, { baseUrl, ...bent });
}

type Behaviour = (request: IncomingMessage, response: ServerResponse, turn: number) => void;

/** A server on this machine that does what the test says. */
export async function openFakeServer(behave: Behaviour) {
  /** What came in, in order: `GET /contacts?count=2`. */
  const asked: string[] = [];
  /** The `Authorization` headers that came with it. */
  const keys: (string | undefined)[] = [];
  const server = await openServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    keys.push(request.headers.authorization);
    request.resume();
    behave(request, response, asked.length);
  });
  return { ...server, asked, keys };
}

export function answer(
  response: ServerResponse,
  status: number,
  body?: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
}

/** Every item of a list. */
export async function allOf<Item>(pages: AsyncIterable<ApiPage<Item>>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const page of pages) items.push(...page.items);
  return items;
}

/** The error of an operation that must fail. */
export const failureOf = (run: () => Promise<unknown>): Promise<unknown> =>
  run().then(
    () => Promise.reject(new Error('It did not fail.')),
    (error: unknown) => error,
  );

// The sandbox as tests use it: every answer is held against its published schema, and one call is one line.
import { errorBody, insufficientScopeBody } from '#schemas/errors.ts';
import { answerSchema } from '#src/http/operation.ts';
import { operationsUnder } from '#src/sandbox/api/service-app.ts';
import type { ServiceOperation } from '#src/sandbox/api/service-operation.ts';
import { forms, type Form } from '#src/sandbox/world/service.ts';
import { openSandbox, type Sandbox, type SandboxNeeds, type SandboxOptions } from '#src/sandbox/sandbox.ts';
import { openedOnce } from './opened.ts';

/** The operations of the service as the specification documents them: of a sandbox without options. */
export const operations = operationsUnder({ as: 'specification', eventTypes: false });

/**
 * Each engine with a form of the service, so that a suite runs in every form and on every engine, and not in each pair of them. What a
 * record becomes does not depend on the engine.
 */
export const inForms = <Engine>(engines: readonly Engine[]): readonly (Engine & { readonly as: Form })[] =>
  engines.map((engine, index) => ({ ...engine, as: forms[(index + 1) % forms.length] ?? 'specification' }));

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Read as JSON; undefined for 204. Tests look into it freely. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface TestSandbox extends Omit<Sandbox, 'fetch'> {
  /** As the global one, without a connection, which would take most of the time of a call. */
  readonly fetch: typeof fetch;
  /** One call to the service; `path` may be a whole URI of it. `as` names one of the tokens; null sends none. */
  call(method: string, path: string, more?: CallOptions): Promise<Answer>;
  control(method: string, path: string, body?: unknown): Promise<Answer>;
}

export interface CallOptions {
  readonly as?: keyof Sandbox['handles']['tokens'] | null;
  readonly token?: string;
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function openTestSandbox(options: SandboxOptions = {}, needs: SandboxNeeds = {}): Promise<TestSandbox> {
  const faults: unknown[] = [];
  const sandbox = await openSandbox(options, { report: (error) => void faults.push(error), inspect, ...needs });
  const { base_url, tokens } = sandbox.handles;
  const fetchInside: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    if (!request.headers.has('host')) request.headers.set('host', new URL(request.url).host);
    return sandbox.fetch(request, local);
  };

  async function send(method: string, path: string, { body, query, headers, token }: CallOptions): Promise<Answer> {
    const url = new URL(path.startsWith('http') ? path : base_url + path);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value));
    const answer = await fetchInside(url, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    // A sandbox that fails by itself fails the test, with what happened.
    if (faults.length > 0) throw faults.shift();
    return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
  }

  return {
    ...sandbox,
    fetch: fetchInside,
    call: (method, path, { as = 'owner', ...more } = {}) =>
      send(method, path, { ...(as === null ? {} : { token: tokens[as] }), ...more }),
    control: (method, path, body) => send(method, `/_sandbox${path}`, { body }),
  };
}

/** Controls answer callers on this machine only. */
export const local = { incoming: { socket: { remoteAddress: '127.0.0.1' } } };

/** For tests of what reads the answers: that these match their schemas is what the tests of the sandbox check. */
export const unchecked: SandboxNeeds = { inspect: () => undefined };

/** Answers promise more than readers demand: nothing missing, nothing that is not published. */
function inspect(operation: ServiceOperation, status: number, body: unknown): void {
  if (status === 204) return;
  const schema = status < 300 ? answerSchema(operation) : isScopeRefusal(body) ? insufficientScopeBody : errorBody;
  const result = schema?.safeParse(body);
  if (result?.success === false)
    throw new Error(`${operation.id} answers ${status} against its schema: ${result.error.message}`);
}

const isScopeRefusal = (body: unknown): boolean => (body as { title: string }).title === 'Insufficient scope';

/** A sandbox that is open, and prepared, before the first test of the file or of the suite around it, and closed after the last. */
export const openForSuite = (
  options: SandboxOptions = {},
  prepare?: (sandbox: TestSandbox) => Promise<void>,
  open: (options: SandboxOptions) => Promise<TestSandbox> = openTestSandbox,
): TestSandbox =>
  openedOnce(async () => {
    const sandbox = await open(options);
    await prepare?.(sandbox);
    return sandbox;
  });

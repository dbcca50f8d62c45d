// The sandbox under attack: requests sent byte for byte, what a usual request says, and what may not happen.
import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { commonError, errorBody, insufficientScope, permissionDeniedTitle } from '#schemas/errors.ts';
import type { ServiceOperation } from '#src/sandbox/api/service-operation.ts';
import { dayMs } from '#src/sandbox/clock.ts';
import type { OpenApiDocument } from '#src/http/openapi/document.ts';
import { openSandbox, type Sandbox } from '#src/sandbox/sandbox.ts';
import { local } from '../sandbox.ts';
import { sampleOf, type Known } from './hostile-requests.ts';

export interface Sent {
  readonly status: number;
  readonly text: string;
}

export interface Extra {
  readonly body?: string | Uint8Array | undefined;
  readonly type?: string | undefined;
  readonly token?: string | undefined;
}

type Named = Pick<ServiceOperation, 'path' | 'method'>;

export type Target = Awaited<ReturnType<typeof openTarget>>;

const documents = new Map<string, OpenApiDocument>();

export async function openTarget() {
  const faults: unknown[] = [];
  const agent = new Agent({ keepAlive: true });
  let skippedMs = 0;
  const sandbox = await openSandbox(
    { contacts: 8, bookings: 4, rateLimits: false },
    { report: (error) => void faults.push(error), realMs: () => Date.now() + skippedMs },
  );
  const { base_url, tokens } = sandbox.handles;
  // A body arrives the same without a connection, which takes most of the time of a request. A path does not.
  const send = (method: string, path: string, extra: Extra = {}): Promise<Sent> =>
    extra.body !== undefined && /^[\w/.-]+$/.test(path)
      ? sendInside(sandbox, { method, path, ...extra })
      : sendTo(agent, base_url, { method, path, ...extra });
  // The same for every target but for its address, which no request is made from.
  const documentAt = async (path: string): Promise<OpenApiDocument> => {
    const known = documents.get(path) ?? (JSON.parse((await send('GET', path)).text) as OpenApiDocument);
    documents.set(path, known);
    return known;
  };
  const service = await documentAt('/_sandbox/openapi.json');
  // So that there is one of everything an operation can name.
  const [missed] = sandbox.service.state.invitees.values();
  await send('POST', '/_sandbox/no_shows', { body: JSON.stringify({ invitee: missed?.uri }) });
  const { organization } = sandbox.handles;
  // Nothing happens that it is about.
  const events = ['routing_form_submission.created'];
  const hook = { url: 'http://127.0.0.1:9/first', events, organization, scope: 'organization' };
  for (const [path, body] of [
    [`${new URL(organization).pathname}/invitations`, { email: 'invited@example.test' }],
    ['/webhook_subscriptions', hook],
  ] as const)
    await send('POST', path, { token: `Bearer ${tokens.owner}`, body: JSON.stringify(body) });
  return {
    sandbox,
    service,
    controls: await documentAt('/_sandbox/controls.openapi.json'),
    /** The header that speaks for the owner. */
    owner: `Bearer ${tokens.owner}`,
    send,
    /** Everything the sandbox holds, as one hash. */
    truth: () => truthOf(sandbox),
    /** What is wrong with an answer to bad input, if anything. */
    wrongWith: (what: string, answer: Sent, allowed: readonly number[]) =>
      wrongWith(answer, { what, allowed, fault: faults.shift() }),
    /** A path that names what exists, or of the right form where the world has none of it. */
    pathOf: (operation: Named) =>
      pathIn(sandbox, operation) ?? operation.path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000'),
    /** Whether the world has one of what the path names. */
    knows: (operation: Named) => pathIn(sandbox, operation) !== undefined,
    urisOfWorld: () => urisOf(sandbox),
    usualBody(operation: Named, document: OpenApiDocument): unknown {
      const schema = docsOf(operation, document)?.requestBody?.content['application/json'].schema ?? {};
      // Elsewhere `invitee` is the person who books.
      const marked = operation.path === '/invitee_no_shows' && { invitee: comingTo(sandbox) };
      return sampleOf(document, schema, { ...usualValues(sandbox), ...marked });
    },
    /** The query without which an operation does not look any further. */
    usualQuery(operation: Named): string {
      const known = usualValues(sandbox);
      return queryOf(operation, service)
        .filter(({ name, required }) => required || name === 'organization')
        .map(({ name }) => `${name}=${encodeURIComponent(String(known[name] ?? ''))}`)
        .join('&');
    },
    queryNames: (operation: Named) => queryOf(operation, service).map(({ name }) => name),
    /** Faults of the sandbox itself since the last look. */
    faults: () => faults.splice(0),
    /** Lets real time pass. */
    skip: (ms: number) => void (skippedMs += ms),
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
}

const docsOf = ({ path, method }: Named, document: OpenApiDocument) => document.paths[path]?.[method.toLowerCase()];

const queryOf = (operation: Named, document: OpenApiDocument): readonly Parameter[] =>
  ((docsOf(operation, document)?.parameters ?? []) as readonly Parameter[]).filter(
    ({ in: place }) => place === 'query',
  );

interface Call extends Extra {
  readonly method: string;
  readonly path: string;
}

const headersOf = ({ body, type = 'application/json', token }: Extra): Record<string, string> => ({
  ...(token !== undefined && { authorization: token }),
  ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
  ...(body !== undefined && type !== '' && { 'content-type': type }),
});

async function sendInside(sandbox: Sandbox, { method, path, ...extra }: Call): Promise<Sent> {
  const url = sandbox.handles.base_url + path;
  const headers = { host: new URL(url).host, ...headersOf(extra) };
  const answer = await sandbox.fetch(new Request(url, { method, headers, body: Buffer.from(extra.body ?? '') }), local);
  return { status: answer.status, text: await answer.text() };
}

/** Byte for byte as given: fetch would tidy the path up. */
function sendTo(agent: Agent, base_url: string, { method, path, ...extra }: Call): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const call = request(new URL(base_url), { method, path, headers: headersOf(extra), agent }, (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, text: body }), reject);
    });
    // A refusal may come before the whole body was taken; then the answer counts, not the broken pipe.
    call.on('error', (error) => setImmediate(() => reject(error)));
    call.end(extra.body);
  });
}

function truthOf({ service, dispatcher }: Sandbox): string {
  const { contacts, ...shelves } = service.state;
  const rows = [
    ...Object.values(shelves).flatMap((shelf) => [...shelf.values()]),
    ...contacts.values().flatMap((book) => book.values()),
  ];
  const text = JSON.stringify([rows, dispatcher.total, dispatcher.pending], (_, value: unknown) =>
    value instanceof Map ? [...value] : value,
  );
  return createHash('sha256').update(text).digest('hex');
}

const titles = [commonError.title, permissionDeniedTitle, insufficientScope.title];

interface Expected {
  readonly what: string;
  readonly allowed: readonly number[];
  readonly fault: unknown;
}

function wrongWith(answer: Sent, { what, allowed, fault }: Expected): readonly string[] {
  const shown = `${answer.status} ${answer.text.slice(0, 300)}`;
  const body = errorBody.safeParse(jsonOf(answer.text));
  const isRefusal = body.success && titles.includes(body.data.title);
  return [
    ...(allowed.includes(answer.status) ? [] : [`${what} answers ${shown}`]),
    ...(fault === undefined ? [] : [`${what} fails: ${fault instanceof Error ? fault.stack : JSON.stringify(fault)}`]),
    ...(answer.status < 400 || isRefusal ? [] : [`${what} has no error body: ${shown}`]),
  ];
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function pathIn(sandbox: Sandbox, { path }: Named): string | undefined {
  const named = path.slice(0, path.lastIndexOf('}') + 1);
  if (named === '') return path;
  const form = new RegExp(`^${named.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  const paths = urisOf(sandbox).map((uri) => uri.slice(sandbox.handles.base_url.length));
  const found = paths.find((one) => form.test(one));
  return found === undefined ? undefined : found + path.slice(named.length);
}

function urisOf({ service, handles: { organization } }: Sandbox): readonly string[] {
  const { contacts, ...shelves } = service.state;
  const records = Object.values(shelves).flatMap((shelf) => [...shelf.values()] as { uri: string }[]);
  const ours = [...(contacts.get(organization)?.values() ?? [])];
  const marks = service.state.invitees.values().flatMap(({ no_show }) => (no_show === null ? [] : [no_show]));
  return [organization, ...[...ours, ...records, ...marks].map(({ uri }) => uri)];
}

/** An invitee who can be marked as a no-show. */
const comingTo = ({ service }: Sandbox): string | undefined =>
  service.state.invitees.values().find(({ status, no_show }) => status === 'active' && no_show === null)?.uri;

let people = 0;

/** What a usual request says, by the name of the field. */
function usualValues({ service, handles }: Sandbox): Known {
  const { state, clock } = service;
  const { organization, users, group, event_types } = handles;
  const definition = [...state.definitions.values()].find(({ field_type }) => field_type === 'text');
  people += 1;
  return {
    organization,
    email: `someone-${people}@example.test`,
    user: users.owner,
    owner: users.owner,
    hosts: users.owner,
    group,
    event_type: event_types.solo,
    form: [...state.routingForms.values()][0]?.uri,
    scope: 'organization',
    start_time: new Date(clock.nowMs() + dayMs).toISOString(),
    end_time: new Date(clock.nowMs() + 3 * dayMs).toISOString(),
    timezone: 'Europe/Berlin',
    country: 'DE',
    linkedin: 'https://example.test/someone',
    text_reminder_number: '+12025550100',
    url: `http://127.0.0.1:9/hook/${people}`,
    location: { kind: 'zoom_conference' },
    locations: { kind: 'zoom_conference' },
    questions_and_answers: { question: 'What would you like to talk about?', answer: 'This', position: 0 },
    custom_fields: { uuid: definition?.uri.slice(definition.uri.lastIndexOf('/') + 1), value: 'text' },
    pooling_type: null,
    seats: 5,
    kind: 'group',
    color: '#0a7d8c',
  };
}

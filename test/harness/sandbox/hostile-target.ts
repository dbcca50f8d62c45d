// The sandbox under attack: what a usual request says, and what may not happen.
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { commonError, errorBody, insufficientScope, permissionDeniedTitle } from '#schemas/errors.ts';
import type { ServiceOperation } from '#src/sandbox/api/service-operation.ts';
import { dayMs } from '#src/sandbox/clock.ts';
import type { OpenApiDocument, OperationDocs } from '#src/http/openapi/document.ts';
import { openTestSandbox, type TestSandbox } from '../sandbox.ts';
import { sampleOf, type Known } from './hostile-requests.ts';

interface Extra {
  readonly body?: string | Uint8Array | undefined;
  readonly type?: string | undefined;
}

type Named = Pick<ServiceOperation, 'path' | 'method'>;

export type Target = Awaited<ReturnType<typeof openTarget>>;

export async function openTarget() {
  const faults: unknown[] = [];
  const options = { contacts: 8, bookings: 4, rateLimits: false };
  const sandbox = await openTestSandbox(options, { report: (error) => void faults.push(error) });
  const { base_url, tokens, organization } = sandbox.handles;
  // So that there is one of everything an operation can name. Nothing happens that the subscription is about.
  const [missed] = sandbox.service.state.invitees.values();
  await sandbox.control('POST', '/no_shows', { invitee: missed?.uri });
  await sandbox.call('POST', `${organization}/invitations`, { body: { email: 'invited@example.test' } });
  const events = ['routing_form_submission.created'];
  const hook = { url: 'http://127.0.0.1:9/first', events, organization, scope: 'organization' };
  await sandbox.call('POST', '/webhook_subscriptions', { body: hook });

  const service = (await sandbox.control('GET', '/openapi.json')).body as OpenApiDocument;
  const controls = (await sandbox.control('GET', '/controls.openapi.json')).body as OpenApiDocument;
  const docsOf = ({ path, method }: Named, document = service): OperationDocs | undefined =>
    document.paths[path]?.[method.toLowerCase()];
  const queryOf = (operation: Named) => docsOf(operation)?.parameters?.filter((one) => one.in === 'query') ?? [];

  /** Sends it as the owner. */
  const send = (method: string, path: string, { body, type = 'application/json' }: Extra = {}) =>
    sandbox.fetch(base_url + path, {
      method,
      headers: { authorization: `Bearer ${tokens.owner}`, ...(type !== '' && { 'content-type': type }) },
      ...(body !== undefined && { body: Buffer.from(body) }),
    });
  const truth = (): string => truthOf(sandbox);
  return {
    sandbox,
    controls,
    send,
    truth,
    /** Shows that the sandbox answers with one of these, without a fault of its own, and with the body of a refusal where it refuses. */
    async answers([method, path, extra]: Parameters<typeof send>, allowed: readonly number[]): Promise<number> {
      const answer = await send(method, path, extra);
      const what = `${method} ${path} ${String(extra?.body).slice(0, 2000)} is answered ${answer.status}`;
      expect([what, allowed, faults.splice(0)]).toEqual([what, expect.arrayContaining([answer.status]), []]);
      if (answer.status >= 400) expect(titles).toContain(errorBody.parse(await answer.json()).title);
      return answer.status;
    },
    /** Shows that nothing changes meanwhile. */
    async staysAsItIs(act: () => Promise<unknown>): Promise<void> {
      const before = truth();
      await act();
      expect(truth()).toBe(before);
    },
    /** A path that names what exists, or of the right form where the world has none of it. */
    pathOf: (operation: Named) =>
      pathIn(sandbox, operation) ?? operation.path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000'),
    /** Whether the world has one of what the path names. */
    knows: (operation: Named) => pathIn(sandbox, operation) !== undefined,
    urisOfWorld: () => urisOf(sandbox),
    usualBody(operation: Named, document = service): unknown {
      const schema = docsOf(operation, document)?.requestBody?.content['application/json'].schema ?? {};
      // Elsewhere `invitee` is the person who books.
      const marked = operation.path === '/invitee_no_shows' && { invitee: comingTo(sandbox) };
      return sampleOf(document, schema, { ...usualValues(sandbox), ...marked });
    },
    /** The query without which an operation does not look any further. */
    usualQuery(operation: Named): string {
      const known = usualValues(sandbox);
      const needed = queryOf(operation).filter(({ name, required }) => required || name === 'organization');
      return needed.map(({ name }) => `${name}=${encodeURIComponent(String(known[name] ?? ''))}`).join('&');
    },
    queryNames: (operation: Named) => queryOf(operation).map(({ name }) => name),
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
}

function truthOf({ service, dispatcher }: TestSandbox): string {
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

function pathIn(sandbox: TestSandbox, { path }: Named): string | undefined {
  const named = path.slice(0, path.lastIndexOf('}') + 1);
  if (named === '') return path;
  const form = new RegExp(`^${named.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  const paths = urisOf(sandbox).map((uri) => uri.slice(sandbox.handles.base_url.length));
  const found = paths.find((one) => form.test(one));
  return found === undefined ? undefined : found + path.slice(named.length);
}

function urisOf({ service, handles: { organization } }: TestSandbox): readonly string[] {
  const { contacts, ...shelves } = service.state;
  const records = Object.values(shelves).flatMap((shelf) => [...shelf.values()] as { uri: string }[]);
  const ours = [...(contacts.get(organization)?.values() ?? [])];
  const marks = service.state.invitees.values().flatMap(({ no_show }) => (no_show === null ? [] : [no_show]));
  return [organization, ...[...ours, ...records, ...marks].map(({ uri }) => uri)];
}

/** An invitee who can be marked as a no-show. */
const comingTo = ({ service }: TestSandbox): string | undefined =>
  service.state.invitees.values().find(({ status, no_show }) => status === 'active' && no_show === null)?.uri;

let people = 0;

/** What a usual request says, by the name of the field. */
function usualValues({ service, handles }: TestSandbox): Known {
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

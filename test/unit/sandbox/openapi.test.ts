// The OpenAPI documents: valid by somebody else's judgement, complete, and true of what the sandbox answers and delivers.
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiScopes } from '#schemas/api-scope.ts';
import { documentedStatuses } from '#schemas/errors.ts';
import { eventKinds } from '#schemas/events.ts';
import { operations } from '#src/sandbox/api/operations.ts';
import { statusOf } from '#src/sandbox/api/reply.ts';
import { controls } from '#src/sandbox/controls/controls.ts';
import { openApiDocument } from '#src/sandbox/docs/openapi.ts';
import type { OpenApiDocument, OperationDocs } from '#src/sandbox/docs/openapi.ts';
import { openCallback } from '../../harness/callback.ts';
import { openTestSandbox } from '../../harness/sandbox.ts';
import type { Answer, TestSandbox } from '../../harness/sandbox.ts';

let sandbox: TestSandbox;
let service: OpenApiDocument;
let levers: OpenApiDocument;
beforeAll(async () => {
  sandbox = await openTestSandbox();
  service = (await sandbox.control('GET', '/openapi.json')).body as OpenApiDocument;
  levers = (await sandbox.control('GET', '/controls.openapi.json')).body as OpenApiDocument;
});
afterAll(() => sandbox[Symbol.asyncDispose]());

const docsOf = ({ method, path }: { method: string; path: string }, document: OpenApiDocument): OperationDocs =>
  document.paths[path]?.[method.toLowerCase()] as OperationDocs;

interface Answering {
  readonly content?: { readonly 'application/json': { readonly schema: unknown } };
}

const answerOf = ({ responses }: OperationDocs, status: number): unknown =>
  (responses[status] as Answering).content?.['application/json'].schema;

interface Shape {
  readonly resource?: { readonly $ref?: string };
  readonly collection?: { readonly items: { readonly $ref?: string } };
}

const shapeOf = (schema: unknown): Shape => (schema as { properties?: Shape } | undefined)?.properties ?? {};

async function complaints(document: OpenApiDocument): Promise<unknown> {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document) as unknown as Record<string, unknown>);
  validator.resolveRefs();
  return valid ? [] : errors;
}

/** Every `$ref` anywhere in a value. */
function refsIn(value: unknown): readonly string[] {
  return [...JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = '']) => ref);
}

function isThere(document: unknown, ref: string): boolean {
  const found = ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
  return found !== undefined;
}

describe('the OpenAPI documents', () => {
  it('are valid OpenAPI 3.1, the one of the service in both shapes of payload', async () => {
    expect(service.openapi).toMatch(/^3\.1\./);
    expect(await complaints(service)).toEqual([]);
    expect(await complaints(levers)).toEqual([]);
    const flat = openApiDocument(operations, { baseUrl: 'http://127.0.0.1:1', flat: true, eventTypes: true });
    expect(await complaints(flat)).toEqual([]);
    expect(JSON.stringify(flat.components.schemas['CreateWebhookSubscriptionRequest'])).toContain('event_type.');
    expect(JSON.stringify(service.components.schemas['CreateWebhookSubscriptionRequest'])).not.toContain('event_type.');
  });

  it('have a target for every reference, and name no operation twice', () => {
    for (const document of [service, levers]) {
      expect(refsIn(document).filter((ref) => !isThere(document, ref))).toEqual([]);
      const ids = Object.values(document.paths).flatMap((methods) =>
        Object.values(methods).map(({ operationId }) => operationId),
      );
      expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    }
  });

  it('hold every operation with its scopes, and every control, each in its own document', () => {
    for (const operation of operations)
      expect(docsOf(operation, service)).toMatchObject({
        operationId: operation.id,
        summary: operation.summary,
        security: [{ personalAccessToken: operation.scopes }, { oauth2: operation.scopes }],
      });
    for (const control of controls) expect(docsOf(control, levers)).toMatchObject({ summary: control.summary });
    expect(Object.keys(service.paths).filter((path) => path.startsWith('/_sandbox'))).toEqual([]);
  });

  it('name every placeholder of a path as a parameter', () => {
    for (const operation of operations) {
      const named = (docsOf(operation, service).parameters ?? []) as readonly { in: string; name: string }[];
      const placeholders = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(named.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(placeholders);
    }
  });

  it('give every operation the statuses the specification documents for it, and 429', () => {
    for (const [endpoint, statuses] of Object.entries(documentedStatuses)) {
      const [method = '', path = ''] = endpoint.replace('<uuid>', '{uuid}').split(' ');
      const answers = Object.keys(docsOf({ method, path }, service).responses).filter((status) => status >= '400');
      expect(answers).toEqual([...statuses.map(String), '429'].toSorted());
    }
  });

  it('give every record a name of its own', () => {
    const unnamed = operations.filter((operation) => {
      const { resource, collection } = shapeOf(answerOf(docsOf(operation, service), statusOf(operation)));
      return operation.answers !== 'nothing' && (resource ?? collection?.items)?.$ref === undefined;
    });
    expect(unnamed.map(({ id }) => id)).toEqual([]);
  });

  it('describe both kinds of token, every scope, and every event', () => {
    const schemes = service.components['securitySchemes'] as Readonly<Record<string, object>>;
    expect(schemes['personalAccessToken']).toMatchObject({ type: 'http', scheme: 'bearer' });
    const { base_url } = sandbox.handles;
    expect(schemes['oauth2']).toMatchObject({
      flows: {
        authorizationCode: { authorizationUrl: `${base_url}/oauth/authorize`, tokenUrl: `${base_url}/oauth/token` },
      },
    });
    for (const scope of Object.keys(apiScopes)) expect(JSON.stringify(schemes['oauth2'])).toContain(`"${scope}"`);
    expect(Object.keys(service.webhooks ?? {}).toSorted()).toEqual(Object.keys(eventKinds).toSorted());
  });

  it('describe a count as a number with its bounds, and a time as a time', () => {
    const parameters = docsOf({ method: 'GET', path: '/scheduled_events' }, service).parameters as readonly {
      name: string;
      schema: object;
    }[];
    const schemaOf = (wanted: string): unknown => parameters.find(({ name }) => name === wanted)?.schema;
    expect(schemaOf('count')).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 20 });
    expect(schemaOf('min_start_time')).toEqual({ type: 'string', format: 'date-time' });
  });
});

/** One of each event, told to a subscription of the organization and to one of its owner. */
async function makeEverythingHappen(loud: TestSandbox, url: string): Promise<void> {
  const { organization, users, event_types } = loud.handles;
  const kinds = Object.keys(eventKinds);
  const { owner: user } = users;
  const forUser = kinds.filter((event) => event.startsWith('meeting_recap.'));
  const forAll = kinds.filter((event) => !forUser.includes(event));
  const made = async (answer: Promise<Answer>): Promise<Answer['body']> => {
    const { status, body } = await answer;
    expect([status, body]).toEqual([expect.toSatisfy((code: number) => code < 300), body]);
    return body?.resource ?? body;
  };
  const call = (method: string, path: string, body?: unknown) => made(loud.call(method, path, { body }));
  const control = (method: string, path: string, body: unknown) => made(loud.control(method, path, body));
  const subscription = { organization, signing_key: 'secret' };
  await call('POST', '/webhook_subscriptions', { ...subscription, url, events: forAll, scope: 'organization' });
  await call('POST', '/webhook_subscriptions', {
    ...subscription,
    url: `${url}/user`,
    events: forUser,
    scope: 'user',
    user,
  });

  const contact = await call('POST', '/contacts', { emails: [{ email: 'new@example.test', is_primary: true }] });
  await call('PATCH', contact.uri, { name: 'Somebody Else' });
  await call('DELETE', contact.uri);
  const now = loud.service.clock.nowMs();
  const available = await loud.call('GET', '/event_type_available_times', {
    query: {
      event_type: event_types.solo,
      start_time: new Date(now + 3_600_000).toISOString(),
      end_time: new Date(now + 14 * 86_400_000).toISOString(),
    },
  });
  const invitee = await call('POST', '/invitees', {
    event_type: event_types.solo,
    start_time: available.body.collection[0].start_time,
    invitee: { email: 'guest@example.test', timezone: 'Europe/Berlin', name: 'Guest' },
  });
  await control('POST', '/no_shows', { invitee: invitee.uri });
  await control('DELETE', '/no_shows', { invitee: invitee.uri });
  await control('POST', '/invitees/cancel', { uri: invitee.uri });
  await control('POST', '/routing_form_submissions', {});
  const recap = await control('POST', '/meeting_recaps', {});
  await call('PATCH', recap.uri, { summary_md: 'Other words' });
  await call('DELETE', recap.uri);
  const eventType = await call('POST', '/event_types', { name: 'Short call', duration: 15, owner: user });
  await call('PATCH', eventType.uri, { name: 'Shorter call' });
  await call('DELETE', eventType.uri);
}

describe('what the documents promise', () => {
  /** A validator that knows nothing of our schemas but the document. */
  function judgeOf(document: OpenApiDocument, schema: unknown): (body: unknown) => unknown {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'document', components: document.components });
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    const validate = ajv.compile(JSON.parse(text) as object);
    return (body) => (validate(body) ? [] : validate.errors);
  }

  it('is what the lists answer', async () => {
    const { organization, group, event_types } = sandbox.handles;
    const form = [...sandbox.service.state.routingForms.values()][0]?.uri ?? '';
    const day = (ms: number): string => new Date(sandbox.service.clock.nowMs() + ms).toISOString();
    const asked: Readonly<Record<string, string>> = {
      organization,
      group,
      scope: 'organization',
      form,
      event_type: event_types.solo,
      start_time: day(3_600_000),
      end_time: day(5 * 86_400_000),
    };
    const lists = operations.filter(({ answers, path }) => answers === 'collection' && !path.includes('{'));
    expect(lists.length).toBeGreaterThan(2);
    for (const operation of lists) {
      const docs = docsOf(operation, service);
      const { parameters = [] } = docs as { parameters?: readonly { name: string; required: boolean }[] };
      const names = parameters
        .filter(({ name, required }) => required || name === 'organization')
        .map(({ name }) => name);
      const query = Object.fromEntries(names.map((name) => [name, asked[name] ?? '']));
      const { status, body } = await sandbox.call('GET', operation.path, { query });
      expect([operation.id, status]).toEqual([operation.id, 200]);
      expect(judgeOf(service, answerOf(docs, 200))(body)).toEqual([]);
    }
  });

  it.each([{ flat: false }, { flat: true }])('is what every event delivers (%o)', async ({ flat }) => {
    await using callback = await openCallback();
    await using loud = await openTestSandbox({ flat, eventTypes: true });
    const document = (await loud.control('GET', '/openapi.json')).body as OpenApiDocument;
    await makeEverythingHappen(loud, callback.url);
    await loud.courier.settled();
    expect([...new Set(callback.received.map(({ body }) => body.event as string))].toSorted()).toEqual(
      Object.keys(eventKinds).toSorted(),
    );
    for (const { body } of callback.received) {
      const schema = document.webhooks?.[body.event]?.['post']?.requestBody?.content['application/json'].schema;
      expect([body.event, judgeOf(document, schema)(body)]).toEqual([body.event, []]);
    }
  });

  it('is how refusals look', async () => {
    const responses = service.components['responses'] as Readonly<Record<string, Answering>>;
    const judge = judgeOf(service, responses['Forbidden']?.content?.['application/json'].schema);
    const refused = await sandbox.call('GET', '/webhook_subscriptions', { as: 'no_scopes' });
    expect(refused.status).toBe(403);
    expect(judge(refused.body)).toEqual([]);
    expect(judge({ message: 'no title' })).not.toEqual([]);
  });
});

describe('the pages under /_sandbox', () => {
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${sandbox.handles.base_url}/_sandbox${path}`, { headers, redirect: 'manual' });

  it('begin with an index that names every control, and sends a browser to the page', async () => {
    const { body } = await sandbox.control('GET', '');
    expect(body.controls).toHaveLength(controls.length);
    for (const key of ['page', 'openapi', 'controls_openapi']) expect((await fetch(body[key])).status).toBe(200);
    const toBrowser = await get('', { accept: 'text/html,application/xhtml+xml' });
    expect([toBrowser.status, toBrowser.headers.get('location')]).toEqual([302, '/_sandbox/docs']);
  });

  it('show every operation, control, event and schema, and every link within the page has a target', async () => {
    const page = await (await get('/docs')).text();
    for (const { path } of operations) expect(page).toContain(path);
    for (const { path } of controls) expect(page).toContain(`/_sandbox${path}`);
    for (const event of Object.keys(eventKinds)) expect(page).toContain(event);
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id).filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('need nothing from elsewhere, and would not be let', async () => {
    const answer = await get('/docs');
    const page = await answer.text();
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    const own = sandbox.handles.base_url;
    const outside = [...page.matchAll(/(?:src|href)="([^"#][^"]*)"/g)].map(([, link = '']) => link);
    expect(outside.filter((link) => !/^(\/|data:)/.test(link) && !link.startsWith(own))).toEqual([]);
  });
});

// The OpenAPI document of the API: valid by an independent validator, complete, and true.
import { hash } from 'node:crypto';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiOperation } from '#src/api/api-operation.ts';
import type { OpenApiDocument, OperationDocs } from '#src/http/openapi/document.ts';
import { markFailed } from '#src/store/alerts/send-results.ts';
import { insertAlerts, readAlerts } from '#src/store/alerts/alert-rows.ts';
import { writeSubscriptions, type KnownSubscription } from '#src/store/subscription-rows.ts';
import { bearer, openAdmin } from '../../harness/mirror/api-app.ts';
import { openTestBackfill } from '../../harness/mirror/test-backfill.ts';
import { openReadApi } from '../../harness/mirror/read-api.ts';
import { testProcess } from '../../harness/mirror/test-process.ts';
import { judgeBy, type Judge } from '../../harness/open-api-judge.ts';
import { freshMemory, ingestBodies } from '../../harness/stores.ts';

let api: Awaited<ReturnType<typeof openReadApi>>;
let document: OpenApiDocument;
let complaintsOf: Judge;
let organization: string;
beforeAll(async () => {
  const filling = await openTestBackfill(freshMemory, { contacts: 20, bookings: 20 });
  await filling.run();
  ({ organization } = filling.sandbox.handles);
  api = await openReadApi(async () => filling, { process: testProcess(), answers: async () => {} });
  await ingestBodies(api.store, ['{"event": "contact.merged", "payload": {}}', 'no JSON']);
  await api.post('/api/feed/consumers/warehouse', { acknowledged: 1 });
  await writeSubscriptions(api.store, { seen: [{ ...subscription, organization }], deleted: [] });
  await api.store.transaction(async (unit) => {
    await insertAlerts(unit, [{ ...alert, occurred_at: time, due_at: time }], time);
    const failed = await readAlerts(unit, [alert.id]);
    await markFailed(unit, failed, { now: time, error: 'answered 500', next_at: undefined });
  });
  document = (await api.get('/openapi.json')).body as OpenApiDocument;
  complaintsOf = judgeBy(document);
});
afterAll(() => api[Symbol.asyncDispose]());

const time = '2025-03-02T01:00:00.000001Z';
const subscription = {
  uri: 'https://service.example.com/webhook_subscriptions/1',
  callback_url: 'https://hooks.example.com/webhooks?s=1',
  state: 'active',
  events: ['contact.created'],
  scope: 'organization',
  created_at: time,
  checked_at: time,
} satisfies Partial<KnownSubscription>;
const alert = { id: 'alert-1', rule: 'no_show', channel: 'slack', subject_uri: 'x', fact: 'x' };

const docsOf = ({ method, path }: Pick<ApiOperation, 'method' | 'path'>): OperationDocs =>
  document.paths[path]?.[method.toLowerCase()] as OperationDocs;

type Content = Readonly<Record<string, { readonly schema: object }>>;
const contentOf = (docs: OperationDocs, status: number): Content =>
  (docs.responses[status] as { content?: Content } | undefined)?.content ?? {};

const titleOf = (status: number, conventions?: string): string | undefined =>
  status === 401
    ? 'Unauthenticated'
    : conventions === 'service'
      ? { 400: 'Invalid Argument', 404: 'Resource Not Found' }[status]
      : { 400: 'Invalid Argument', 404: 'Not Found' }[status];

/** What to ask where the path alone does not say it. */
const examples: Readonly<Record<string, { readonly path?: string; readonly body?: object }>> = {
  getDelivery: { path: '/api/deliveries/1' },
  replayDelivery: { path: '/api/deliveries/1/replay' },
  dismissDelivery: { path: `/api/deliveries/${hash('sha256', 'no JSON')}/dismiss` },
  dismissDeliveries: { body: { outcome: 'quarantined' } },
  replayDeliveries: { body: { outcome: 'quarantined', dry_run: true } },
  acknowledgeFeed: { path: '/api/feed/consumers/warehouse', body: { acknowledged: 1 } },
  deleteFeedConsumer: { path: '/api/feed/consumers/warehouse' },
  resendAlert: { path: '/api/alerts/alert-1/resend' },
  streamFeed: { path: '/api/feed/stream?after=0' },
  queryTable: { path: '/api/tables/bookings' },
  getTableRow: { path: '/api/tables/event_log/1' },
};

const lastPart = (uri: string): string => uri.slice(uri.lastIndexOf('/') + 1);

/** Lists of the service say of whom. */
async function listed(list: string): Promise<string> {
  if (list === '/api/routing_forms') return `${list}?organization=${organization}`;
  if (list === '/api/webhook_subscriptions') return `${list}?organization=${organization}&scope=organization`;
  if (list !== '/api/routing_form_submissions') return list;
  const { body } = await api.get(await listed('/api/routing_forms'));
  return `${list}?form=${body.collection[0].uri}`;
}

/** The first of its list, where a path names one of many by its UUID. */
async function namedOne(path: string): Promise<string> {
  const [list = '', rest = ''] = path.split('/{uuid}');
  if (list === path) return listed(path);
  if (list === '/api/invitee_no_shows') {
    const [mark] = await api.store.db
      .selectFrom('no_shows')
      .select('no_show_uri')
      .where('unmarked_at', 'is', null)
      .execute();
    return `${list}/${lastPart(mark?.no_show_uri ?? '')}`;
  }
  if (list === '/api/users') {
    const { body } = await api.get('/api/organization_memberships');
    return `${list}/${lastPart(body.collection[0].user.uri)}`;
  }
  const { body } = await api.get(await listed(list));
  const { uri = '', person = uri } = body.collection[0] as Record<string, string>;
  const one = `${list}/${lastPart(person)}${rest}`;
  if (!one.endsWith('/{invitee_uuid}')) return one;
  const invitees = await api.get(one.replace('/{invitee_uuid}', ''));
  return one.replace('{invitee_uuid}', lastPart(invitees.body.collection[0].uri));
}

async function answerTo({ id, method, path }: ApiOperation): Promise<Response> {
  const firstOf = async (list: string) => (await api.get(`${list}?count=1`)).body.collection[0];
  const example = examples[id] ?? {};
  const url = id === 'explainRow' ? `${path}?uri=${(await firstOf('/api/contacts')).uri}` : await namedOne(path);
  const { last_invitee: invitee } = (await api.get('/api/tables/bookings?limit=1')).body.collection[0];
  const answer = { invitee, answer: 'none' };
  const body = id === 'answerBooking' ? answer : example.body;
  return api.admin.ask(example.path ?? url, {
    method,
    headers: { ...bearer, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

describe('the OpenAPI document of the admin listener', () => {
  it('is valid OpenAPI 3.1, every reference has a target, and every schema a name', async () => {
    expect(Object.keys(document.components.schemas).filter((name) => name.startsWith('__'))).toEqual([]);
    expect(document.openapi).toMatch(/^3\.1\./);
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document) as unknown as Record<string, unknown>);
    expect([valid, errors]).toEqual([true, undefined]);
    for (const [, ref = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = ref
        .split('/')
        .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
      expect([ref, found === undefined]).toEqual([ref, false]);
    }
  });

  it('promises what every operation answers', async () => {
    for (const operation of api.operations) {
      const { id } = operation;
      const answer = await answerTo(operation);
      const status = operation.answers === 'nothing' ? 204 : 200;
      expect([id, answer.status]).toEqual([id, status]);
      const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(contentOf(docsOf(operation), status));
      expect([id, answer.headers.get('content-type')?.split(';')[0] ?? '']).toEqual([id, type]);
      expect([id, answer.headers.get('cache-control')]).toEqual([id, 'no-store']);
      if (operation.answers === 'stream') await answer.body?.cancel();
      else if (operation.answers !== 'nothing') {
        const body = (await answer.json()) as { collection?: readonly unknown[] };
        expect([id, complaintsOf(schema, body)]).toEqual([id, []]);
        expect([id, body.collection?.length]).not.toEqual([id, 0]);
        expect(complaintsOf(schema, { nothing: 'of the kind' })).not.toEqual([]);
      }
    }
  });

  it('refuses in the words of the service only where the service has such an operation', async () => {
    const service =
      /^\/api\/(contacts|event_types|invitee_no_shows|invitees|meeting_recaps|organization_memberships|routing_form_submissions|routing_forms|scheduled_events|users|webhook_subscriptions)(\/|$)/;
    for (const { path, conventions } of api.operations)
      expect([path, conventions]).toEqual([
        path,
        service.test(path) && !path.endsWith('/timeline') ? 'service' : undefined,
      ]);
    expect((await api.get('/api/feed?after=no&limit=0')).body).toMatchObject({
      title: 'Invalid Argument',
      message: expect.stringMatching(/^after: a whole number .*\. limit: a whole number .*\.$/) as string,
      details: [{ parameter: 'after' }, { parameter: 'limit' }],
    });
    expect((await api.get('/api/deliveries/unknown')).body).toMatchObject({
      title: 'Not Found',
      message: 'No such delivery.',
    });
    expect((await api.get('/api/contacts/unknown')).body).toMatchObject({ title: 'Resource Not Found' });
  });

  it('promises how every operation refuses', async () => {
    const responses = document.components['responses'] as Readonly<Record<string, { content: Content }>>;
    for (const operation of api.operations) {
      const path = operation.path.replaceAll(/\{\w+\}/g, 'unknown');
      const { method } = operation;
      const asked = [
        await api.admin.ask(path, { method }),
        await api.admin.ask(`${path}?no_such_parameter=1`, { method, headers: bearer }),
        await api.admin.ask(`${path}?a=1&a=2`, { method, headers: bearer }),
      ];
      for (const answer of asked.filter(({ status }) => status >= 400)) {
        const docs = docsOf(operation).responses[answer.status] as { $ref?: string; content?: Content } | undefined;
        const name = docs?.$ref?.split('/').at(-1) ?? '';
        const schema = (docs?.content ?? responses[name]?.content)?.['application/json']?.schema;
        expect([operation.id, answer.status, schema]).toEqual([operation.id, answer.status, expect.any(Object)]);
        const body = (await answer.json()) as { title: string };
        expect([operation.id, complaintsOf(schema, body)]).toEqual([operation.id, []]);
        expect([operation.id, body.title]).toEqual([operation.id, titleOf(answer.status, operation.conventions)]);
      }
      expect(asked[0]?.status).toBe(401);
    }
  });

  it('promises what the process says about itself', async () => {
    for (const path of ['/healthz', '/readyz', '/openapi.json']) {
      const { body } = await api.get(path);
      const schema = contentOf(docsOf({ method: 'GET', path }), 200)['application/json']?.schema;
      expect([path, complaintsOf(schema, body)]).toEqual([path, []]);
    }
  });

  it('of a process without a store tells of the process alone', async () => {
    const { ask } = openAdmin();
    const alone = (await (await ask('/openapi.json', { headers: bearer })).json()) as OpenApiDocument;
    const process = ['/api/status', '/metrics', '/healthz', '/readyz', '/openapi.json'];
    expect(Object.keys(alone.paths)).toEqual(process);
    const refused = await ask('/api/deliveries', { headers: bearer });
    expect(refused.status).toBe(404);
    expect(await refused.json()).toMatchObject({ message: expect.stringContaining('the admin listener of a worker') });
    const all = [...new Set(api.operations.map(({ path }) => path)), ...process];
    expect(Object.keys(document.paths).toSorted()).toEqual(all.toSorted());
  });

  it('leads to an answer in JSON also where there is nothing', async () => {
    for (const path of ['/api/nothing', '/api/', '/api/deliveries/1/2/3']) {
      const answer = await api.fetch(path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(await answer.json()).toEqual({ title: 'Not Found', message: 'There is nothing at this path.' });
    }
  });

  it('leads to 405 with the methods of the path for any other method', async () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const taken = Object.keys(methods).map((method) => method.toUpperCase());
      const answer = await api.fetch(path.replaceAll(/\{\w+\}/g, 'unknown'), 'PUT');
      expect([path, answer.status, await answer.json()]).toEqual([
        path,
        405,
        { title: 'Method Not Allowed', message: expect.stringContaining('This path takes ') as string },
      ]);
      const allowed = (answer.headers.get('allow') ?? '').split(', ');
      expect([path, allowed.filter((method) => method !== 'HEAD').toSorted()]).toEqual([path, taken.toSorted()]);
    }
  });

  it('is of operations that take no body beyond a megabyte, whether or not it says its length', async () => {
    const text = JSON.stringify({ acknowledged: 1, filler: 'x'.repeat(1_100_000) });
    for (const body of [text, new Blob([text]).stream()]) {
      const answer = await api.admin.ask('/api/feed/consumers/warehouse', {
        method: 'POST',
        headers: { ...bearer, 'content-type': 'application/json' },
        body,
        duplex: 'half',
      } as RequestInit);
      expect([answer.status, await answer.text()]).toEqual([413, expect.stringContaining('larger than 1048576 bytes')]);
    }
  });

  it('is of operations that answer HEAD too, without opening a stream', async () => {
    for (const operation of api.operations.filter(({ method }) => method === 'GET')) {
      const head = await api.fetch(await namedOne(operation.path), 'HEAD');
      expect([operation.id, await head.text()]).toEqual([operation.id, '']);
    }
    expect((await api.fetch('/api/feed/stream', 'HEAD')).headers.get('content-type')).toBe('text/event-stream');
  });
});

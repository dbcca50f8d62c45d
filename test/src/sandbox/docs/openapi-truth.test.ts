// What the OpenAPI document promises is what the sandbox answers and delivers, by the judgement of a validator of its own.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventKinds } from '#schemas/events.ts';
import type { OpenApiDocument } from '#src/http/openapi/document.ts';
import { forms } from '#src/sandbox/world/service.ts';
import { openCallback } from '../../../harness/sandbox/callback-server.ts';
import { openTestSandbox, type Answer, type TestSandbox } from '../../../harness/sandbox.ts';
import { fillEveryList, listsOf } from '../../../harness/sandbox/lists.ts';

const documentOf = async (sandbox: TestSandbox): Promise<OpenApiDocument> =>
  (await sandbox.control('GET', '/openapi.json')).body as OpenApiDocument;

interface Answering {
  readonly content?: { readonly 'application/json': { readonly schema: unknown } };
}

const schemaOf = (answer: object | undefined): unknown => (answer as Answering).content?.['application/json'].schema;

/** One of each event, sent to the subscriptions of the organization and to one of its owner. */
async function makeEverythingHappen(loud: TestSandbox, url: string): Promise<void> {
  const { organization, users, event_types } = loud.handles;
  const kinds = Object.keys(eventKinds);
  const { owner: user } = users;
  const ofFamily = (prefix: string): string[] => kinds.filter((event) => event.startsWith(prefix));
  const [forUser, forms] = [ofFamily('meeting_recap.'), ofFamily('routing_form_submission.')];
  const forAll = kinds.filter((event) => ![...forUser, ...forms].includes(event));
  const made = async (answer: Promise<Answer>): Promise<Answer['body']> => {
    const { status, body } = await answer;
    expect([status, body]).toEqual([expect.toSatisfy((code: number) => code < 300), body]);
    return body?.resource ?? body;
  };
  const call = (method: string, path: string, body?: unknown) => made(loud.call(method, path, { body }));
  const control = (method: string, path: string, body: unknown) => made(loud.control(method, path, body));
  for (const wanted of [
    { url, events: forAll, scope: 'organization' },
    { url: `${url}/forms`, events: forms, scope: 'organization' },
    { url: `${url}/user`, events: forUser, scope: 'user', user },
  ])
    await call('POST', '/webhook_subscriptions', { organization, signing_key: 'secret', ...wanted });

  const contact = await call('POST', '/contacts', { emails: [{ email: 'new@example.test', is_primary: true }] });
  await call('PATCH', contact.uri, { name: 'Ada Else' });
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

describe.each(forms)('what the documents promise in the %s form', (as) => {
  let sandbox: TestSandbox;
  let service: OpenApiDocument;
  beforeAll(async () => {
    sandbox = await openTestSandbox({ as });
    await fillEveryList(sandbox);
    service = await documentOf(sandbox);
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  /** A validator that knows nothing of our schemas but the document. */
  function judgeOf(document: OpenApiDocument): (schema: unknown, body: unknown) => unknown {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'document', components: document.components });
    return (schema, body) => {
      const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
      const validate = ajv.compile(JSON.parse(text) as object);
      return validate(body) ? [] : validate.errors;
    };
  }

  it('is what the lists answer', async () => {
    const judge = judgeOf(service);
    for (const { operation, path, query } of listsOf(sandbox)) {
      const { status, body } = await sandbox.call('GET', path, { query });
      expect([operation.id, status]).toEqual([operation.id, 200]);
      expect(body.collection.length).toBeGreaterThan(0);
      const docs = service.paths[operation.path]?.['get'];
      expect(judge(schemaOf(docs?.responses['200']), body)).toEqual([]);
    }
  });

  it('is what every event delivers', async () => {
    await using callback = await openCallback();
    await using loud = await openTestSandbox({ as, eventTypes: true });
    const document = await documentOf(loud);
    const judge = judgeOf(document);
    await makeEverythingHappen(loud, callback.url);
    await loud.dispatcher.settled();
    expect([...new Set(callback.received.map(({ body }) => body.event as string))].toSorted()).toEqual(
      Object.keys(eventKinds).toSorted(),
    );
    for (const { body } of callback.received) {
      const schema = document.webhooks?.[body.event]?.['post']?.requestBody?.content['application/json'].schema;
      expect([body.event, judge(schema, body)]).toEqual([body.event, []]);
    }
  });

  it('is how refusals look', async () => {
    const responses = service.components['responses'] as Readonly<Record<string, object>>;
    const judge = (body: unknown) => judgeOf(service)(schemaOf(responses['Forbidden']), body);
    const refused = await sandbox.call('GET', '/webhook_subscriptions', { as: 'no_scopes' });
    expect(refused.status).toBe(403);
    expect(judge(refused.body)).toEqual([]);
    expect(judge({ message: 'no title' })).not.toEqual([]);
  });
});

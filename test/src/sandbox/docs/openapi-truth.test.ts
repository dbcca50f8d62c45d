// What the OpenAPI document promises is what the sandbox answers and delivers, by the judgement of a validator of its own.
import { describe, expect, it } from 'vitest';
import { eventKinds } from '#schemas/events.ts';
import type { OpenApiDocument, ResponseDocs } from '#src/http/openapi/document.ts';
import { forms } from '#src/sandbox/world/service.ts';
import { judgeBy, type Judge } from '../../../harness/open-api-judge.ts';
import { openCallback } from '../../../harness/sandbox/callback-server.ts';
import { type Answer, type TestSandbox, openForSuite } from '../../../harness/sandbox.ts';
import { fillEveryList, listsOf } from '../../../harness/sandbox/lists.ts';

const schemaOf = (answer: ResponseDocs | undefined): unknown => answer?.content?.['application/json']?.schema;

/** One of each event, sent to the subscriptions of the organization and to one of its owner. */
async function makeEverythingHappen(sandbox: TestSandbox, url: string): Promise<void> {
  const { organization, users, event_types } = sandbox.handles;
  const { owner: user } = users;
  const made = async (answer: Promise<Answer>): Promise<Answer['body']> => {
    const { status, body } = await answer;
    expect([status, body]).toEqual([expect.toSatisfy((code: number) => code < 300), body]);
    return body?.resource ?? body;
  };
  const call = (method: string, path: string, body?: unknown) => made(sandbox.call(method, path, { body }));
  const control = (method: string, path: string, body: unknown) => made(sandbox.control(method, path, body));
  const ofFamily = (family: RegExp) => Object.keys(eventKinds).filter((event) => family.test(event));
  for (const wanted of [
    { url, events: ofFamily(/^(?!meeting_recap|routing_form)/), scope: 'organization' },
    { url: `${url}/forms`, events: ofFamily(/^routing_form/), scope: 'organization' },
    { url: `${url}/user`, events: ofFamily(/^meeting_recap/), scope: 'user', user },
  ])
    await call('POST', '/webhook_subscriptions', { organization, signing_key: 'secret', ...wanted });

  const contact = await call('POST', '/contacts', { emails: [{ email: 'new@example.test', is_primary: true }] });
  await call('PATCH', contact.uri, { name: 'Ada Else' });
  await call('DELETE', contact.uri);
  const invitee = await call('POST', '/invitees', {
    event_type: event_types.solo,
    start_time: '2999-01-01T10:00:00Z',
    invitee: { email: 'guest@example.test', timezone: 'Europe/Berlin', name: 'Guest' },
  });
  for (const method of ['POST', 'DELETE']) await control(method, '/no_shows', { invitee: invitee.uri });
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
  let document: OpenApiDocument;
  let judge: Judge;
  const sandbox = openForSuite({ as, eventTypes: true }, async (opened) => {
    await fillEveryList(opened);
    document = (await opened.control('GET', '/openapi.json')).body as OpenApiDocument;
    judge = judgeBy(document);
  });

  it('is what the lists answer', async () => {
    for (const { operation, path, query } of listsOf(sandbox)) {
      const { status, body } = await sandbox.call('GET', path, { query });
      expect([operation.id, status]).toEqual([operation.id, 200]);
      expect(body.collection.length).toBeGreaterThan(0);
      const docs = document.paths[operation.path]?.['get'];
      expect(judge(schemaOf(docs?.responses['200']), body)).toEqual([]);
    }
  });

  it('is what every event delivers', async () => {
    await using callback = await openCallback();
    await makeEverythingHappen(sandbox, callback.url);
    await sandbox.dispatcher.settled();
    const delivered = new Map<string, unknown>(callback.received.map(({ body }) => [body.event, body]));
    expect([...delivered.keys()].toSorted()).toEqual(Object.keys(eventKinds).toSorted());
    for (const [event, body] of delivered) {
      const schema = document.webhooks?.[event]?.['post']?.requestBody?.content['application/json'].schema;
      expect([event, judge(schema, body)]).toEqual([event, []]);
    }
  });
});

// Conformance: routing forms and their submissions.
import { expect } from 'vitest';
import type { RoutingFormResource } from '#schemas/resources/routing-form.ts';
import { openSubscriber } from '../harness/sandbox/subscriber.ts';
import { answers, asksFor, invalid, isForAdministrators, urisOf } from './answers.ts';
import { openForRows, rows } from './rows.ts';

let form: RoutingFormResource;
const sandbox = openForRows({}, async (opened) => {
  const { organization } = opened.handles;
  form = (await opened.call('GET', '/routing_forms', { query: { organization } })).body.collection[0];
});
const events = ['routing_form_submission.created'] as const;
const submit = async (body: object = {}) =>
  (await sandbox.control('POST', '/routing_form_submissions', body)).body.resource;

rows({
  'Events | routing_form_submission.created fires when a routing form is submitted': async () => {
    await using ear = await openSubscriber(sandbox, { events, scope: 'organization' });
    const payload = await submit();
    expect(await ear.heard()).toMatchObject([{ event: events[0], created_at: payload.created_at, payload }]);
  },
  'Events | routing_form_submission.created belongs to the organization, to no user of it': async () => {
    await using ear = await openSubscriber(sandbox, { events, scope: 'user' });
    await using organization = await openSubscriber(sandbox, { events, scope: 'organization' });
    await submit();
    expect(await organization.heard()).toHaveLength(1);
    expect(await ear.heard()).toEqual([]);
  },
  'Authentication 2 | routing_forms:read is required for routing forms and their submissions': async () => {
    const { uri } = await submit();
    await asksFor(sandbox, 'routing_forms:read', ['/routing_forms', form.uri, '/routing_form_submissions', uri]);
  },
  'Invitee | routing_form_submission is the URI of a submission that can be requested': async () => {
    const resource = await submit();
    await answers(sandbox.call('GET', resource.uri, { as: 'admin' }), 200, { resource });
  },
  'Conventions 4 | the routing forms an administrator reads are 403 for an ordinary user': async () => {
    const { uri } = await submit();
    await isForAdministrators(sandbox, ['/routing_forms'], { organization: sandbox.handles.organization });
    await isForAdministrators(sandbox, ['/routing_form_submissions'], { form: form.uri });
    await isForAdministrators(sandbox, [form.uri, uri]);
  },
  'GET /routing_forms | lists the forms of the organization that must be named | A27': async () => {
    const { organization } = sandbox.handles;
    const { body } = await sandbox.call('GET', '/routing_forms', { query: { organization } });
    expect(body.collection.map((one: RoutingFormResource) => one.organization)).toEqual([organization]);
    await answers(sandbox.call('GET', '/routing_forms'), 400, invalid('organization'));
  },
  'GET /routing_forms/<uuid> | retrieves one form with its questions | A27': async () => {
    const { body } = await sandbox.call('GET', form.uri);
    expect(body.resource).toEqual(form);
    expect(form.questions.map(({ type }) => type)).toEqual(['name', 'email', 'select']);
    await answers(sandbox.call('GET', '/routing_forms/none'), 404);
  },
  'GET /routing_form_submissions | lists the submissions of a form, page by page | A27': async () => {
    const list = (query: Record<string, string | number>) =>
      sandbox.call('GET', '/routing_form_submissions', { query: { form: form.uri, ...query } });
    const known = urisOf(await list({ count: 100 }));
    const made: string[] = [];
    for (let index = 0; index < 3; index += 1) made.push((await submit()).uri);
    const latest = await list({ count: 2, sort: 'created_at:desc' });
    expect(urisOf(latest)).toEqual(made.toReversed().slice(0, 2));
    expect(urisOf(await sandbox.call('GET', latest.body.pagination.next_page))[0]).toBe(made[0]);
    expect(urisOf(await list({ count: 100 }))).toEqual([...known, ...made]);
  },
  'GET /routing_form_submissions | the form must be named, and must exist | A27': async () => {
    await answers(sandbox.call('GET', '/routing_form_submissions'), 400);
    const query = { form: `${form.uri}0` };
    await answers(sandbox.call('GET', '/routing_form_submissions', { query }), 404, invalid('form'));
    await answers(sandbox.call('GET', '/routing_form_submissions/none'), 404);
  },
  'Resources | a submission answers every question of its form, by the question’s uuid | A27': async () => {
    const given = ['Ada', 'ada@example.test', 'Pricing'];
    const submission = await submit({ answers: given });
    expect(submission).toMatchObject({ routing_form: form.uri, submitter: null, submitter_type: null });
    expect(submission.questions_and_answers).toEqual(
      form.questions.map(({ uuid, name }, place) => ({ question_uuid: uuid, question: name, answer: given[place] })),
    );
    expect(Object.values(submission.tracking)).toEqual([null, null, null, null, null, null]);
  },
  'Resources | a submission leads to an event type, to an external URL or to a message | A27': async () => {
    const question = 'What brings you here?';
    const results: unknown[] = [];
    for (const answer of ['A demo', 'Pricing', 'Support', 'None of these'])
      results.push((await submit({ answers: { [question]: answer } })).result);
    expect(results).toMatchObject([
      { type: 'event_type', value: sandbox.handles.event_types.round_robin },
      { type: 'external_url', value: expect.stringMatching(/^https:/) },
      { type: 'custom_message', value: { headline: expect.any(String), body: expect.any(String) } },
      { type: 'event_type' },
    ]);
  },
});

// Conformance: routing forms and their submissions.
import { expect } from 'vitest';
import type { RoutingFormResource } from '#schemas/resources/routing-form.ts';
import { openSubscriber } from '../harness/sandbox/subscriber.ts';
import { openTestSandbox, type TestSandbox } from '../harness/sandbox.ts';
import { answers, invalid, lacking, noAccess, urisOf } from './answers.ts';
import { rows } from './rows.ts';
import { openForRows } from './target.ts';

let form: RoutingFormResource;
const sandbox = openForRows({}, async (opened) => {
  form = await formOf(opened);
});

async function formOf({ call, handles: { organization } }: TestSandbox): Promise<RoutingFormResource> {
  return (await call('GET', '/routing_forms', { query: { organization } })).body.collection[0];
}
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
    for (const path of ['/routing_forms', form.uri, '/routing_form_submissions', uri])
      await answers(sandbox.call('GET', path, { as: 'no_scopes' }), 403, lacking('routing_forms:read'));
  },
  'Invitee | routing_form_submission is the URI of a submission that can be requested': async () => {
    const resource = await submit();
    await answers(sandbox.call('GET', resource.uri, { as: 'admin' }), 200, { resource });
  },
  'Conventions 4 | the routing forms an administrator reads are 403 for an ordinary user': async () => {
    const { organization } = sandbox.handles;
    const { uri } = await submit();
    for (const [path, query] of [
      ['/routing_forms', { organization }],
      [form.uri, {}],
      ['/routing_form_submissions', { form: form.uri }],
      [uri, {}],
    ] as const) {
      await answers(sandbox.call('GET', path, { as: 'admin', query }), 200);
      for (const as of ['member', 'enterprise'] as const)
        await answers(sandbox.call('GET', path, { as, query }), 403, noAccess);
    }
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
    await using world = await openTestSandbox();
    const { uri: ofForm } = await formOf(world);
    const list = (query: Record<string, string | number>) =>
      world.call('GET', '/routing_form_submissions', { query: { form: ofForm, ...query } });
    const known = urisOf(await list({ count: 100 }));
    const made: string[] = [];
    for (let index = 0; index < 3; index += 1)
      made.push((await world.control('POST', '/routing_form_submissions', {})).body.resource.uri);
    const latest = await list({ count: 2, sort: 'created_at:desc' });
    expect(urisOf(latest)).toEqual(made.toReversed().slice(0, 2));
    expect(urisOf(await world.call('GET', latest.body.pagination.next_page))[0]).toBe(made[0]);
    expect(urisOf(await list({ count: 100 }))).toEqual([...known, ...made]);
  },
  'GET /routing_form_submissions | the form must be named, and must exist | A27': async () => {
    await answers(sandbox.call('GET', '/routing_form_submissions'), 400);
    const query = { form: `${form.uri}0` };
    await answers(sandbox.call('GET', '/routing_form_submissions', { query }), 404, invalid('form'));
    await answers(sandbox.call('GET', '/routing_form_submissions/none'), 404);
  },
  'Resources | a submission answers every question of its form, by the question’s uuid | A27': async () => {
    const submission = await submit({ answers: ['Ada', 'ada@example.test', 'Pricing'] });
    expect(submission).toMatchObject({ routing_form: form.uri, submitter: null, submitter_type: null });
    expect(submission.questions_and_answers).toEqual(
      form.questions.map(({ uuid, name }, place) => ({
        question_uuid: uuid,
        question: name,
        answer: ['Ada', 'ada@example.test', 'Pricing'][place],
      })),
    );
    expect(Object.values(submission.tracking)).toEqual([null, null, null, null, null, null]);
  },
  'Resources | a submission leads to an event type, to an external URL or to a message | A27': async () => {
    const results = await Promise.all(
      ['A demo', 'Pricing', 'Support', 'None of these'].map(
        async (answer) => (await submit({ answers: { 'What brings you here?': answer } })).result,
      ),
    );
    expect(results).toMatchObject([
      { type: 'event_type', value: sandbox.handles.event_types.round_robin },
      { type: 'external_url', value: expect.stringMatching(/^https:/) },
      { type: 'custom_message', value: { headline: expect.any(String), body: expect.any(String) } },
      { type: 'event_type' },
    ]);
  },
});

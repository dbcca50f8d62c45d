// Submissions without a booking: who they are from, whether the person booked in another way, and that an erasure reaches all of it. For
// any facts in any order: views-property.engines.test.ts.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { erase } from '#workers/privacy/erase.ts';
import { targetOf } from '#workers/privacy/target.ts';
import { viewRows } from '../../../harness/mirror/view-rows.ts';
import { emptyTables, ingestBodies, availableEngines, type TestStore } from '../../../harness/stores.ts';

const uri = (kind: string, id: string) => `https://api.example.test/${kind}/${id}`;
const body = (event: string, payload: object) => JSON.stringify({ event, created_at: '2026-01-06T12:00:00Z', payload });
const submitted = (id: string, email: string, more: object = {}) =>
  body('routing_form_submission.created', {
    uri: uri('routing_form_submissions', id),
    routing_form: uri('routing_forms', 'sales'),
    questions_and_answers: [
      { question_uuid: '1', question: 'Your name', answer: `Person ${id}` },
      { question_uuid: '2', question: 'Work e-mail', answer: email },
    ],
    result: { type: 'event_type', value: uri('event_types', 'demo') },
    tracking: { utm_campaign: 'spring' },
    created_at: '2026-01-05T10:00:00Z',
    ...more,
  });
const booked = (id: string, email: string, more: object = {}) =>
  body('invitee.created', {
    uri: uri('invitees', id),
    email,
    status: 'active',
    created_at: '2026-01-05T11:00:00Z',
    ...more,
  });

const world = [
  submitted('lost', 'Lost@example.test'),
  submitted('later', 'LATER@example.test'),
  submitted('before', 'before@example.test'),
  submitted('booked', 'booked@example.test'),
  submitted('elsewhere', 'site@example.test', { result: { type: 'external_url', value: 'https://example.test' } }),
  booked('later-2', 'Later@example.test', { created_at: '2026-01-05T12:00:00Z' }),
  booked('later-1', 'later@example.test'),
  booked('before', 'before@example.test', { created_at: '2026-01-05T09:00:00Z' }),
  booked('booked', 'other@example.test', { routing_form_submission: uri('routing_form_submissions', 'booked') }),
];

describe.each(availableEngines)('submissions without a booking on $name', ({ fresh }) => {
  let opened: TestStore;
  beforeAll(async () => void (opened = await fresh()));
  beforeEach(() => emptyTables(opened.store));
  afterAll(() => opened[Symbol.asyncDispose]());
  const rows = () => viewRows(opened.store, 'unbooked_submissions');

  it('are those that led to a booking page, with the person and a later booking of the same address', async () => {
    await ingestBodies(opened.store, world);
    expect((await rows()).map((row) => [row['name'], row['email'], row['booked_otherwise']])).toEqual([
      ['Person before', 'before@example.test', null],
      ['Person later', 'LATER@example.test', uri('invitees', 'later-1')],
      ['Person lost', 'Lost@example.test', null],
    ]);
    expect((await rows())[0]).toMatchObject({
      routing_form: uri('routing_forms', 'sales'),
      event_type: uri('event_types', 'demo'),
      created_at: '2026-01-05T10:00:00.000000Z',
      utm_campaign: 'spring',
    });
  });

  it('leave when the booking arrives', async () => {
    await ingestBodies(opened.store, world);
    const submission = uri('routing_form_submissions', 'lost');
    await ingestBodies(opened.store, [booked('lost', 'x@example.test', { routing_form_submission: submission })]);
    expect((await rows()).map((row) => row['email'])).toEqual(['before@example.test', 'LATER@example.test']);
  });

  it('name no person who was erased, also after a late delivery', async () => {
    const { store } = opened;
    await ingestBodies(store, world);
    await erase({ store, newKey: () => 'k'.repeat(64) }, targetOf('later@example.test'), {
      now: '2026-01-07T00:00:00.000000Z',
    });
    await ingestBodies(store, [submitted('late', 'Later@example.test')]);
    const text = JSON.stringify(await rows());
    expect(text).not.toMatch(/later@example|Person later|Person late"|invitees\/later/i);
    expect(text).toContain('Person lost');
  });
});

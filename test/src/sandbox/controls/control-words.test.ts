// The controls take the words people try: either name of an invitee, and null for nothing.
import { expect, it } from 'vitest';
import { openBooker, type Booker } from '../../../harness/sandbox/bookings.ts';
import { openForSuite } from '../../../harness/sandbox.ts';

let booker: Booker;
const sandbox = openForSuite({ contacts: 1, bookings: 1, rateLimits: false }, async (opened) => {
  booker = await openBooker(opened);
});

it.each(['uri', 'invitee'])('the invitee a control is about is named by `%s`', async (word) => {
  const named = { [word]: (await booker.booked()).uri };
  expect((await sandbox.control('POST', '/no_shows', named)).body.resource.no_show).not.toBeNull();
  expect((await sandbox.control('DELETE', '/no_shows', named)).body.resource.no_show).toBeNull();
  const start_time = booker.freshTime();
  const moved = await sandbox.control('POST', '/invitees/reschedule', { ...named, start_time });
  expect(moved.body.resource).toMatchObject({ status: 'active', old_invitee: named[word] });
  const canceled = await sandbox.control('POST', '/invitees/cancel', { [word]: moved.body.resource.uri });
  expect(canceled.body.resource).toMatchObject({ status: 'canceled' });
});

it('a booking is canceled by its host as the library says it, or as the service does (A18)', async () => {
  for (const words of [{ by: 'host' }, { canceler_type: 'host' }, { by: 'host', canceler_type: 'host' }]) {
    const { uri } = await booker.booked();
    const { body } = await sandbox.control('POST', '/invitees/cancel', { uri, ...words, reason: 'Ill' });
    expect(body.resource.cancellation).toMatchObject({ canceler_type: 'host', reason: 'Ill' });
  }
  const { uri } = await booker.booked();
  const both = { uri, by: 'host', canceler_type: 'invitee' };
  expect((await sandbox.control('POST', '/invitees/cancel', both)).status).toBe(400);
});

it('a form submission leads to a booking that names it (N1)', async () => {
  const { organization } = sandbox.handles;
  const forms = await sandbox.call('GET', '/routing_forms', { query: { organization } });
  const [form] = forms.body.collection as { uri: string; questions: { answer_choices: string[] | null }[] }[];
  const submitted = new Map<string, string>();
  for (const choice of form?.questions.at(-1)?.answer_choices ?? []) {
    const answers = { [String((form?.questions.length ?? 0) - 1)]: choice };
    const { body } = await sandbox.control('POST', '/routing_form_submissions', { answers });
    submitted.set(body.resource.result.type, body.resource.uri);
  }
  const uri = submitted.get('event_type');
  const book = (more: object) => sandbox.control('POST', '/routing_form_submissions/book', { uri, ...more });
  const booked = await book({ email: 'ada@example.test' });
  expect(booked.body.resource).toMatchObject({ email: 'ada@example.test', routing_form_submission: uri });
  const meeting = await sandbox.call('GET', booked.body.resource.event);
  expect(meeting.body.resource.start_time > booked.body.resource.created_at).toBe(true);
  expect((await book({ start_time: '2020-01-01T00:00:00Z' })).status).toBe(400);
  submitted.delete('event_type');
  const [elsewhere] = submitted.values();
  expect((await sandbox.control('POST', '/routing_form_submissions/book', { uri: elsewhere })).status).toBe(400);
});

it('null says the same as leaving a field out', async () => {
  const recap = await sandbox.control('POST', '/meeting_recaps', { event: null, user: null, summary_md: 'Short' });
  expect(recap.body.resource).toMatchObject({ user: sandbox.handles.users.owner, summary_md: 'Short' });
  const nothing = { uri: recap.body.resource.uri, share_link: null, attendees: null, start_time: null };
  expect((await sandbox.control('PATCH', '/meeting_recaps', nothing)).body).toEqual(recap.body);
  expect((await sandbox.control('POST', '/faults', { drop: null, status: null, delay_ms: null })).body).toEqual({});
});

// Conformance: the events that follow bookings, cancellations, reschedules and no-shows.
import { afterAll, beforeEach, expect } from 'vitest';
import { inviteePayload } from '#schemas/resources/invitee.ts';
import { openBooker, type Booker } from '../harness/sandbox/bookings.ts';
import { openCallback, type Callback } from '../harness/sandbox/callback-server.ts';
import type { Answer, CallOptions } from '../harness/sandbox.ts';
import { answers, hookOf, invalid, lacking } from './answers.ts';
import { openForRows, rows } from './rows.ts';

let booker: Booker;
let callback: Callback;
const sandbox = openForRows({ rateLimits: false, bookings: 0 }, async (opened) => {
  booker = await openBooker(opened);
  callback = await openCallback();
  const events = ['invitee.created', 'invitee.canceled', 'invitee_no_show.created', 'invitee_no_show.deleted'];
  await opened.call('POST', '/webhook_subscriptions', { body: hookOf(opened, { url: callback.url, events }) });
});
afterAll(() => callback[Symbol.asyncDispose]());
beforeEach(() => forget());

/** Everything delivered from here on. */
async function forget(): Promise<void> {
  await sandbox.dispatcher.settled();
  callback.received.length = 0;
}
/** Books, and forgets what was delivered about it. */
async function bookedBefore(more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const { uri } = await booker.booked(more);
  await forget();
  return uri;
}
/** What was delivered since the row began, each payload held against its schema. */
async function delivered() {
  await sandbox.dispatcher.settled();
  const bodies = callback.received.map(({ body }) => body);
  for (const { payload } of bodies) inviteePayload.parse(payload);
  return bodies;
}
const delivers = async (...expected: readonly object[]): Promise<void> =>
  expect(await delivered()).toMatchObject(expected);

const cancel = (uri: string, more: object = {}): Promise<Answer> =>
  sandbox.control('POST', '/invitees/cancel', { uri, ...more });
const move = (uri: string): Promise<Answer> =>
  sandbox.control('POST', '/invitees/reschedule', { uri, start_time: booker.freshTime() });
const mark = (invitee: string): Promise<Answer> => sandbox.control('POST', '/no_shows', { invitee });
const unmark = (invitee: string): Promise<Answer> => sandbox.control('DELETE', '/no_shows', { invitee });
/** Shows that a move cancels the old invitee and makes a new one, which looks like this. */
async function movesAsTwo(made: object): Promise<void> {
  const old_invitee = await bookedBefore();
  const { uri } = (await move(old_invitee)).body.resource;
  const bodies = (await delivered()).toSorted((a, b) => (a.event < b.event ? -1 : 1));
  const canceled = { uri: old_invitee, status: 'canceled', rescheduled: true, new_invitee: uri };
  expect(bodies).toMatchObject([
    { event: 'invitee.canceled', payload: canceled },
    { event: 'invitee.created', payload: { uri, old_invitee, ...made } },
  ]);
}
const meetingOf = async (uri: string) => (await sandbox.call('GET', uri)).body.resource;

rows({
  'Events, invitee.created | fires when a booking is made': async () => {
    const { uri } = await booker.booked();
    await delivers({ event: 'invitee.created', payload: { uri } });
  },
  'Events, payload | invitee events carry the whole invitee with its scheduled event | A4a': async () => {
    const invitee = await booker.booked();
    const [{ payload }] = (await delivered()) as [{ payload: unknown }];
    expect(payload).toEqual({ ...invitee, scheduled_event: await meetingOf(invitee.event) });
  },
  'Events, invitee.canceled | fires when an invitee cancels': async () => {
    const uri = await bookedBefore();
    await cancel(uri, { reason: 'Ill' });
    const payload = { uri, status: 'canceled', rescheduled: false, cancellation: { reason: 'Ill' } };
    await delivers({ event: 'invitee.canceled', payload });
  },
  'Events, invitee.canceled | a meeting of two is canceled with its invitee | A4g': async () => {
    await cancel(await bookedBefore());
    const [{ payload }] = (await delivered()) as [{ payload: Record<string, unknown> }];
    expect(payload['scheduled_event']).toMatchObject({
      status: 'canceled',
      cancellation: payload['cancellation'],
      invitees_counter: { total: 1, active: 0, limit: 1 },
    });
  },
  'Events, invitee.canceled | a group event stays active when an invitee cancels | A4g': async () => {
    const plan = { event_type: sandbox.handles.event_types.group, start_time: booker.freshTime() };
    const { uri } = await booker.booked(plan);
    await bookedBefore(plan);
    await cancel(uri);
    const scheduled_event = { status: 'active', invitees_counter: { total: 2, active: 1, limit: 8 } };
    await delivers({ payload: { status: 'canceled', scheduled_event } });
    expect((await delivered())[0].payload.scheduled_event).not.toHaveProperty('cancellation');
  },
  'Events | a reschedule is a cancel of the old invitee and a create of the new one | A4g': async () => {
    await movesAsTwo({ status: 'active', rescheduled: false });
  },
  'Events, invitee_no_show.created | an invitee who canceled is no no-show: refused with 400 | A21b': async () => {
    const { uri } = await booker.booked();
    await cancel(uri);
    await answers(mark(uri), 400, { details: [{ parameter: 'invitee' }] });
    expect(sandbox.service.state.invitees.get(uri)?.no_show).toBeNull();
  },
  'Events, invitee_no_show.created | fires when an invitee is marked no-show': async () => {
    const uri = await bookedBefore();
    const { no_show } = (await mark(uri)).body.resource;
    await delivers({ event: 'invitee_no_show.created', payload: { uri, no_show } });
  },
  'Events, invitee_no_show.deleted | fires when a no-show mark is removed': async () => {
    const { uri } = await booker.booked();
    await mark(uri);
    await forget();
    await unmark(uri);
    await delivers({ event: 'invitee_no_show.deleted', payload: { uri, no_show: null } });
  },
  'Events, no-shows | marking and unmarking move the time of the envelope, not `updated_at` | A4f': async () => {
    const { uri, updated_at } = await booker.booked();
    await mark(uri);
    await unmark(uri);
    const bodies = await delivered();
    expect(bodies.map(({ payload }) => payload.updated_at)).toEqual([updated_at, updated_at, updated_at]);
    expect(new Set(bodies.map(({ created_at }) => created_at)).size).toBe(3);
  },
  'POST /webhook_subscriptions, rule 1 | `user` only for events belonging to that user': async () => {
    await using mine = await openCallback();
    const body = hookOf(sandbox, { url: mine.url, scope: 'user', user: sandbox.handles.users.member });
    await answers(sandbox.call('POST', '/webhook_subscriptions', { as: 'member', body }), 201);
    await booker.booked();
    const own = await booker.booked({ event_type: booker.offers['Coaching session'] });
    const together = await booker.booked({ event_type: booker.offers['Office visit'] });
    await sandbox.dispatcher.settled();
    const seen = mine.received.map((one) => one.body.payload.uri);
    expect(seen.toSorted()).toEqual([own.uri, together.uri].toSorted());
  },
  'Transitions of invitee status | canceled is final; marks are set and removed once; a refusal sends no event | A21b':
    async () => {
      const { uri } = await booker.booked();
      await answers(unmark(uri), 400);
      await mark(uri);
      await cancel(uri);
      await forget();
      for (const again of [mark, cancel, move]) await answers(again(uri), 400);
      for (const again of [cancel, mark]) await answers(again(`${uri}x`), 404);
      await delivers();
    },
  'POST /invitee_no_shows | marks an invitee: 201 with `uri`, `invitee` and `created_at`, and `invitee_no_show.created` | A14':
    async () => {
      const invitee = await bookedBefore();
      const { status, body } = await sandbox.call('POST', '/invitee_no_shows', { body: { invitee } });
      const { uri, created_at } = body.resource;
      expect([status, body.resource]).toEqual([201, { uri, invitee, created_at }]);
      await answers(sandbox.call('GET', uri), 200, body);
      const payload = { uri: invitee, no_show: { uri, created_at } };
      await delivers({ event: 'invitee_no_show.created', payload });
    },
  'DELETE /invitee_no_shows/<uuid> | removes the mark: 204 and `invitee_no_show.deleted`, then 404 | A14': async () => {
    const { uri } = await booker.booked();
    const { body } = await sandbox.call('POST', '/invitee_no_shows', { body: { invitee: uri } });
    await forget();
    await answers(sandbox.call('DELETE', body.resource.uri), 204);
    await delivers({ event: 'invitee_no_show.deleted', payload: { uri, no_show: null } });
    for (const method of ['GET', 'DELETE']) await answers(sandbox.call(method, body.resource.uri), 404);
  },
  'POST /invitee_no_shows | a second mark and one on who canceled are 400, an unknown invitee is 404; another host’s invitee and a token without `scheduled_events:write` are 403 | A14':
    async () => {
      const markAs = (invitee: string, more?: CallOptions) =>
        sandbox.call('POST', '/invitee_no_shows', { body: { invitee }, ...more });
      const { uri: invitee } = await booker.booked();
      await answers(markAs(invitee, { as: 'member' }), 403, { title: 'Permission Denied' });
      await answers(markAs(invitee, { as: 'no_scopes' }), 403, lacking('scheduled_events:write'));
      const { body } = await markAs(invitee);
      await answers(sandbox.call('DELETE', body.resource.uri, { as: 'member' }), 403);
      const { uri: gone } = await booker.booked();
      await cancel(gone);
      await forget();
      for (const refused of [invitee, gone, 'ada']) await answers(markAs(refused), 400, invalid('invitee'));
      await answers(markAs(`${invitee}x`), 404, invalid('invitee'));
      await delivers();
    },
  'POST /invitees | reschedule handling runs as for a booking made through the hosted interface: the old invitee is canceled and a new one booked':
    () => movesAsTwo({ scheduling_method: 'api' }),
  'POST /invitees | notifications: subscribers receive the webhooks of the booking; no e-mail and no SMS is sent, whatever `text_reminder_number` says | exception':
    async () => {
      const text_reminder_number = '+12025550100';
      const invitee = { email: 'ada@example.test', timezone: 'UTC', name: 'Ada', text_reminder_number };
      const { uri } = await booker.booked({ invitee });
      await delivers({ event: 'invitee.created', payload: { uri, text_reminder_number } });
    },
  'POST /invitees | calendar invitations: the meeting is in GET /scheduled_events with its place, link and guests; no calendar outside gets an entry | exception':
    async () => {
      const { event } = await booker.booked({ event_guests: ['guest@example.test'] });
      expect(await meetingOf(event)).toMatchObject({
        status: 'active',
        location: { type: 'zoom_conference', join_url: expect.any(String) },
        event_guests: [{ email: 'guest@example.test' }],
      });
    },
  'POST /invitees | workflows: none exist in the sandbox; a booking has no effect but its records and webhooks | exception':
    async () => {
      const { invitees, scheduledEvents, contacts } = sandbox.service.state;
      const sizes = (): readonly number[] => [invitees.size, scheduledEvents.size, contacts.size];
      const before = sizes();
      await booker.booked();
      expect(sizes()).toEqual(before.map((size, index) => (index < 2 ? size + 1 : size)));
      expect((await delivered()).map(({ event }) => event)).toEqual(['invitee.created']);
    },
});

// Conformance: scheduled events and their invitees.
import { expect } from 'vitest';
import { openBooker, type Booker } from '../harness/sandbox/bookings.ts';
import { answers, asksFor, finds, isForAdministrators, noAccess, recordOf, urisOf } from './answers.ts';
import { openForRows, rows } from './rows.ts';

let booker: Booker;
const sandbox = openForRows({ rateLimits: false, bookings: 0 }, async (opened) => {
  booker = await openBooker(opened);
});

const list = (query: Record<string, string | number>, as: 'owner' | 'member' = 'owner') =>
  sandbox.call('GET', '/scheduled_events', { as, query });
const someone = (email: string) => ({ email, timezone: 'UTC', name: 'Someone' });
const supported = () => booker.booked({ event_type: booker.offers['Support line'] });

rows({
  'Conventions 4 | responses depend on the request only: owner and member get the same answer to the same question':
    async () => {
      await supported();
      const query = { user: sandbox.handles.users.member, count: 100 };
      const mine = await list(query, 'member');
      expect(mine.body.collection.length).toBeGreaterThan(0);
      expect((await list(query)).body.collection).toEqual(mine.body.collection);
    },
  'Conventions 4 | a caller with too low a role receives 403 for the organization': () =>
    isForAdministrators(sandbox, ['/scheduled_events'], { organization: sandbox.handles.organization }),
  'Authentication, scope scheduled_events:read | is what reading bookings asks for': async () => {
    const { event, uri } = await booker.booked();
    await asksFor(sandbox, 'scheduled_events:read', ['/scheduled_events', event, `${event}/invitees`, uri]);
  },
  'GET /scheduled_events/<uuid> | shows times, place, hosts, guests and how many come | A4a': async () => {
    const start_time = booker.freshTime();
    const { event } = await booker.booked({ start_time, event_guests: ['guest@example.test'] });
    const owner = await recordOf(sandbox.call('GET', sandbox.handles.users.owner));
    const meeting = await recordOf(sandbox.call('GET', event));
    expect(meeting).toMatchObject({
      uri: event,
      name: 'Intro call',
      status: 'active',
      event_type: sandbox.handles.event_types.solo,
      location: { type: 'zoom_conference', status: 'pushed', data: { id: expect.any(Number) } },
      invitees_counter: { total: 1, active: 1, limit: 1 },
      event_memberships: [{ user: owner.uri, user_email: owner.email, user_name: owner.name }],
      event_guests: [{ email: 'guest@example.test' }],
    });
    expect(Date.parse(meeting.end_time) - Date.parse(meeting.start_time)).toBe(30 * 60_000);
  },
  'GET /scheduled_events | takes `user`: the meetings that user hosts | A6e': async () => {
    const [own, other] = [await supported(), await booker.booked()];
    await finds(list({ user: sandbox.handles.users.member, count: 100 }), own.event, other.event);
    await answers(list({ user: sandbox.handles.users.owner }, 'member'), 403, noAccess);
  },
  'GET /scheduled_events | takes `group`: the meetings its members host | A6e': async () => {
    const [own, other] = [await supported(), await booker.booked()];
    await finds(list({ group: sandbox.handles.group, count: 100 }, 'member'), own.event, other.event);
  },
  'GET /scheduled_events | takes `status` | A6e': async () => {
    const [active, left] = [await booker.booked(), await booker.booked()];
    await sandbox.control('POST', '/invitees/cancel', { uri: left.uri });
    const { organization } = sandbox.handles;
    await finds(list({ organization, status: 'canceled', count: 100 }), left.event, active.event);
    await answers(list({ organization, status: 'open' }), 400);
  },
  'GET /scheduled_events | takes `invitee_email` | A6e': async () => {
    const { event } = await booker.booked({ invitee: someone('only.here@example.test') });
    await booker.booked();
    const { organization } = sandbox.handles;
    expect(urisOf(await list({ organization, invitee_email: 'only.here@example.test' }))).toEqual([event]);
    expect(urisOf(await list({ organization, invitee_email: 'never.here@example.test' }))).toEqual([]);
  },
  'GET /scheduled_events | takes `min_start_time` and `max_start_time`, both included | A6e': async () => {
    const times = [booker.freshTime(), booker.freshTime(), booker.freshTime()] as const;
    const events: string[] = [];
    for (const start_time of times) events.push((await booker.booked({ start_time })).event);
    const query = { organization: sandbox.handles.organization, count: 100 };
    const ask = async (min: string, max: string) =>
      urisOf(await list({ ...query, min_start_time: min, max_start_time: max }));
    expect(await ask(times[1], times[2])).toEqual(events.slice(1));
    expect(await ask(times[0], times[1])).toEqual(events.slice(0, 2));
  },
  'GET /scheduled_events | is sorted by `start_time`, upwards unless asked otherwise | A6e': async () => {
    const { organization } = sandbox.handles;
    for (let count = 0; count < 2; count += 1) await booker.booked();
    const { collection } = (await list({ organization, count: 100 })).body;
    const times = collection.map((one: { start_time: string }) => one.start_time);
    expect(times.length).toBeGreaterThan(1);
    expect(times).toEqual(times.toSorted());
    const downwards = await list({ organization, count: 100, sort: 'start_time:desc' });
    expect(downwards.body.collection).toEqual(collection.toReversed());
    await answers(list({ organization, sort: 'name:asc' }), 400);
  },
  'GET /scheduled_events/<uuid>/invitees | lists who comes to one meeting | A4a': async () => {
    const plan = { event_type: sandbox.handles.event_types.group, start_time: booker.freshTime() };
    const one = await booker.booked({ ...plan, invitee: someone('one@example.test') });
    const two = await booker.booked({ ...plan, invitee: someone('two@example.test') });
    await sandbox.control('POST', '/invitees/cancel', { uri: one.uri });
    const ask = (query: Record<string, string> = {}) => sandbox.call('GET', `${one.event}/invitees`, { query });
    expect(urisOf(await ask())).toEqual([one.uri, two.uri]);
    expect(urisOf(await ask({ sort: 'created_at:desc' }))).toEqual([two.uri, one.uri]);
    expect(urisOf(await ask({ status: 'active' }))).toEqual([two.uri]);
    expect(urisOf(await ask({ email: 'one@example.test' }))).toEqual([one.uri]);
    expect((await ask({ count: '1' })).body.pagination.next_page).toMatch(/page_token=/);
  },
  'Conventions 4 | one meeting is for its hosts and administrators to see; others get 403': async () => {
    const [mine, other] = [await supported(), await booker.booked()];
    const pathsOf = ({ event, uri }: { event: string; uri: string }) => [event, `${event}/invitees`, uri];
    for (const path of pathsOf(mine)) await answers(sandbox.call('GET', path, { as: 'member' }), 200);
    await isForAdministrators(sandbox, pathsOf(other));
  },
  'Errors 404 | a scheduled event or an invitee that is not there is not found': async () => {
    const { event } = await booker.booked();
    const nowhere = `${sandbox.handles.base_url}/scheduled_events/nowhere`;
    for (const path of [nowhere, `${nowhere}/invitees`, `${event}/invitees/unknown`])
      await answers(sandbox.call('GET', path), 404, { title: 'Internal Server Error' });
  },
});

// Conformance: event types, their events, and the times at which they can be booked.
import { expect } from 'vitest';
import { eventTypeResource } from '#schemas/resources/event-type.ts';
import { dayMs, hourMs, instantOf } from '#src/sandbox/clock.ts';
import { openBooker, type Booker } from '../harness/sandbox/bookings.ts';
import { openSubscriber } from '../harness/sandbox/subscriber.ts';
import type { Answer } from '../harness/sandbox.ts';
import { everyPage } from '../harness/sandbox/lists.ts';
import { answers, asksFor, invalid, isForAdministrators, noAccess, noRight } from './answers.ts';
import { openForRows, rows } from './rows.ts';

let booker: Booker;
const sandbox = openForRows({ rateLimits: false, bookings: 0, eventTypes: true }, async (opened) => {
  booker = await openBooker(opened);
});

const made = (more: Record<string, unknown> = {}, as: 'owner' | 'member' = 'owner'): Promise<Answer> => {
  const body = { name: 'Made here', duration: 30, owner: sandbox.handles.users[as], ...more };
  return sandbox.call('POST', '/event_types', { as, body });
};
type Query = Record<string, string>;
/** What a list of event types shows in this field; the organization's, unless a user's are asked for. */
async function listed(query: Query = {}, field = 'name'): Promise<(string | number)[]> {
  const whose = 'user' in query ? {} : { organization: sandbox.handles.organization };
  const { body } = await sandbox.call('GET', '/event_types', { query: { ...whose, count: 100, ...query } });
  return body.collection.map((one: Record<string, string | number>) => one[field]);
}

rows({
  'GET /event_types | is asked for an organization or a user': async () => {
    expect(await listed()).toContain('Intro call');
    const ofMember = await listed({ user: sandbox.handles.users.member });
    expect(ofMember).toContain('Support line');
    expect(ofMember).not.toContain('Intro call');
    await answers(sandbox.call('GET', '/event_types'), 400);
  },
  'Conventions 4 | a member who lists the event types of the organization receives 403': () =>
    isForAdministrators(sandbox, ['/event_types'], { organization: sandbox.handles.organization }),
  'Authentication, scope event_types:read | is what reading event types asks for': () => {
    const paths = ['/event_types', sandbox.handles.event_types.solo, '/event_type_available_times'];
    return asksFor(sandbox, 'event_types:read', paths);
  },
  'GET /event_types/<uuid> | shows the whole record, and nothing that only the service knows | A4e': async () => {
    const { body } = await sandbox.call('GET', sandbox.handles.event_types.round_robin);
    expect(eventTypeResource.parse(body.resource)).toMatchObject({ name: 'Product demo', pooling_type: 'round_robin' });
  },
  'GET /event_types | takes `active` | A6e': async () => {
    await made({ name: 'Asleep', active: false });
    expect(await listed({ active: 'false' })).toContain('Asleep');
    expect(await listed({ active: 'true' })).not.toContain('Asleep');
  },
  'GET /event_types | is sorted by name, position, created_at or updated_at | A6e': async () => {
    for (const field of ['name', 'position', 'created_at', 'updated_at']) {
      const values = await listed({ sort: `${field}:asc` }, field);
      expect(values.length).toBeGreaterThan(5);
      expect(values).toEqual(values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
      expect(await listed({ sort: `${field}:desc` }, field)).toEqual(values.toReversed());
    }
  },
  'Errors 404 | an event type that is not there is not found': async () => {
    const nowhere = `${sandbox.handles.base_url}/event_types/nowhere`;
    for (const method of ['GET', 'DELETE'])
      await answers(sandbox.call(method, nowhere), 404, { title: 'Internal Server Error' });
    await answers(sandbox.call('PATCH', nowhere, { body: {} }), 404);
  },
  'Conventions 4 | an event type of another organization is refused with 403': async () => {
    for (const method of ['GET', 'DELETE'])
      await answers(sandbox.call(method, sandbox.handles.event_types.solo, { as: 'trial' }), 403, noAccess);
  },
});

// Writing

rows({
  'Versioning 3 | event type create': async () => {
    const same = { name: 'Deep dive', duration: 75, kind: 'group', locations: [{ kind: 'webex_conference' }] };
    const question = { name: 'Why?', required: true };
    const request = { ...same, seats: 4, custom_questions: [question], description_plain: 'A <long> talk' };
    const { status, body } = await made(request);
    expect(status).toBe(201);
    expect(body.resource).toMatchObject({
      ...same,
      slug: 'deep-dive',
      active: true,
      custom_questions: [{ ...question, type: 'text', position: 0, enabled: true }],
      description_html: '<p>A &lt;long&gt; talk</p>',
      profile: { type: 'User', owner: sandbox.handles.users.owner },
      deleted_at: null,
    });
    expect((await sandbox.call('GET', body.resource.uri)).body).toEqual(body);
  },
  'Versioning 3 | event type update': async () => {
    const { uri, updated_at, duration } = (await made()).body.resource;
    const { status, body } = await sandbox.call('PATCH', uri, { body: { name: 'Renamed', active: false } });
    expect([status, body]).toMatchObject([200, { resource: { uri, name: 'Renamed', active: false, duration } }]);
    expect(body.resource.updated_at > updated_at).toBe(true);
    expect((await sandbox.call('GET', uri)).body).toEqual(body);
  },
  'DELETE /event_types/<uuid> | a deleted event type leaves the lists; its meetings stay | A23': async () => {
    const { uri } = (await made({ name: 'Short-lived' })).body.resource;
    const { event } = await booker.booked({ event_type: uri });
    await answers(sandbox.call('DELETE', uri), 204);
    await answers(sandbox.call('GET', uri), 404);
    expect(await listed()).not.toContain('Short-lived');
    await answers(sandbox.call('GET', event), 200, { resource: { event_type: uri } });
  },
  'POST, PATCH and DELETE /event_types | are for administrators, and for users what they alone host | A23':
    async () => {
      await answers(made({}, 'member'), 201);
      const { owner, member } = sandbox.handles.users;
      await answers(made({ owner }, 'member'), 403, noRight);
      const shared = { hosts: [member, owner], pooling_type: 'collective' };
      await answers(made(shared, 'member'), 403, noRight);
      const { solo, round_robin } = sandbox.handles.event_types;
      for (const uri of [solo, round_robin]) {
        await answers(sandbox.call('PATCH', uri, { as: 'member', body: { name: 'x' } }), 403);
        await answers(sandbox.call('DELETE', uri, { as: 'member' }), 403, noRight);
      }
    },
  'POST and PATCH /event_types | what is not valid is refused, parameter by parameter | A23': async () => {
    for (const [parameter, more] of [
      ['name', { name: ' ' }],
      ['duration', { duration: 0 }],
      ['kind', { kind: 'crowd' }],
      ['seats', { seats: 4 }],
      ['locations.0.kind', { locations: [{ kind: 'carrier_pigeon' }] }],
      ['custom_questions', { custom_questions: [{ name: 'Why?' }, { name: 'Why?' }] }],
    ] as const)
      await answers(made(more), 400, invalid(parameter));
    const { solo } = sandbox.handles.event_types;
    await answers(sandbox.call('PATCH', solo, { body: { owner: sandbox.handles.users.admin } }), 400);
    const unknownUser = `${sandbox.handles.base_url}/users/unknown`;
    await answers(made({ owner: unknownUser }), 404, invalid('owner'));
  },
});

// Events

const events = ['event_type.created', 'event_type.updated', 'event_type.deleted'] as const;
const hear = () => openSubscriber(sandbox, { events, scope: 'organization' });

rows({
  'Events, event_type.created | event type lifecycle: carries the new record': async () => {
    await using ear = await hear();
    const payload = (await made()).body.resource;
    expect(await ear.heard()).toEqual([expect.objectContaining({ event: 'event_type.created', payload })]);
  },
  'Events, event_type.updated | event type lifecycle: carries the changed record; no change, no event': async () => {
    const { uri } = (await made()).body.resource;
    await using ear = await hear();
    const change = async () => (await sandbox.call('PATCH', uri, { body: { duration: 50 } })).body.resource;
    const payload = await change();
    expect([payload.duration, await change()]).toEqual([50, payload]);
    expect(await ear.heard()).toEqual([expect.objectContaining({ event: 'event_type.updated', payload })]);
  },
  'Events, event_type.deleted | event type lifecycle: carries the record with `deleted_at`': async () => {
    const { uri } = (await made()).body.resource;
    await using ear = await hear();
    await sandbox.call('DELETE', uri);
    const [sent, ...more] = await ear.heard();
    expect([sent, more]).toMatchObject([{ event: 'event_type.deleted', payload: { uri, active: false } }, []]);
    expect(eventTypeResource.parse(sent.payload).deleted_at).not.toBeNull();
  },
});

// Available times

/** From a Monday to come, at midnight. */
const monday = (): number => {
  const nextMs = Math.ceil(sandbox.service.clock.nowMs() / dayMs) * dayMs;
  return nextMs + ((8 - new Date(nextMs).getUTCDay()) % 7) * dayMs;
};

const queryOf = (fromMs: number, toMs: number, event_type = sandbox.handles.event_types.solo) => ({
  event_type,
  start_time: new Date(fromMs).toISOString(),
  end_time: new Date(toMs).toISOString(),
});
const times = (...span: Parameters<typeof queryOf>): Promise<Answer> =>
  sandbox.call('GET', '/event_type_available_times', { query: { ...queryOf(...span), count: 100 } });
/** How many may book this hour of a day; undefined when it is not available. */
async function left(dayStartMs: number, hour: number, eventType?: string): Promise<number | undefined> {
  const { body } = await times(dayStartMs, dayStartMs + dayMs, eventType);
  const start = instantOf(dayStartMs + hour * hourMs);
  return body.collection.find((one: { start_time: string }) => one.start_time === start)?.invitees_remaining;
}

rows({
  'GET /event_type_available_times | start_time and end_time span at most 31 days': async () => {
    const from = monday();
    await answers(times(from, from + 31 * dayMs), 200);
    await answers(times(from, from + 31 * dayMs + 1), 400, invalid('end_time'));
  },
  'Limits | date range: up to 31 days per request (was 7)': async () => {
    const from = monday();
    const query = new URLSearchParams({ ...queryOf(from, from + 31 * dayMs), count: '100' });
    const found = await everyPage<{ start_time: string }>(sandbox, `/event_type_available_times?${query}`);
    expect(Date.parse(found.at(-1)?.start_time ?? '')).toBeGreaterThan(from + 28 * dayMs);
  },
  'Conventions 3 | available times come in pages as every collection does': async () => {
    const from = monday();
    const whole = (await times(from, from + dayMs)).body.collection;
    const query = { ...queryOf(from, from + dayMs), count: 10 };
    const first = await sandbox.call('GET', '/event_type_available_times', { query });
    const second = await sandbox.call('GET', first.body.pagination.next_page);
    expect([first.body.pagination.count, second.body.pagination]).toMatchObject([10, { count: 6, next_page: null }]);
    expect([...first.body.collection, ...second.body.collection]).toEqual(whole);
    const back = await sandbox.call('GET', second.body.pagination.previous_page);
    expect(back.body.collection).toEqual(first.body.collection);
  },
  'GET /event_type_available_times | the end lies after the start, and the start not in the past | A23b': async () => {
    const from = monday();
    await answers(times(from, from), 400, invalid('end_time'));
    await answers(times(from, from - dayMs), 400);
    await answers(times(from - 30 * dayMs, from - 20 * dayMs), 400, invalid('start_time'));
    const now = sandbox.service.clock.nowMs();
    await answers(times(now, now + dayMs), 200);
  },
  'GET /event_type_available_times | half hours of the working day, weekdays only | A23b': async () => {
    const from = monday();
    const { collection } = (await times(from, from + 7 * dayMs)).body;
    expect(collection).toHaveLength(5 * 16);
    const start_time = instantOf(from + 9 * hourMs);
    expect(collection[0]).toMatchObject({ status: 'available', start_time, invitees_remaining: 1 });
  },
  'GET /event_type_available_times | what a host has booked is not available | A23b': async () => {
    const from = monday() + 7 * dayMs;
    expect(await left(from, 10)).toBe(1);
    const { uri } = await booker.booked({ start_time: instantOf(from + 10 * hourMs) });
    expect(await left(from, 10)).toBeUndefined();
    await sandbox.control('POST', '/invitees/cancel', { uri });
    expect(await left(from, 10)).toBe(1);
  },
  'GET /event_type_available_times | a group shows how many seats are left | A23b': async () => {
    const { uri } = (await made({ kind: 'group', seats: 2, owner: sandbox.handles.users.admin })).body.resource;
    const from = monday() + 14 * dayMs;
    const plan = { event_type: uri, start_time: instantOf(from + 11 * hourMs) };
    for (const seats of [2, 1]) {
      expect(await left(from, 11, uri)).toBe(seats);
      await booker.booked(plan);
    }
    expect(await left(from, 11, uri)).toBeUndefined();
  },
  'Errors 404 | the available times of an event type that is not there are not found': async () => {
    const from = monday();
    await answers(times(from, from + dayMs, `${sandbox.handles.base_url}/event_types/nowhere`), 404);
  },
});

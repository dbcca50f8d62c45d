// Conformance: event types, their events, and the times at which they can be booked.
import { afterAll, beforeAll, expect } from 'vitest';
import { eventTypeResource } from '#schemas/resources/event-type.ts';
import { openBooker, type Booker } from '../harness/sandbox/bookings.ts';
import { openCallback } from '../harness/sandbox/callback-server.ts';
import { openTestSandbox, type TestSandbox } from '../harness/sandbox.ts';
import { answers, noAccess, noRight } from './answers.ts';
import { rows } from './rows.ts';

let sandbox: TestSandbox;
let booker: Booker;
beforeAll(async () => {
  sandbox = await openTestSandbox({ rateLimits: false, bookings: 0, eventTypes: true });
  booker = await openBooker(sandbox);
});
afterAll(() => sandbox[Symbol.asyncDispose]());

const dayMs = 24 * 60 * 60_000;

const made = async (more: Record<string, unknown> = {}, as: 'owner' | 'member' = 'owner') => {
  const body = { name: 'Made here', duration: 30, owner: sandbox.handles.users[as], ...more };
  return sandbox.call('POST', '/event_types', { as, body });
};
const names = (answer: { body: { collection: { name: string }[] } }): string[] =>
  answer.body.collection.map(({ name }) => name);

rows({
  'GET /event_types | is asked for an organization or a user': async () => {
    const { organization, users } = sandbox.handles;
    const ofAll = names(await sandbox.call('GET', '/event_types', { query: { organization, count: 100 } }));
    const ofMember = names(await sandbox.call('GET', '/event_types', { query: { user: users.member, count: 100 } }));
    expect(ofAll).toContain('Intro call');
    expect(ofMember).toContain('Support line');
    expect(ofMember).not.toContain('Intro call');
    await answers(sandbox.call('GET', '/event_types'), 400);
  },
  'Conventions 4 | a member who lists the event types of the organization receives 403': async () => {
    const query = { organization: sandbox.handles.organization };
    await answers(sandbox.call('GET', '/event_types', { as: 'member', query }), 403, noAccess);
    await answers(sandbox.call('GET', '/event_types', { as: 'admin', query }), 200);
  },
  'Authentication, scope event_types:read | is what reading event types asks for': async () => {
    for (const path of ['/event_types', sandbox.handles.event_types.solo, '/event_type_available_times'])
      await answers(sandbox.call('GET', path, { as: 'no_scopes' }), 403, { required_scopes: ['event_types:read'] });
  },
  'GET /event_types/<uuid> | shows the whole record, and nothing that only the service knows | A4e': async () => {
    const { body } = await sandbox.call('GET', sandbox.handles.event_types.round_robin);
    expect(eventTypeResource.parse(body.resource)).toMatchObject({ name: 'Product demo', pooling_type: 'round_robin' });
  },
  'GET /event_types | takes `active` | A6e': async () => {
    await made({ name: 'Asleep', active: false });
    const ask = async (active: string) =>
      names(
        await sandbox.call('GET', '/event_types', {
          query: { organization: sandbox.handles.organization, active, count: 100 },
        }),
      );
    expect(await ask('false')).toContain('Asleep');
    expect(await ask('true')).not.toContain('Asleep');
  },
  'GET /event_types | is sorted by name, position, created_at or updated_at | A6e': async () => {
    const ask = async (sort: string) =>
      (
        await sandbox.call('GET', '/event_types', {
          query: { organization: sandbox.handles.organization, sort, count: 100 },
        })
      ).body.collection;
    for (const field of ['name', 'position', 'created_at', 'updated_at']) {
      const values: (string | number)[] = (await ask(`${field}:asc`)).map((one: Record<string, unknown>) => one[field]);
      expect(values.length).toBeGreaterThan(5);
      expect(values).toEqual(values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
      expect((await ask(`${field}:desc`)).map((one: Record<string, unknown>) => one[field])).toEqual(
        values.toReversed(),
      );
    }
  },
  'Errors 404 | an event type that is not there is not found': async () => {
    const nowhere = `${sandbox.handles.base_url}/event_types/nowhere`;
    for (const method of ['GET', 'DELETE'])
      await answers(sandbox.call(method, nowhere), 404, { title: 'Internal Server Error' });
    await answers(sandbox.call('PATCH', nowhere, { body: {} }), 404);
  },
  'Conventions 4 | an event type of another organization is refused with 403': async () => {
    const { solo } = sandbox.handles.event_types;
    for (const method of ['GET', 'DELETE']) await answers(sandbox.call(method, solo, { as: 'trial' }), 403, noAccess);
  },
});

// Writing

rows({
  'Versioning 3 | event type create': async () => {
    const { status, body } = await made({
      name: 'Deep dive',
      duration: 75,
      kind: 'group',
      seats: 4,
      locations: [{ kind: 'webex_conference' }],
      custom_questions: [{ name: 'Why?', required: true }],
      description_plain: 'A <long> talk',
    });
    expect(status).toBe(201);
    expect(body.resource).toMatchObject({
      name: 'Deep dive',
      slug: 'deep-dive',
      duration: 75,
      kind: 'group',
      active: true,
      locations: [{ kind: 'webex_conference' }],
      custom_questions: [{ name: 'Why?', type: 'text', position: 0, enabled: true, required: true }],
      description_html: '<p>A &lt;long&gt; talk</p>',
      profile: { type: 'User', owner: sandbox.handles.users.owner },
      deleted_at: null,
    });
    expect((await sandbox.call('GET', body.resource.uri)).body).toEqual(body);
  },
  'Versioning 3 | event type update': async () => {
    const { uri, updated_at, duration } = (await made()).body.resource;
    const changed = await sandbox.call('PATCH', uri, { body: { name: 'Renamed', active: false } });
    expect(changed).toMatchObject({
      status: 200,
      body: { resource: { uri, name: 'Renamed', active: false, duration } },
    });
    expect(changed.body.resource.updated_at > updated_at).toBe(true);
    expect((await sandbox.call('GET', uri)).body).toEqual(changed.body);
  },
  'DELETE /event_types/<uuid> | a deleted event type leaves the lists; its meetings stay | A23': async () => {
    const { uri } = (await made({ name: 'Short-lived' })).body.resource;
    const { event } = await booker.booked({ event_type: uri });
    await answers(sandbox.call('DELETE', uri), 204);
    await answers(sandbox.call('GET', uri), 404);
    const query = { organization: sandbox.handles.organization, count: 100 };
    expect(names(await sandbox.call('GET', '/event_types', { query }))).not.toContain('Short-lived');
    await answers(sandbox.call('GET', event), 200, { resource: { event_type: uri } });
  },
  'POST, PATCH and DELETE /event_types | are for administrators, and for users what they alone host | A23':
    async () => {
      await answers(made({}, 'member'), 201);
      const { owner, member } = sandbox.handles.users;
      const forOwner = { name: 'Not mine', duration: 30, owner };
      await answers(sandbox.call('POST', '/event_types', { as: 'member', body: forOwner }), 403, noRight);
      const shared = { owner: member, hosts: [member, owner], pooling_type: 'collective' };
      await answers(made(shared, 'member'), 403, noRight);
      const { solo, round_robin } = sandbox.handles.event_types;
      for (const uri of [solo, round_robin]) {
        await answers(sandbox.call('PATCH', uri, { as: 'member', body: { name: 'x' } }), 403);
        await answers(sandbox.call('DELETE', uri, { as: 'member' }), 403, noRight);
      }
    },
  'POST and PATCH /event_types | what is not valid is refused, parameter by parameter | A23': async () => {
    const refused = async (more: Record<string, unknown>) => {
      const { status, body } = await made(more);
      expect(status).toBe(400);
      return body.details.map((detail: { parameter?: string }) => detail.parameter);
    };
    expect(await refused({ name: ' ' })).toEqual(['name']);
    expect(await refused({ duration: 0 })).toEqual(['duration']);
    expect(await refused({ kind: 'crowd' })).toEqual(['kind']);
    expect(await refused({ seats: 4 })).toEqual(['seats']);
    expect(await refused({ locations: [{ kind: 'carrier_pigeon' }] })).toEqual(['locations.0.kind']);
    expect(await refused({ custom_questions: [{ name: 'Why?' }, { name: 'Why?' }] })).toEqual(['custom_questions']);
    const { solo } = sandbox.handles.event_types;
    await answers(sandbox.call('PATCH', solo, { body: { owner: sandbox.handles.users.admin } }), 400);
    const unknownUser = `${sandbox.handles.base_url}/users/unknown`;
    await answers(made({ owner: unknownUser }), 404, { details: [{ parameter: 'owner' }] });
  },
});

// Events

/** The events sent to a subscription of the whole organization while `act` runs. */
async function sentBy(act: () => Promise<void>) {
  await using callback = await openCallback();
  const events = ['event_type.created', 'event_type.updated', 'event_type.deleted'];
  const body = { url: callback.url, events, organization: sandbox.handles.organization, scope: 'organization' };
  const subscription = await sandbox.call('POST', '/webhook_subscriptions', { body });
  expect(subscription.status).toBe(201);
  await act();
  await sandbox.dispatcher.settled();
  await sandbox.call('DELETE', subscription.body.resource.uri);
  return callback.received.map((one) => one.body);
}

rows({
  'Events, event_type.created | event type lifecycle: carries the new record': async () => {
    let record: unknown;
    const sent = await sentBy(async () => void (record = (await made()).body.resource));
    expect(sent).toMatchObject([{ event: 'event_type.created' }]);
    expect(sent[0].payload).toEqual(record);
  },
  'Events, event_type.updated | event type lifecycle: carries the changed record; no change, no event': async () => {
    const { uri } = (await made()).body.resource;
    let record: unknown;
    const sent = await sentBy(async () => {
      record = (await sandbox.call('PATCH', uri, { body: { duration: 50 } })).body.resource;
      expect((await sandbox.call('PATCH', uri, { body: { duration: 50 } })).body.resource).toEqual(record);
    });
    expect(sent).toMatchObject([{ event: 'event_type.updated', payload: { uri, duration: 50 } }]);
    expect(sent[0].payload).toEqual(record);
  },
  'Events, event_type.deleted | event type lifecycle: carries the record with `deleted_at`': async () => {
    const { uri } = (await made()).body.resource;
    const sent = await sentBy(async () => void (await sandbox.call('DELETE', uri)));
    expect(sent).toMatchObject([{ event: 'event_type.deleted', payload: { uri, active: false } }]);
    expect(eventTypeResource.parse(sent[0].payload).deleted_at).not.toBeNull();
  },
});

// Available times

/** From a Monday to come, at midnight. */
const monday = (): number => {
  const nextMs = Math.ceil(sandbox.service.clock.nowMs() / dayMs) * dayMs;
  return nextMs + ((8 - new Date(nextMs).getUTCDay()) % 7) * dayMs;
};

const times = (fromMs: number, toMs: number, event_type = sandbox.handles.event_types.solo) =>
  sandbox.call('GET', '/event_type_available_times', {
    query: {
      event_type,
      start_time: new Date(fromMs).toISOString(),
      end_time: new Date(toMs).toISOString(),
      count: 100,
    },
  });

rows({
  'GET /event_type_available_times | start_time and end_time span at most 31 days': async () => {
    const from = monday();
    await answers(times(from, from + 31 * dayMs), 200);
    await answers(times(from, from + 31 * dayMs + 1), 400, { details: [{ parameter: 'end_time' }] });
  },
  'Limits | date range: up to 31 days per request (was 7)': async () => {
    const from = monday();
    let { body } = await times(from, from + 31 * dayMs);
    while (body.pagination.next_page !== null) body = (await sandbox.call('GET', body.pagination.next_page)).body;
    const last: string = body.collection.at(-1).start_time;
    expect(Date.parse(last)).toBeGreaterThan(from + 28 * dayMs);
  },
  'Conventions 3 | available times come in pages as every collection does': async () => {
    const from = monday();
    const whole = (await times(from, from + dayMs)).body.collection;
    const query = {
      event_type: sandbox.handles.event_types.solo,
      start_time: new Date(from).toISOString(),
      end_time: new Date(from + dayMs).toISOString(),
    };
    const first = await sandbox.call('GET', '/event_type_available_times', { query: { ...query, count: 10 } });
    const second = await sandbox.call('GET', first.body.pagination.next_page);
    expect([first.body.pagination.count, second.body.pagination]).toMatchObject([10, { count: 6, next_page: null }]);
    expect([...first.body.collection, ...second.body.collection]).toEqual(whole);
    const back = await sandbox.call('GET', second.body.pagination.previous_page);
    expect(back.body.collection).toEqual(first.body.collection);
  },
  'GET /event_type_available_times | the end lies after the start, and the start not in the past | A23b': async () => {
    const from = monday();
    await answers(times(from, from), 400, { details: [{ parameter: 'end_time' }] });
    await answers(times(from, from - dayMs), 400);
    await answers(times(from - 30 * dayMs, from - 20 * dayMs), 400, { details: [{ parameter: 'start_time' }] });
    const now = sandbox.service.clock.nowMs();
    await answers(times(now, now + dayMs), 200);
  },
  'GET /event_type_available_times | half hours of the working day, weekdays only | A23b': async () => {
    const from = monday();
    const { body } = await times(from, from + 7 * dayMs);
    expect(body.collection).toHaveLength(5 * 16);
    expect(body.collection[0]).toMatchObject({
      status: 'available',
      start_time: new Date(from + 9 * 60 * 60_000).toISOString().replace('Z', '000Z'),
      invitees_remaining: 1,
    });
  },
  'GET /event_type_available_times | what a host has booked is not available | A23b': async () => {
    const from = monday() + 7 * dayMs;
    const start_time = new Date(from + 10 * 60 * 60_000).toISOString();
    const at = async () => {
      const { body } = await times(from, from + dayMs);
      return body.collection.some(
        (one: { start_time: string }) => Date.parse(one.start_time) === Date.parse(start_time),
      );
    };
    expect(await at()).toBe(true);
    const { uri } = await booker.booked({ start_time });
    expect(await at()).toBe(false);
    await sandbox.control('POST', '/invitees/cancel', { uri });
    expect(await at()).toBe(true);
  },
  'GET /event_type_available_times | a group shows how many seats are left | A23b': async () => {
    const { uri } = (await made({ kind: 'group', seats: 2, owner: sandbox.handles.users.admin })).body.resource;
    const from = monday() + 14 * dayMs;
    const start_time = new Date(from + 11 * 60 * 60_000).toISOString();
    const left = async () => {
      const { body } = await times(from, from + dayMs, uri);
      return body.collection.find(
        (one: { start_time: string }) => Date.parse(one.start_time) === Date.parse(start_time),
      )?.invitees_remaining;
    };
    expect(await left()).toBe(2);
    await booker.booked({ event_type: uri, start_time });
    expect(await left()).toBe(1);
    await booker.booked({ event_type: uri, start_time });
    expect(await left()).toBeUndefined();
  },
  'Errors 404 | the available times of an event type that is not there are not found': async () => {
    const from = monday();
    await answers(times(from, from + dayMs, `${sandbox.handles.base_url}/event_types/nowhere`), 404);
  },
});

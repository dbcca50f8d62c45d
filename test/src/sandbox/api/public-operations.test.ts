// The operations that only the public form has, besides cancelling: what each answers, changes and refuses.
import { describe, expect, it } from 'vitest';
import { operationsUnder } from '#src/sandbox/api/service-app.ts';
import { openForSuite, openTestSandbox, type CallOptions } from '../../../harness/sandbox.ts';

const sandbox = openForSuite({ as: 'public', rateLimits: false });

type Query = Readonly<Record<string, string | number>>;

const post = (path: string, body: unknown, more: CallOptions = {}) => sandbox.call('POST', path, { ...more, body });
const remove = (path: string, more: CallOptions = {}) => sandbox.call('DELETE', path, more);
const ask = (path: string, query: Query, more: CallOptions = {}) => sandbox.call('GET', path, { ...more, query });
const refused = (message: string) => ({ status: 403, body: { title: 'Permission Denied', message } });
const inDays = (days: number) => new Date(sandbox.service.clock.nowMs() + days * 86_400_000).toISOString();

const publicOnly = operationsUnder({ as: 'public', eventTypes: false }).filter((operation) => operation.publicOnly);

it('the operations that only the public form has are no paths of the specification', async () => {
  await using specified = await openTestSandbox();
  expect(publicOnly.length).toBe(10);
  for (const { method, path } of publicOnly) {
    const { status, body } = await specified.call(method, path.replaceAll(/\{\w+\}/g, 'x'));
    expect([method, path, status, body.details]).toEqual([method, path, 404, [{ message: 'No such path.' }]]);
  }
});

it.each(publicOnly)('$method $path asks for a known token that has its scope', async ({ method, path, scopes }) => {
  const at = path.replaceAll(/\{\w+\}/g, 'x');
  expect(await sandbox.call(method, at, { as: null })).toMatchObject({
    status: 401,
    body: { title: 'Unauthenticated' },
  });
  const lacking = { title: 'Insufficient scope', required_scopes: scopes };
  expect(await sandbox.call(method, at, { as: 'no_scopes' })).toMatchObject({ status: 403, body: lacking });
  for (const body of ['{', '[]', '"text"', 'null', '{"reason":7,"emails":7,"owner":7}']) {
    const { status } = await sandbox.call(method, at, method === 'POST' ? { body } : {});
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  }
});

describe('a scheduling link', () => {
  const request = () => ({ max_event_count: 1, owner: sandbox.handles.event_types.solo, owner_type: 'EventType' });
  const make = async (): Promise<string> => {
    const { status, body } = await post('/scheduling_links', request());
    const { owner, owner_type } = request();
    const booking_url = expect.stringMatching(/\/d\/[\da-f]{4}-[\da-f]{4}\/intro-call$/);
    expect([status, body.resource]).toEqual([201, { booking_url, owner, owner_type }]);
    return body.resource.booking_url;
  };
  const book = (booking_url: string, more: object = {}) =>
    sandbox.control('POST', '/scheduling_links/book', { booking_url, ...more });

  it('books its event type once', async () => {
    const url = await make();
    const start_time = inDays(2);
    expect((await book(url, { start_time: inDays(-1) })).status).toBe(400);
    const { body } = await book(url, { start_time, email: 'once@example.test', name: 'Once' });
    expect(body.resource).toMatchObject({ email: 'once@example.test', name: 'Once', status: 'active' });
    expect((await sandbox.call('GET', body.resource.event)).body.resource.event_type).toBe(request().owner);
    expect((await book(url)).body.details).toEqual([{ message: 'the link was used before', parameter: 'booking_url' }]);
    expect((await book(`${url}x`)).status).toBe(404);
  });

  it('is refused for two meetings, for no event type, and without its scope', async () => {
    const parameterOf = async (more: object) =>
      (await post('/scheduling_links', { ...request(), ...more })).body.details;
    expect(await parameterOf({ max_event_count: 2 })).toMatchObject([{ parameter: 'max_event_count' }]);
    expect(await parameterOf({ owner_type: 'User' })).toMatchObject([{ parameter: 'owner_type' }]);
    const owner = `${sandbox.handles.base_url}/event_types/none`;
    expect((await post('/scheduling_links', { ...request(), owner })).status).toBe(404);
    const lacking = await post('/scheduling_links', request(), { as: 'no_scopes' });
    expect(lacking.body.required_scopes).toEqual(['scheduling_links:write']);
    expect((await post('/scheduling_links', request(), { as: 'enterprise' })).status).toBe(403);
  });

  it('ends after 90 days', async () => {
    await using own = await openTestSandbox({ as: 'public', contacts: 1, bookings: 0 });
    const owner = own.handles.event_types.solo;
    const { body } = await own.call('POST', '/scheduling_links', { body: { ...request(), owner } });
    await own.control('POST', '/clock', { advance: '91d' });
    const { booking_url } = body.resource;
    const answer = await own.control('POST', '/scheduling_links/book', { booking_url });
    expect(answer.body.details).toMatchObject([{ message: 'the link has expired' }]);
  });
});

describe('the availability of a user', () => {
  it('is one schedule with the hours in which event types can be booked', async () => {
    const { users } = sandbox.handles;
    const { body } = await ask('/user_availability_schedules', { user: users.member });
    expect(Object.keys(body)).toEqual(['collection']);
    const [schedule] = body.collection;
    expect(schedule).toMatchObject({ default: true, name: 'Working hours', user: users.member, timezone: 'UTC' });
    const hours = schedule.rules.map(({ intervals }: { intervals: object[] }) => intervals.length);
    expect(hours).toEqual([0, 1, 1, 1, 1, 1, 0]);
    expect(schedule.rules[1]).toEqual({ type: 'wday', wday: 'monday', intervals: [{ from: '09:00', to: '17:00' }] });
    expect((await sandbox.call('GET', schedule.uri)).body.resource).toEqual(schedule);
    expect((await sandbox.call('GET', `${schedule.uri}0`)).status).toBe(404);
    const elsewhere = refused('This user is not in your organization');
    expect(await ask(schedule.uri, {}, { as: 'trial' })).toMatchObject(elsewhere);
    expect(await ask('/user_availability_schedules', { user: users.owner }, { as: 'trial' })).toMatchObject(elsewhere);
    expect((await ask('/user_availability_schedules', {})).status).toBe(400);
  });

  it('is taken by the active meetings that the user hosts, within seven days', async () => {
    const { users, event_types } = sandbox.handles;
    const start = `${inDays(9).slice(0, 10)}T23:45:00.000000Z`;
    const invitee = { email: 'busy@example.test', name: 'Busy', timezone: 'UTC' };
    const body = { event_type: event_types.solo, start_time: start, invitee };
    const { event } = (await post('/invitees', body)).body.resource;
    const span = { user: users.owner, start_time: inDays(8), end_time: inDays(14) };
    const busy = async (query: Query) => (await ask('/user_busy_times', query)).body;
    const { collection } = await busy(span);
    const { end_time } = (await sandbox.call('GET', event)).body.resource;
    const time = { start_time: start, end_time, buffered_start_time: start, buffered_end_time: end_time };
    expect(collection).toContainEqual({ type: 'calendly', ...time, event: { uri: event } });
    expect(collection.map((one: { start_time: string }) => one.start_time)).toEqual(
      collection.map((one: { start_time: string }) => one.start_time).toSorted(),
    );
    // It began the evening before, and goes on after midnight.
    const midnight = `${end_time.slice(0, 10)}T00:00:00Z`;
    const after = { ...span, start_time: midnight, end_time: `${end_time.slice(0, 10)}T00:05:00Z` };
    expect((await busy(after)).collection).toMatchObject([{ event: { uri: event } }]);
    await post(`${event}/cancellation`, {});
    expect((await busy(after)).collection).toEqual([]);
    for (const end of [inDays(16), inDays(7)])
      expect((await busy({ ...span, end_time: end })).details).toMatchObject([{ parameter: 'end_time' }]);
    expect(await ask('/user_busy_times', span, { as: 'free_plan' })).toMatchObject(
      refused('This user is not in your organization'),
    );
  });
});

describe('who is removed', () => {
  it('is invited no longer, which frees the seat, unless the invitation was accepted', async () => {
    const { organization } = sandbox.handles;
    const invite = async (email: string) => (await post(`${organization}/invitations`, { email })).body.resource;
    for (let times = 0; times < 8; times += 1) {
      const { uri } = await invite('again@example.test');
      expect((await remove(uri)).status).toBe(204);
      expect((await sandbox.call('GET', uri)).status).toBe(404);
      expect((await remove(uri)).status).toBe(404);
    }
    const { uri } = await invite('stays@example.test');
    expect(await remove(uri, { as: 'member' })).toMatchObject({ status: 403 });
    await sandbox.control('POST', '/invitations/accept', { uri });
    expect(await remove(uri)).toEqual(
      expect.objectContaining({
        status: 400,
        body: { title: 'Invitation Already Accepted', message: 'The invitation has already been accepted.' },
      }),
    );
    const open = await invite('open@example.test');
    await sandbox.control('POST', '/plan', { scim: true });
    const scim = 'You cannot perform this action for an organization with SCIM enabled.';
    expect(await remove(open.uri)).toMatchObject(refused(scim));
    await sandbox.control('POST', '/plan', { scim: false });
    expect((await remove(open.uri)).status).toBe(204);
  });

  it('has no membership and no token that works', async () => {
    const { users } = sandbox.handles;
    const { resource } = (await sandbox.control('POST', '/users', { email: 'leaving@example.test' })).body;
    const token = sandbox.tokens.personal('leaving', { user: resource.user, scopes: ['users:read'] });
    const works = async () => (await sandbox.call('GET', '/users/me', { token })).status;
    expect(await works()).toBe(200);
    const membershipOf = (user: string) => sandbox.service.state.memberships.of('user', user)[0]?.uri ?? '';
    const role = 'You do not have permission to perform this action';
    expect(await remove(resource.uri, { as: 'member' })).toMatchObject(refused(role));
    const elsewhere = 'You cannot modify members from another organization';
    expect(await remove(resource.uri, { as: 'enterprise' })).toMatchObject(refused(elsewhere));
    expect((await remove(resource.uri, { as: 'admin' })).status).toBe(204);
    expect([await works(), (await remove(resource.uri)).status]).toEqual([401, 404]);
    expect(await remove(membershipOf(users.owner))).toMatchObject(refused('You can not change owner role'));
    const self = 'You can not remove yourself from organization';
    expect(await remove(membershipOf(users.admin), { as: 'admin' })).toMatchObject(refused(self));
  });
});

describe('the deletion of data', () => {
  const people = async () => {
    const own = await openTestSandbox({ as: 'public', rateLimits: false, bookings: 0, contacts: 5 });
    await own.control('POST', '/plan', { plan: 'enterprise' });
    const offers = [...own.service.state.eventTypes.values()];
    const offer = offers.find(({ name }) => name === 'Site walk')?.uri ?? '';
    const book = async (email: string, days: number) => {
      const start_time = new Date(own.service.clock.nowMs() + days * 86_400_000).toISOString();
      const location = { kind: 'ask_invitee', location: 'At my door' };
      const invitee = { email, first_name: 'Ada', last_name: 'Rossi', timezone: 'UTC' };
      const questions_and_answers = [{ question: 'What would you like to talk about?', answer: 'Me', position: 0 }];
      const event_guests = ['ada.too@example.test', 'bob@example.test'];
      const body = { event_type: offer, start_time, invitee, location, questions_and_answers, event_guests };
      const { resource } = (await own.call('POST', '/invitees', { body })).body;
      return resource as { uri: string; event: string };
    };
    const shown = async (uri: string) => (await own.call('GET', uri)).body.resource;
    const erase = (what: string, body: object, as: CallOptions['as'] = 'owner') =>
      own.call('POST', `/data_compliance/deletion/${what}`, { body, as });
    return { own, book, shown, erase };
  };
  const nameless = { name: '', first_name: null, last_name: null, questions_and_answers: [] };

  it('of an address takes names, answers and what was typed from its bookings and its contact, and nothing else', async () => {
    const { own, book, shown, erase } = await people();
    await using _closing = own;
    const [first, second, other] = [
      await book('ada@example.test', 1),
      await book('Ada@example.test', 2),
      await book('bob@example.test', 3),
    ];
    const before = await shown(first.event);
    expect(await erase('invitees', { emails: ['ada@example.test', 'ada.too@example.test'] })).toMatchObject({
      status: 202,
      body: {},
    });
    const gone = await shown(first.uri);
    expect(gone).toMatchObject({
      ...nameless,
      status: 'active',
      email: expect.stringMatching(/^[\da-f]{14}@deleted\./),
    });
    expect((await shown(second.uri)).email).toBe(gone.email);
    expect(await shown(other.uri)).toMatchObject({ email: 'bob@example.test', first_name: 'Ada' });
    const meeting = await shown(first.event);
    expect(meeting.location).toEqual({ type: 'ask_invitee', location: null });
    expect(meeting.event_guests.map(({ email }: { email: string }) => email)).toEqual(['bob@example.test']);
    expect([meeting.start_time, meeting.invitees_counter]).toEqual([before.start_time, before.invitees_counter]);
    const found = async (email: string) => (await own.call('GET', '/contacts', { query: { email } })).body.collection;
    expect(await found('ada@example.test')).toEqual([]);
    expect(await found(gone.email)).toMatchObject([{ name: null, phone_numbers: [] }]);
    const left = JSON.stringify((await own.control('GET', '/state')).body);
    expect(left.toLowerCase()).not.toContain('ada@example.test');
    expect(left).not.toContain('ada.too@example.test');
  });

  it('of a time takes those of the meetings that began in it', async () => {
    const { own, book, shown, erase } = await people();
    await using _closing = own;
    const [early, late] = [await book('early@example.test', 1), await book('late@example.test', 5)];
    await own.control('POST', '/clock', { advance: '3d' });
    const at = (days: number) => new Date(own.service.clock.nowMs() + days * 86_400_000).toISOString();
    for (const end_time of [at(1), at(-8)])
      expect(await erase('events', { start_time: at(-7), end_time })).toMatchObject({ status: 400 });
    expect(await erase('events', { start_time: at(-800), end_time: at(-1) })).toMatchObject({ status: 400 });
    expect((await erase('events', { start_time: at(-7), end_time: at(0) })).status).toBe(202);
    expect(await shown(early.uri)).toMatchObject(nameless);
    expect((await shown(early.event)).event_guests).toEqual([]);
    expect(await shown(late.uri)).toMatchObject({ email: 'late@example.test', first_name: 'Ada' });
  });

  it('is for administrators of enterprise accounts', async () => {
    const body = { emails: ['ada@example.test'] };
    const upgrade = refused('Please upgrade your Calendly account to Enterprise.');
    expect(await post('/data_compliance/deletion/invitees', body)).toMatchObject(upgrade);
    expect((await post('/data_compliance/deletion/invitees', body, { as: 'enterprise' })).status).toBe(202);
    expect((await post('/data_compliance/deletion/invitees', { emails: [] }, { as: 'enterprise' })).status).toBe(400);
    const { own, erase } = await people();
    await using _closing = own;
    expect(await erase('invitees', body, 'member')).toMatchObject({ status: 403 });
    expect((await erase('invitees', body, 'no_scopes')).body.required_scopes).toEqual(['data_compliance:write']);
  });
});

describe('the activity log', () => {
  const sandboxOf = async () => {
    const own = await openTestSandbox({ as: 'public', rateLimits: false, bookings: 0, contacts: 1 });
    await own.control('POST', '/plan', { plan: 'enterprise' });
    const { organization } = own.handles;
    const log = async (more: Query = {}, as: CallOptions['as'] = 'owner') =>
      (await own.call('GET', '/activity_log_entries', { query: { organization, ...more }, as })).body;
    return { own, log };
  };
  interface Entry {
    readonly fully_qualified_name: string;
    readonly occurred_at: string;
    readonly actor: { readonly uri: string };
  }
  const namesOf = ({ collection }: { collection: readonly Entry[] }) =>
    collection.map(({ fully_qualified_name }) => fully_qualified_name);

  it('has who did what, newest first, a page at a time', async () => {
    const { own, log } = await sandboxOf();
    await using _closing = own;
    const { organization, users } = own.handles;
    const seeded = await log();
    expect(new Set(namesOf(seeded))).toEqual(new Set(['User.Add']));
    expect(seeded).toMatchObject({ total_count: 5, exceeds_max_total_count: false });
    expect(seeded.last_event_time).toBe(seeded.collection[0].occurred_at);
    const body = { email: 'new@example.test' };
    const invited = await own.call('POST', `${organization}/invitations`, { body, as: 'admin' });
    await own.call('DELETE', invited.body.resource.uri);
    const hook = { url: 'http://127.0.0.1:9/log', events: ['contact.created'], organization, scope: 'organization' };
    const made = await own.call('POST', '/webhook_subscriptions', { body: hook });
    await own.call('DELETE', made.body.resource.uri);
    const offer = { name: 'Logged call', duration: 15, owner: users.owner };
    const { uri } = (await own.call('POST', '/event_types', { body: offer })).body.resource;
    await own.call('PATCH', uri, { body: { duration: 20 } });
    await own.call('DELETE', uri);
    const { resource } = (await own.control('POST', '/users', body)).body;
    await own.control('POST', '/roles', { user: resource.user, role: 'admin' });
    await own.call('DELETE', resource.uri);
    const done = [
      'User.Remove User.ChangeRole User.Add EventType.Delete EventType.Update EventType.Create',
      'WebhookSubscription.Delete WebhookSubscription.Create User.RevokeInvitation User.Invite',
    ];
    const all = await log({ count: 100 });
    expect(namesOf(all).slice(0, 10)).toEqual(done.join(' ').split(' '));
    const invitation = all.collection[9];
    const admin = (await own.call('GET', '/users/me', { as: 'admin' })).body.resource;
    const actor = { display_name: admin.name, alternative_identifier: admin.email, type: 'User', uri: admin.uri };
    expect(invitation).toMatchObject({
      namespace: 'User',
      action: 'Invite',
      actor: { ...actor, organization: { uri: organization, role: 'Admin' } },
      details: body,
      organization,
    });
    const first = await log({ count: 4 });
    const next = (await own.call('GET', first.pagination.next_page)).body;
    expect([...namesOf(first), ...namesOf(next)]).toEqual(namesOf(all).slice(0, 8));
    const oldest = await log({ count: 100, sort: 'occurred_at:asc' });
    expect(oldest.collection).toEqual(all.collection.toReversed());
  });

  it('is searched by who, what, when, and by words', async () => {
    const { own, log } = await sandboxOf();
    await using _closing = own;
    const { organization, users } = own.handles;
    for (const email of ['one@example.test', 'two@example.test'])
      await own.call('POST', `${organization}/invitations`, { body: { email }, as: 'admin' });
    const [latest, earlier] = (await log({ 'action[]': 'Invite' })).collection;
    expect(namesOf(await log({ 'actor[]': users.admin }))).toEqual(['User.Invite', 'User.Invite']);
    expect(namesOf(await log({ namespace: 'EventType' }))).toEqual([]);
    expect((await log({ min_occurred_at: latest.occurred_at })).collection).toEqual([latest]);
    expect((await log({ max_occurred_at: earlier.occurred_at, action: 'Invite,Add' })).total_count).toBe(6);
    expect((await log({ search_term: 'TWO@' })).collection).toEqual([latest]);
    expect((await log({ search_term: 'two@|one@' })).collection).toEqual([latest, earlier]);
    expect((await log({ search_term: 'invite+one@' })).collection).toEqual([earlier]);
    expect((await log({ search_term: 'three@' })).last_event_time).toBeNull();
  });

  it('is for administrators of enterprise accounts', async () => {
    const { organization } = sandbox.handles;
    const upgrade = refused('Please upgrade your Calendly account to Enterprise.');
    expect(await ask('/activity_log_entries', { organization })).toMatchObject(upgrade);
    const { own, log } = await sandboxOf();
    await using _closing = own;
    expect(await log({}, 'member')).toMatchObject({ message: 'You do not have permission to access this resource.' });
    expect((await log({}, 'no_scopes')).required_scopes).toEqual(['activity_log:read']);
  });
});

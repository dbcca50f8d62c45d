// The form of the public service: what it answers and sends where it differs from the specification, and the control that changes the form.
import { describe, expect, it } from 'vitest';
import { openForSuite, type CallOptions } from '../../../harness/sandbox.ts';

const sandbox = openForSuite({ as: 'public', rateLimits: false });

const read = async (path: string, query: CallOptions['query'] = {}) => {
  const { status, body } = await sandbox.call('GET', path, { query });
  expect(status).toBe(200);
  return body;
};
const post = (path: string, body: unknown) => sandbox.call('POST', path, { body });

describe('lists of the public form', () => {
  it('have no pages of definitions and of available times, whatever count is asked for', async () => {
    const whole = await read('/contacts/custom_field_definitions');
    expect([Object.keys(whole), whole.collection.length > 3]).toEqual([['collection'], true]);
    expect(await read('/contacts/custom_field_definitions', { count: 1, page_token: 'any' })).toEqual(whole);
    const at = (days: number) => new Date(sandbox.service.clock.nowMs() + days * 86_400_000).toISOString();
    const query = { event_type: sandbox.handles.event_types.solo, start_time: at(1), end_time: at(15) };
    const times = await read('/event_type_available_times', query);
    expect([Object.keys(times), times.collection.length > 20]).toEqual([['collection'], true]);
  });

  it('leave round-robin event types out for an organization, and show them for each host', async () => {
    const { organization, users, event_types } = sandbox.handles;
    const uris = async (query: CallOptions['query']) =>
      (await read('/event_types', { count: 100, ...query })).collection.map(({ uri }: { uri: string }) => uri);
    expect(await uris({ organization })).not.toContain(event_types.round_robin);
    expect(await uris({ organization })).toContain(event_types.solo);
    for (const user of Object.values(users)) expect(await uris({ user })).toContain(event_types.round_robin);
  });
});

describe('records of the public form', () => {
  it('are recaps without highlights in the list and with all of them alone, and transcripts of plain text', async () => {
    const listed =
      'app_url attendees created_at end_time event location name start_time status transcript updated_at uri';
    const highlights = 'action_items_md discussion_md share_link summary_md';
    const { organization } = sandbox.handles;
    const { collection } = await read('/meeting_recaps', { organization, count: 100 });
    expect(new Set(collection.map(({ event }: { event: unknown }) => typeof event))).toEqual(
      new Set(['string', 'object']),
    );
    for (const item of collection.slice(0, 5)) {
      const { resource } = await read(item.uri);
      expect(resource).toMatchObject(item);
      expect(Object.keys(item).toSorted()).toEqual(listed.split(' '));
      expect(Object.keys(resource).toSorted()).toEqual(`${listed} ${highlights}`.split(' ').toSorted());
    }
    const { resource } = await read(collection[0].transcript);
    expect(Object.keys(resource).toSorted()).toEqual(['text', 'uri']);
    for (const line of resource.text.split('\n')) expect(line).toMatch(/^[^:]+: \S/);
  });

  it('are recaps listed without naming anybody: what the caller may see', async () => {
    const { organization, users } = sandbox.handles;
    const whole = await read('/meeting_recaps', { count: 100 });
    expect(whole).toEqual(await read('/meeting_recaps', { organization, count: 100 }));
    const { body } = await sandbox.call('GET', '/meeting_recaps', { as: 'member', query: { count: 100 } });
    expect(body.collection.length).toBeGreaterThan(0);
    expect(body.collection).toEqual((await read('/meeting_recaps', { user: users.member, count: 100 })).collection);
  });

  it('hold the user of a membership, the page of a contact, and the colour of an option', async () => {
    const { organization, users } = sandbox.handles;
    const [membership] = (await read('/organization_memberships', { organization, user: users.admin })).collection;
    const { current_organization: _organization, resource_type: _type, ...user } = (await read(users.admin)).resource;
    expect(membership).toEqual({ ...membership, role: 'admin', organization, user });
    expect((await read(membership.uri)).resource).toEqual(membership);
    expect((await read('/contacts', { count: 1 })).collection[0].app_url).toMatch(/^http/);
    const definitions: { field_type: string; uri: string; options: object[] }[] = (
      await read('/contacts/custom_field_definitions')
    ).collection;
    const { options = [], uri = '' } = definitions.find(({ field_type }) => field_type === 'single_select') ?? {};
    expect(options[0]).toEqual({ uuid: expect.any(String), label: 'Enterprise', color: null, is_active: true });
    expect((await read(uri)).resource.options).toEqual(options);
  });
});

describe('fields that only the public form has', () => {
  it('are the clock of a user, the choice of durations and the price of an event type, and what an organization is', async () => {
    const { organization, users } = sandbox.handles;
    const me = (await read('/users/me')).resource;
    expect(me).toEqual({ ...me, time_notation: '24h', resource_type: 'User' });
    expect((await read(users.admin)).resource.time_notation).toBe('12h');
    const { resource } = await read(organization);
    const joined = (await read('/organization_memberships', { user: users.owner })).collection[0].created_at;
    expect(resource).toEqual({
      uri: organization,
      name: 'Northwind',
      id: expect.any(Number),
      kind: 'team',
      plan: 'teams',
      stage: 'paid',
      created_at: joined,
      updated_at: joined,
    });
    const free = (await sandbox.call('GET', '/users/me', { as: 'free_plan' })).body.resource.current_organization;
    const alone = await sandbox.call('GET', free, { as: 'free_plan' });
    expect(alone.body.resource).toMatchObject({ kind: 'single', plan: 'basic', stage: 'free' });
    const offers = (await read('/event_types', { organization, count: 100 })).collection;
    const paid = offers.filter(({ is_paid }: { is_paid: boolean }) => is_paid);
    expect(paid).toMatchObject([{ name: 'Coaching session', duration_options: [25, 50, 100] }]);
    expect((await read(paid[0].uri)).resource).toEqual(paid[0]);
    expect(offers).toContainEqual(expect.objectContaining({ is_paid: false, duration_options: null }));
  });

  it('are the entry of a meeting in the calendar of its host, and conferences as their providers describe them', async () => {
    const { organization } = sandbox.handles;
    interface Meeting {
      uri: string;
      location: { type: string; location?: string; data: { id: unknown; settings: object } };
      calendar_event: { kind: string } | null;
    }
    const meetings: Meeting[] = (await read('/scheduled_events', { organization, count: 100 })).collection;
    const entries = new Set(meetings.map(({ calendar_event }) => calendar_event?.kind));
    expect(entries).toContain('google');
    const at = (wanted: string) => meetings.filter(({ location }) => location.type === wanted);
    expect(at('zoom_conference')).toEqual([]);
    for (const { uri, location } of at('zoom')) {
      expect(Object.keys(location.data).toSorted()).toEqual(['extra', 'id', 'password', 'settings']);
      expect(location).toMatchObject({ status: 'pushed', data: { password: expect.stringMatching(/^[a-z\d]{6}$/) } });
      expect((await read(uri)).resource.location).toEqual(location);
    }
    const settings = at('zoom').map(({ location }) => JSON.stringify(location.data.settings));
    expect(new Set(settings).size).toBe(2);
    expect(at('webex_conference').map(({ location }) => typeof location.data.id)).toContain('string');
    for (const kind of ['ask_invitee', 'outbound_call'])
      expect(at(kind).map(({ location }) => location.location)).toContainEqual(expect.any(String));
  });
});

describe('requests in the public form', () => {
  const hook = (url: string, more: object) => {
    const { organization } = sandbox.handles;
    return { url: `http://127.0.0.1:9/${url}`, organization, scope: 'organization', ...more };
  };

  it('may have parameters and fields that no operation knows', async () => {
    const { organization, event_types } = sandbox.handles;
    const query = { organization, count: 2 };
    const plain = await read('/organization_memberships', query);
    expect(plain.collection).toHaveLength(2);
    const asked = await read('/organization_memberships', { ...query, sort: 'name:asc', 'x[]': 1 });
    expect(asked.collection).toEqual(plain.collection);
    const next = await read(asked.pagination.next_page, { sort: 'other' });
    expect(next.collection).toEqual((await read(plain.pagination.next_page)).collection);
    const path = `/organization_memberships?count=1&count=2&organization=${organization}`;
    expect(await sandbox.call('GET', path)).toMatchObject({ status: 400, body: { details: [{ parameter: 'count' }] } });
    expect((await read(path.replace('count=2', 'other=1&other=2'))).collection).toHaveLength(1);
    const made = await post('/webhook_subscriptions', hook('named', { events: ['contact.created'], name: 'Mine' }));
    expect(made.status).toBe(201);
    const start_time = new Date(sandbox.service.clock.nowMs() + 86_400_000).toISOString();
    const invitee = { email: 'odd@example.test', name: 'Odd', timezone: 'UTC', shoe_size: 43 };
    const body = { event_type: event_types.solo, start_time, invitee, questions_and_answers: [], colour: 'red' };
    expect((await post('/invitees', body)).status).toBe(201);
    const wrong = await post('/invitees', { ...body, invitee: { ...invitee, email: 'none' }, start_time: 7 });
    expect(wrong.body.details.map(({ parameter }: { parameter: string }) => parameter).toSorted()).toEqual([
      'invitee.email',
      'start_time',
    ]);
  });

  it('may be forms, with lists and objects in brackets, numbers and flags', async () => {
    const form = (path: string, fields: readonly [string, string][]) =>
      sandbox.call('POST', path, {
        body: String(new URLSearchParams(fields)),
        headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      });
    const { organization, users, event_types } = sandbox.handles;
    const subscribed = await form('/webhook_subscriptions', [
      ['url', 'http://127.0.0.1:9/form'],
      ['organization', organization],
      ['scope', 'organization'],
      ['events[]', 'invitee.created'],
      ['events[]', 'invitee.canceled'],
    ]);
    expect(subscribed.body.resource?.events).toEqual(['invitee.created', 'invitee.canceled']);
    const made = await form('/event_types', [
      ['name', 'Short call'],
      ['owner', users.owner],
      ['duration', '15'],
      ['secret', 'true'],
      ['locale', '00'],
      ['custom_questions[][name]', 'Why?'],
      ['custom_questions[][required]', 'false'],
      ['custom_questions[][name]', 'When?'],
    ]);
    expect(made.body.resource).toMatchObject({ duration: 15, secret: true, locale: '00' });
    const questions = made.body.resource.custom_questions.map(({ name }: { name: string }) => name);
    expect(questions).toEqual(['Why?', 'When?']);
    const booked = await form('/invitees', [
      ['event_type', event_types.solo],
      ['start_time', new Date(sandbox.service.clock.nowMs() + 86_400_000).toISOString()],
      ['invitee[email]', 'form@example.test'],
      ['invitee[name]', 'Form'],
      ['invitee[timezone]', 'UTC'],
      ['__proto__[x]', '1'],
    ]);
    expect(booked.body.resource).toMatchObject({ email: 'form@example.test', name: 'Form' });
    expect(await form('/event_types', [['duration', 'long']])).toMatchObject({ status: 400 });
    const { status } = await sandbox.call('POST', '/invitees', {
      headers: { 'content-type': 'text/plain' },
      body: 'x',
    });
    expect(status).toBe(400);
  });

  it('are of a bearer in any letter case, and subscribe to events of several kinds that allow the scope', async () => {
    const headers = { authorization: `bearer ${sandbox.handles.tokens.owner}` };
    expect((await sandbox.call('GET', '/users/me', { as: null, headers })).status).toBe(200);
    const events = ['invitee.created', 'routing_form_submission.created', 'contact.deleted'];
    const made = await post('/webhook_subscriptions', hook('mixed', { events }));
    expect(made).toMatchObject({ status: 201, body: { resource: { events } } });
    const refused = await post(
      '/webhook_subscriptions',
      hook('recaps', { events: [...events, 'meeting_recap.created'] }),
    );
    expect(refused).toMatchObject({ status: 400, body: { details: [{ parameter: 'events' }] } });
  });
});

it('refusals of the public form are 409 for an address that another contact has, and for a second subscription to a URL', async () => {
  const emails = [{ email: 'taken@example.test' }];
  expect(await post('/contacts', { emails })).toMatchObject({ status: 201 });
  const other = await post('/contacts', { emails: [{ email: 'other@example.test' }] });
  const taken = { status: 409, body: { title: 'Already Exists' } };
  expect(await post('/contacts', { emails })).toMatchObject(taken);
  expect(await sandbox.call('PATCH', other.body.resource.uri, { body: { emails } })).toMatchObject(taken);
  // Subscriptions to event types are taken, too.
  const { organization } = sandbox.handles;
  const events = ['contact.created', 'event_type.created'];
  const hook = { url: 'http://127.0.0.1:9/hook', events, organization, scope: 'organization' };
  expect(await post('/webhook_subscriptions', hook)).toMatchObject({ status: 201 });
  const message = 'Hook with this url already exists';
  expect(await post('/webhook_subscriptions', hook)).toMatchObject({ ...taken, body: { message } });
});

it('what is not there is 404 with the same two sentences, whether a record or a path; JSON is declared with its charset', async () => {
  const body = { title: 'Resource Not Found', message: 'The server could not find the requested resource.' };
  for (const path of ['/users/none', '/scheduled_events/none/invitees', '/no_such_path', '/users/me/more']) {
    const answer = await sandbox.call('GET', path);
    expect([answer.status, answer.body]).toEqual([404, body]);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  }
  const { headers: sent } = await sandbox.call('GET', '/users/me');
  expect(sent.get('content-type')).toBe('application/json; charset=utf-8');
});

it('the headers of the limit name the tier of the account and the key of the caller', async () => {
  const tierOf = async (as: 'owner' | 'free_plan' | 'trial') => {
    const { headers, body } = await sandbox.call('GET', '/users/me', { as });
    expect(headers.get('x-ratelimit-key')).toBe(`oauth:sandbox:${body.resource.uri.split('/').at(-1)}`);
    return [headers.get('x-ratelimit-tier'), headers.get('x-ratelimit-limit')];
  };
  expect(await Promise.all([tierOf('owner'), tierOf('free_plan'), tierOf('trial')])).toEqual([
    ['paid', '500'],
    ['free', '50'],
    ['trial', '500'],
  ]);
});

it('refuses what is a feature of paid plans with words that ask for an upgrade, and lets the free plan subscribe and book', async () => {
  const free = { as: 'free_plan' } as const;
  const message = 'Please upgrade to a paid Calendly account.';
  const refused = { status: 403, body: { title: 'Permission Denied', message } };
  expect(await sandbox.call('GET', '/contacts', free)).toMatchObject(refused);
  const { uri: user, current_organization: organization } = (await sandbox.call('GET', '/users/me', free)).body
    .resource;
  const subscribe = (...events: readonly string[]) => {
    const body = { url: `http://127.0.0.1:9/${events[0]}`, events, organization, scope: 'organization' };
    return sandbox.call('POST', '/webhook_subscriptions', { ...free, body });
  };
  for (const event of ['contact.created', 'routing_form_submission.created'])
    expect(await subscribe(event)).toMatchObject(refused);
  expect(await subscribe('invitee.created', 'invitee_no_show.created')).toMatchObject({ status: 201 });
  expect(await subscribe('event_type.created')).toMatchObject({ status: 201 });
  const types = await sandbox.call('GET', '/event_types', { ...free, query: { user } });
  const body = {
    event_type: types.body.collection[0].uri,
    start_time: new Date(Math.ceil(Date.now() / 3_600_000 + 48) * 3_600_000).toISOString(),
    invitee: { email: 'ada@example.test', name: 'Ada', timezone: 'UTC' },
  };
  expect(await sandbox.call('POST', '/invitees', { ...free, body })).toMatchObject({ status: 201 });
});

it('the control of the form changes the answers, the permissions, the payloads and the documents of a running sandbox', async () => {
  const { organization, users } = sandbox.handles;
  const token = sandbox.tokens.personal('writer', { user: users.owner, scopes: ['scheduled_events:write'] });
  const shape = async () => {
    const list = await read('/contacts/custom_field_definitions');
    const document = (await sandbox.control('GET', '/openapi.json')).body;
    const payload = document.webhooks['contact.deleted'].post.requestBody.content['application/json'].schema;
    // Here every write scope includes reading.
    const reading = await sandbox.call('GET', '/scheduled_events', { token, query: { organization } });
    const fields = Object.keys(payload.properties.payload.properties);
    return { pages: 'pagination' in list, fields, reading: reading.status };
  };
  const publicly = { pages: false, fields: ['user_uuid', 'contact'], reading: 200 };
  const change = async (as: string) => (await sandbox.control('PATCH', '/form', { as })).status;
  expect([(await sandbox.control('GET', '/form')).body, await shape()]).toEqual([{ as: 'public' }, publicly]);
  expect(await change('specification')).toBe(200);
  expect(await shape()).toEqual({ pages: true, fields: ['uri', 'deleted_at'], reading: 403 });
  expect([await change('other'), await change('public')]).toEqual([400, 200]);
  expect(await shape()).toEqual(publicly);
});

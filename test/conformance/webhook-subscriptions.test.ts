// Conformance: webhook subscriptions.
import { afterAll, beforeAll, expect } from 'vitest';
import { apiScopes, type ApiScope } from '#schemas/api-scope.ts';
import { openTestSandbox, type Answer, type CallOptions, type TestSandbox } from '../harness/sandbox.ts';
import { answers, documentedBody, sixDigits, strange } from './answers.ts';
import { rows } from './rows.ts';

let sandbox: TestSandbox;
beforeAll(async () => void (sandbox = await openTestSandbox({ rateLimits: false })));
afterAll(() => sandbox[Symbol.asyncDispose]());

const path = '/webhook_subscriptions';
let last = 0;
const newUrl = (): string => `http://127.0.0.1:9/hook/${(last += 1)}`;

/** A body that is accepted, but for what is given. */
const bodyOf = (more: object = {}): object => ({
  url: newUrl(),
  events: ['invitee.created'],
  organization: sandbox.handles.organization,
  scope: 'organization',
  ...more,
});
const subscribe = (more: object = {}, options: CallOptions = {}): Promise<Answer> =>
  sandbox.call('POST', path, { body: bodyOf(more), ...options });
async function subscribed(more: object = {}, options: CallOptions = {}) {
  const { status, body } = await subscribe(more, options);
  expect(status).toBe(201);
  return body.resource;
}
/** A token of the owner with these scopes only. */
function tokenWith(scopes: readonly ApiScope[]): string {
  const token = `oat_${scopes.join('_').replaceAll(':', '_')}`;
  sandbox.tokens.add(token, { kind: 'oauth', user: sandbox.handles.users.owner, scopes });
  return token;
}
const without = (scope: ApiScope): string =>
  tokenWith(
    (Object.keys(apiScopes) as ApiScope[]).filter((one) => one !== scope && !one.startsWith(scope.slice(0, 8))),
  );
const count = (): number => sandbox.service.state.subscriptions.size;
const userScope = () => ({ scope: 'user', user: sandbox.handles.users.owner });
const groupScope = () => ({ scope: 'group', group: sandbox.handles.group });
const elsewhere = () => {
  const { state } = sandbox.service;
  const user = [...state.users.values()].find((one) => one.current_organization !== sandbox.handles.organization);
  return { user: user?.uri ?? '', organization: user?.current_organization ?? '' };
};

const refusedWith = (message: string) => ({ status: 403, body: { title: 'Permission Denied', message } });
const invalidFor = (parameter: string) => ({
  status: 400,
  body: { title: 'Internal Server Error', details: [expect.objectContaining({ parameter })] },
});
async function expectUnchanged(act: () => Promise<Answer>, answer: object): Promise<void> {
  const before = count();
  expect(await act()).toMatchObject(answer);
  expect(count()).toBe(before);
}

// The record.

rows({
  'WebhookSubscription.uri | unique reference': async () => {
    const [one, other] = [await subscribed(), await subscribed()];
    expect(one.uri).not.toBe(other.uri);
    expect((await sandbox.call('GET', one.uri)).body.resource).toEqual(one);
  },
  'WebhookSubscription.callback_url | URL that receives events': async () => {
    const url = 'http://127.0.0.1:9/Where/?to=here';
    expect((await subscribed({ url })).callback_url).toBe(url);
  },
  'WebhookSubscription.created_at | string (R), timestamp': async () =>
    expect((await subscribed()).created_at).toMatch(sixDigits),
  'WebhookSubscription.updated_at | string (R), timestamp': async () =>
    expect((await subscribed()).updated_at).toMatch(sixDigits),
  'WebhookSubscription.retry_started_at | string (R, N)': async () =>
    expect((await subscribed()).retry_started_at).toBeNull(),
  'WebhookSubscription.state | `active`, `disabled`': async () => {
    const { uri, state } = await subscribed();
    expect(state).toBe('active');
    await sandbox.control('POST', '/subscriptions/disable', { uri });
    expect((await sandbox.call('GET', uri)).body.resource.state).toBe('disabled');
  },
  'WebhookSubscription.events | list of enum (R): subscribed events': async () => {
    const events = ['invitee.created', 'contact.deleted'];
    expect((await subscribed({ events })).events).toEqual(events);
  },
  'WebhookSubscription.scope | `user`, `organization`, `group`': async () => {
    expect((await subscribed(userScope())).scope).toBe('user');
    expect((await subscribed()).scope).toBe('organization');
    expect((await subscribed(groupScope())).scope).toBe('group');
  },
  'WebhookSubscription.organization | organization URI': async () =>
    expect((await subscribed()).organization).toBe(sandbox.handles.organization),
  'WebhookSubscription.user | user URI (R, N)': async () => {
    expect((await subscribed(userScope())).user).toBe(sandbox.handles.users.owner);
    expect((await subscribed()).user).toBeNull();
  },
  'WebhookSubscription.group | group URI (R, N)': async () => {
    expect((await subscribed(groupScope())).group).toBe(sandbox.handles.group);
    expect((await subscribed()).group).toBeNull();
  },
  'WebhookSubscription.creator | URI of the user who created it': async () =>
    expect((await subscribed({}, { as: 'admin' })).creator).toBe(sandbox.handles.users.admin),
  'States 2 | a newly created webhook subscription is returned with state `active`': async () =>
    expect((await subscribe()).body.resource.state).toBe('active'),
});

// Creating.

rows({
  'POST /webhook_subscriptions | creates a webhook subscription for an organization, a user or a group': async () => {
    for (const scope of [{ scope: 'organization' }, userScope(), groupScope()]) {
      const { uri } = await subscribed(scope);
      expect(sandbox.service.state.subscriptions.get(uri)).toMatchObject(scope);
    }
  },
  'POST /webhook_subscriptions | 201 response: `resource` = WebhookSubscription': async () => {
    const { status, body } = await subscribe();
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(['resource']);
    expect(Object.keys(body.resource).toSorted()).toEqual(
      ['uri', 'callback_url', 'created_at', 'updated_at', 'retry_started_at', 'state', 'events', 'scope']
        .concat(['organization', 'user', 'group', 'creator'])
        .toSorted(),
    );
  },
  'POST /webhook_subscriptions | callback_url echoes `url`': async () => {
    const url = newUrl();
    expect((await subscribed({ url })).callback_url).toBe(url);
  },
  'POST /webhook_subscriptions | `user` and `group` are null when not applicable': async () => {
    expect(await subscribed()).toMatchObject({ user: null, group: null });
    expect(await subscribed(userScope())).toMatchObject({ group: null });
    expect(await subscribed(groupScope())).toMatchObject({ user: null });
  },
  "POST /webhook_subscriptions | `creator` is the caller's user URI": async () => {
    const { users } = sandbox.handles;
    const own = { scope: 'user', user: users.member };
    expect((await subscribed(own, { as: 'member' })).creator).toBe(users.member);
  },
  'POST /webhook_subscriptions | required scope: `webhooks:write`': async () => {
    await expectUnchanged(() => subscribe({}, { token: tokenWith(['scheduled_events:read']) }), {
      status: 403,
      body: { title: 'Insufficient scope', required_scopes: ['webhooks:write'] },
    });
    await answers(subscribe({}, { token: tokenWith(['webhooks:write', 'scheduled_events:read']) }), 201);
  },
  'POST /webhook_subscriptions | additionally the caller needs the scope tied to each subscribed event': async () => {
    const events = ['invitee.created', 'contact.created'];
    await expectUnchanged(() => subscribe({ events }, { token: tokenWith(['webhooks:write']) }), {
      status: 403,
      body: { required_scopes: ['scheduled_events:read', 'contacts:read'] },
    });
    const { body } = await subscribe({ events }, { token: tokenWith(['webhooks:write', 'contacts:read']) });
    expect(body.required_scopes).toEqual(['scheduled_events:read']);
  },
  'POST /webhook_subscriptions url | string, required: where event POST requests are delivered': async () => {
    await expectUnchanged(() => subscribe({ url: undefined }), invalidFor('url'));
    await expectUnchanged(() => subscribe({ url: 'nowhere' }), invalidFor('url'));
    await expectUnchanged(() => subscribe({ url: 7 }), invalidFor('url'));
  },
  'POST /webhook_subscriptions events | list of enum, required; values: `invitee.canceled`, `invitee.created`, `invitee_no_show.created`, `invitee_no_show.deleted`, `meeting_recap.created`, `meeting_recap.updated`, `meeting_recap.deleted`, `routing_form_submission.created`, `contact.created`, `contact.updated`, `contact.deleted`':
    async () => {
      const invitees = ['invitee.canceled', 'invitee.created', 'invitee_no_show.created', 'invitee_no_show.deleted'];
      const contacts = ['contact.created', 'contact.updated', 'contact.deleted'];
      const recaps = ['meeting_recap.created', 'meeting_recap.updated', 'meeting_recap.deleted'];
      for (const events of [[...invitees, ...contacts], ['routing_form_submission.created']])
        expect((await subscribed({ events })).events).toEqual(events);
      expect((await subscribed({ events: recaps, ...userScope() })).events).toEqual(recaps);
      await expectUnchanged(() => subscribe({ events: ['invitee.born'] }), invalidFor('events.0'));
      await expectUnchanged(() => subscribe({ events: 'invitee.created' }), invalidFor('events'));
      await expectUnchanged(() => subscribe({ events: undefined }), invalidFor('events'));
      await expectUnchanged(() => subscribe({ events: [] }), invalidFor('events'));
    },
  'POST /webhook_subscriptions organization | string, required: organization URI': async () => {
    await expectUnchanged(() => subscribe({ organization: undefined }), invalidFor('organization'));
    await expectUnchanged(() => subscribe({ organization: 'Northwind' }), invalidFor('organization'));
  },
  'POST /webhook_subscriptions scope | enum, required: `organization`, `user`, `group`': async () => {
    await expectUnchanged(() => subscribe({ scope: undefined }), invalidFor('scope'));
    await expectUnchanged(() => subscribe({ scope: 'team' }), invalidFor('scope'));
  },
  'POST /webhook_subscriptions user | string, not required: user URI': async () => {
    expect((await subscribed(userScope())).user).toBe(sandbox.handles.users.owner);
    await expectUnchanged(() => subscribe({ scope: 'user', user: 'a-name' }), invalidFor('user'));
  },
  'POST /webhook_subscriptions group | string, not required: group URI': async () => {
    expect((await subscribed(groupScope())).group).toBe(sandbox.handles.group);
    await expectUnchanged(() => subscribe({ scope: 'group', group: 'some' }), invalidFor('group'));
  },
  'POST /webhook_subscriptions signing_key | string, not required: secret shared with the service for signing deliveries':
    async () => {
      const resource = await subscribed({ signing_key: 'a secret that is shared' });
      expect(sandbox.service.state.subscriptions.get(resource.uri)?.signingKey).toBe('a secret that is shared');
      expect(JSON.stringify((await sandbox.call('GET', resource.uri)).body)).not.toContain('secret');
      await expectUnchanged(() => subscribe({ signing_key: 7 }), invalidFor('signing_key'));
    },
});

// Rule 2: one row for each family of events and what it says of scopes.

const inviteeEvents = ['invitee.created', 'invitee.canceled', 'invitee_no_show.created', 'invitee_no_show.deleted'];
const recapEvents = ['meeting_recap.created', 'meeting_recap.updated', 'meeting_recap.deleted'];
const contactEvents = ['contact.created', 'contact.updated', 'contact.deleted'];
const eventTypeEvents = ['event_type.created', 'event_type.updated', 'event_type.deleted'];
const scopesOf = () => [{ scope: 'organization' }, userScope(), groupScope()];

async function allowedScopes(events: readonly string[], at = sandbox): Promise<string[]> {
  const allowed = new Set<string>();
  const refused = new Set<string>();
  for (const event of events)
    for (const scope of [
      { scope: 'organization' },
      { scope: 'user', user: at.handles.users.owner },
      { scope: 'group', group: at.handles.group },
    ]) {
      const body = { url: newUrl(), events: [event], organization: at.handles.organization, ...scope };
      const { status } = await at.call('POST', path, { body });
      expect([201, 400]).toContain(status);
      (status === 201 ? allowed : refused).add(scope.scope);
    }
  // Every event of a family answers alike.
  expect([...allowed].filter((scope) => refused.has(scope))).toEqual([]);
  return [...allowed];
}

async function expectScope(events: readonly string[], scope: ApiScope, where: object): Promise<void> {
  for (const event of events) {
    expect((await subscribe({ events: [event], ...where }, { token: without(scope) })).body).toMatchObject({
      title: 'Insufficient scope',
      required_scopes: [scope],
    });
    const token = tokenWith(['webhooks:write', scope]);
    expect((await subscribe({ events: [event], ...where }, { token })).status).toBe(201);
  }
}

rows({
  'POST /webhook_subscriptions rule 2 | invitee.created, invitee.canceled, invitee_no_show.created, invitee_no_show.deleted: allowed scopes organization, user, group':
    async () => expect(await allowedScopes(inviteeEvents)).toEqual(['organization', 'user', 'group']),
  'POST /webhook_subscriptions rule 2 | invitee.created, invitee.canceled, invitee_no_show.created, invitee_no_show.deleted: required caller scope `scheduled_events:read`':
    () => expectScope(inviteeEvents, 'scheduled_events:read', {}),
  'POST /webhook_subscriptions rule 2 | meeting_recap.created, meeting_recap.updated, meeting_recap.deleted: allowed scope user':
    async () => expect(await allowedScopes(recapEvents)).toEqual(['user']),
  'POST /webhook_subscriptions rule 2 | meeting_recap.created, meeting_recap.updated, meeting_recap.deleted: required caller scope `meeting_recaps:read`':
    () => expectScope(recapEvents, 'meeting_recaps:read', userScope()),
  'POST /webhook_subscriptions rule 2 | routing_form_submission.created: allowed scope organization': async () =>
    expect(await allowedScopes(['routing_form_submission.created'])).toEqual(['organization']),
  'POST /webhook_subscriptions rule 2 | routing_form_submission.created: required caller scope `routing_forms:read`':
    () => expectScope(['routing_form_submission.created'], 'routing_forms:read', {}),
  'POST /webhook_subscriptions rule 2 | contact.created, contact.updated, contact.deleted: allowed scopes organization, user, group':
    async () => expect(await allowedScopes(contactEvents)).toEqual(['organization', 'user', 'group']),
  'POST /webhook_subscriptions rule 2 | contact.created, contact.updated, contact.deleted: required caller scope `contacts:read`':
    () => expectScope(contactEvents, 'contacts:read', {}),
  'Authentication 2 | contacts:write implicitly includes contacts:read, for subscriptions too': async () => {
    const token = tokenWith(['webhooks:write', 'contacts:write']);
    expect((await subscribe({ events: ['contact.created'] }, { token })).status).toBe(201);
  },
  'Authentication 2 | meeting_recaps:write implicitly includes meeting_recaps:read, for subscriptions too':
    async () => {
      const token = tokenWith(['webhooks:write', 'meeting_recaps:write']);
      expect((await subscribe({ events: recapEvents, ...userScope() }, { token })).status).toBe(201);
    },
  'POST /webhook_subscriptions rule 3 | events that allow different scopes need separate subscriptions': async () => {
    const events = ['meeting_recap.created', 'routing_form_submission.created'];
    for (const scope of scopesOf()) await expectUnchanged(() => subscribe({ events, ...scope }), invalidFor('events'));
    expect((await subscribe({ events: [events[0]], ...userScope() })).status).toBe(201);
    expect((await subscribe({ events: [events[1]] })).status).toBe(201);
  },
  'POST /webhook_subscriptions rule 3 | that holds also where the scope of the request is allowed for all of them':
    async () => {
      for (const others of [inviteeEvents, contactEvents])
        for (const events of [
          ['routing_form_submission.created', ...others],
          [...others, 'routing_form_submission.created'],
        ])
          await expectUnchanged(() => subscribe({ events }), invalidFor('events'));
      await expectUnchanged(
        () => subscribe({ events: [...recapEvents, ...inviteeEvents], ...userScope() }),
        invalidFor('events'),
      );
      expect((await subscribe({ events: [...inviteeEvents, ...contactEvents] })).status).toBe(201);
    },
  'POST /webhook_subscriptions rule 3 | the `event_type.*` events are not in the `events` enum of the request body, which is authoritative for the request':
    async () => {
      for (const event of eventTypeEvents)
        await expectUnchanged(() => subscribe({ events: ['invitee.created', event] }), invalidFor('events.1'));
    },
  'POST /webhook_subscriptions rule 3 | a refusal names the events that are taken | A6c': async () => {
    await using wide = await openTestSandbox({ eventTypes: true, contacts: 0, bookings: 0 });
    for (const at of [sandbox, wide]) {
      const body = { ...bodyOf({ organization: at.handles.organization }), events: ['event.renamed'] };
      const { message } = (await at.call('POST', path, { body })).body.details[0];
      expect(message).toContain('invitee.created');
      expect(message.includes('event_type.created')).toBe(at === wide);
    }
  },
  'POST /webhook_subscriptions | null for an optional field says the same as leaving it out | A29': async () => {
    const nothing = { user: null, group: null, signing_key: null };
    expect(await subscribed(nothing)).toMatchObject({ user: null, group: null });
    await expectUnchanged(() => subscribe({ scope: 'user', ...nothing }), invalidFor('user'));
  },
  'POST /webhook_subscriptions rule 2 | event_type.created, event_type.deleted, event_type.updated, where they are taken: allowed scopes organization, user, group; required caller scope `event_types:read` | A6c':
    async () => {
      await using lenient = await openTestSandbox({ eventTypes: true });
      expect(await allowedScopes(eventTypeEvents, lenient)).toEqual(['organization', 'user', 'group']);
      const { organization, users } = lenient.handles;
      lenient.tokens.add('oat_hooks', { kind: 'oauth', user: users.owner, scopes: ['webhooks:write'] });
      const body = { url: newUrl(), events: eventTypeEvents, organization, scope: 'organization' };
      expect((await lenient.call('POST', path, { body, token: 'oat_hooks' })).body).toMatchObject({
        title: 'Insufficient scope',
        required_scopes: ['event_types:read'],
      });
    },
  'POST /webhook_subscriptions rule 4 | scope `user` is sent with `user`, scope `group` with `group`, and scope `organization` with neither':
    async () => {
      for (const scope of scopesOf()) expect((await subscribe(scope)).status).toBe(201);
    },
  'POST /webhook_subscriptions rule 4 | `user` and `group` are required with their scopes | A10': async () => {
    await expectUnchanged(() => subscribe({ scope: 'user' }), invalidFor('user'));
    await expectUnchanged(() => subscribe({ scope: 'group' }), invalidFor('group'));
  },
  'POST /webhook_subscriptions rule 4 | a `user` or `group` sent with another scope is ignored | A10': async () => {
    const { users, group } = sandbox.handles;
    expect(await subscribed({ user: users.owner, group })).toMatchObject({ user: null, group: null });
  },
});

// Refusals.

rows({
  'Errors 400 | request not valid: the documented title is `Internal Server Error`': async () => {
    for (const body of ['{', '[]', '"x"', 'null', bodyOf({ colour: 'red' })])
      await expectUnchanged(() => sandbox.call('POST', path, { body }), {
        status: 400,
        body: { title: 'Internal Server Error' },
      });
  },
  'Errors 401 | caller cannot be authenticated (webhook creation)': async () => {
    await expectUnchanged(() => subscribe({}, { as: null }), { status: 401, body: documentedBody });
    await expectUnchanged(() => subscribe({}, { token: 'forged' }), { status: 401, body: documentedBody });
  },
  'Errors 403 | webhook creation: account must be upgraded to the standard level': async () => {
    const { body: me } = await sandbox.call('GET', '/users/me', { as: 'free_plan' });
    await expectUnchanged(
      () => subscribe({ organization: me.resource.current_organization }, { as: 'free_plan' }),
      refusedWith('Please upgrade your account to the standard level.'),
    );
  },
  'Errors 403 | webhook creation: `You do not have permission to access this resource.`': async () => {
    const message = 'You do not have permission to access this resource.';
    const { organization, user } = elsewhere();
    await expectUnchanged(() => subscribe({ organization }), refusedWith(message));
    await expectUnchanged(() => subscribe({ scope: 'user', user }), refusedWith(message));
  },
  'Errors 403 | webhook creation: `You do not have permission`': () =>
    expectUnchanged(() => subscribe({}, { as: 'member' }), refusedWith('You do not have permission')),
  'Errors 403 | a caller subscribes for the events of a user only as that user | A20': async () => {
    const { member } = sandbox.handles.users;
    for (const as of ['owner', 'admin'] as const)
      await expectUnchanged(
        () => subscribe({ scope: 'user', user: member }, { as }),
        refusedWith('You do not have permission'),
      );
    expect((await subscribe({ scope: 'user', user: member }, { as: 'member' })).status).toBe(201);
  },
  'Errors 403 | a group is for administrators and for its members | A20': async () => {
    const { state } = sandbox.service;
    const members = state.groups.get(sandbox.handles.group)?.members ?? [];
    const outsider = state.memberships
      .of('organization', sandbox.handles.organization)
      .find(({ user, role }) => role === 'user' && !members.includes(user));
    const scopes = Object.keys(apiScopes) as ApiScope[];
    sandbox.tokens.add('oat_outsider', { kind: 'oauth', user: outsider?.user ?? '', scopes });
    await expectUnchanged(
      () => subscribe(groupScope(), { token: 'oat_outsider' }),
      refusedWith('You do not have permission'),
    );
    expect((await subscribe(groupScope(), { as: 'member' })).status).toBe(201);
    expect((await subscribe(groupScope(), { as: 'admin' })).status).toBe(201);
  },
  'Errors 404 | requested resource not found (webhook creation)': async () => {
    const { base_url } = sandbox.handles;
    for (const more of [
      { organization: `${base_url}/organizations/${strange}` },
      { scope: 'user', user: `${base_url}/users/${strange}` },
      { scope: 'group', group: `${base_url}/groups/${strange}` },
    ])
      await expectUnchanged(() => subscribe(more), { status: 404, body: documentedBody });
  },
  'Errors 409 | attempt to create a resource that already exists (webhook subscription): same title and message as 401':
    async () => {
      const { callback_url: url } = await subscribed();
      await expectUnchanged(() => subscribe({ url }), { status: 409, body: documentedBody });
      expect((await subscribe({ url })).body.details).toEqual([
        { message: 'Hook with this url already exists', parameter: 'url', code: 'already_exists' },
      ]);
    },
  'Errors 409 | one URL has one subscription in an organization, whatever its scope and state | A6b': async () => {
    const { uri, callback_url: url } = await subscribed();
    await expectUnchanged(() => subscribe({ url, ...userScope() }), { status: 409 });
    await sandbox.control('POST', '/subscriptions/disable', { uri });
    await expectUnchanged(() => subscribe({ url }), { status: 409 });
    await sandbox.call('DELETE', uri);
    expect((await subscribe({ url })).status).toBe(201);
    const { body: me } = await sandbox.call('GET', '/users/me', { as: 'enterprise' });
    const organization = me.resource.current_organization;
    expect((await subscribe({ url, organization }, { as: 'enterprise' })).status).toBe(201);
  },
  'Errors 503 | service unavailable (503 on webhook creation): same title and message as 401': async () => {
    await sandbox.control('POST', '/faults', { status: 1 });
    await expectUnchanged(() => subscribe(), { status: 503, body: documentedBody });
    await sandbox.control('POST', '/faults', {});
    expect((await subscribe()).status).toBe(201);
  },
});

// Reading and ending them.

const list = (query: Record<string, string>, options: CallOptions = {}): Promise<Answer> =>
  sandbox.call('GET', path, {
    query: { organization: sandbox.handles.organization, count: '100', ...query },
    ...options,
  });

const urisOf = ({ body }: Answer): string[] => body.collection.map(({ uri }: { uri: string }) => uri);

rows({
  'GET /webhook_subscriptions | takes `scope` and `organization` parameters': async () => {
    await using fresh = await openTestSandbox();
    const { organization, users, group } = fresh.handles;
    const scopes = [{ scope: 'organization' }, { scope: 'user', user: users.owner }, { scope: 'group', group }];
    for (const scope of scopes) {
      const body = { url: newUrl(), events: ['invitee.created'], organization, ...scope };
      const { body: made } = await fresh.call('POST', path, { body });
      const found = await fresh.call('GET', path, { query: { organization, ...scope } });
      expect(found.body.collection).toEqual([made.resource]);
    }
    await answers(fresh.call('GET', path, { query: { organization } }), 400);
    await answers(fresh.call('GET', path, { query: { scope: 'user' } }), 400);
  },
  'Errors, role example | a non-administrator listing webhook subscriptions for an organization scope receives 403':
    async () => {
      expect(await list({ scope: 'organization' }, { as: 'member' })).toMatchObject(
        refusedWith('You do not have permission to access this resource.'),
      );
      expect((await list({ scope: 'organization' }, { as: 'admin' })).status).toBe(200);
    },
  'GET /webhook_subscriptions | scope `user` needs a `user` and scope `group` a `group`: whose are meant is stated, never guessed | A10':
    async () => {
      expect(await list({ scope: 'user' })).toMatchObject(invalidFor('user'));
      expect(await list({ scope: 'group' })).toMatchObject(invalidFor('group'));
      await answers(list({ scope: 'user', user: sandbox.handles.users.owner }), 200);
      await answers(list({ scope: 'group', group: sandbox.handles.group }), 200);
    },
  'GET /webhook_subscriptions | a user sees its own, an administrator those of every user | A20': async () => {
    const { member, owner } = sandbox.handles.users;
    const { uri } = await subscribed({ scope: 'user', user: member }, { as: 'member' });
    expect(urisOf(await list({ scope: 'user', user: member }, { as: 'member' }))).toContain(uri);
    expect(urisOf(await list({ scope: 'user', user: member }))).toContain(uri);
    expect(urisOf(await list({ scope: 'user', user: owner }))).not.toContain(uri);
    expect((await list({ scope: 'user', user: owner }, { as: 'member' })).status).toBe(403);
  },
  'GET /webhook_subscriptions/<uuid> | is for the creator and for administrators | A20': async () => {
    const { uri } = await subscribed();
    expect((await sandbox.call('GET', uri, { as: 'admin' })).status).toBe(200);
    await answers(sandbox.call('GET', uri, { as: 'member' }), 403);
    await answers(sandbox.call('GET', uri, { as: 'enterprise' }), 403);
    await answers(sandbox.call('GET', `${path}/${strange}`), 404, documentedBody);
  },
  'DELETE /webhook_subscriptions/<uuid> | answers 204, and 404 when it is gone | A20': async () => {
    const { uri } = await subscribed();
    await answers(sandbox.call('DELETE', uri, { as: 'member' }), 403);
    await answers(sandbox.call('DELETE', uri), 204, undefined);
    await answers(sandbox.call('DELETE', uri), 404, documentedBody);
    expect((await sandbox.call('GET', uri)).status).toBe(404);
  },
  'GET and DELETE /webhook_subscriptions | ask for the scope `webhooks:write` | A20': async () => {
    const { uri } = await subscribed();
    const token = without('webhooks:write');
    const refused = { status: 403, body: { required_scopes: ['webhooks:write'] } };
    expect(await list({ scope: 'organization' }, { token })).toMatchObject(refused);
    expect(await sandbox.call('GET', uri, { token })).toMatchObject(refused);
    expect(await sandbox.call('DELETE', uri, { token })).toMatchObject(refused);
  },
});

// Conformance: webhook subscriptions.
import { expect } from 'vitest';
import { everyScope, type ApiScope } from '#schemas/api-scope.ts';
import { type Answer, type CallOptions } from '../harness/sandbox.ts';
import {
  answers,
  denied,
  documentedBody,
  hookOf,
  invalid,
  isForAdministrators,
  lacking,
  newUrl,
  noAccess,
  noRight,
  organizationOf,
  outsiderOf,
  sixDigits,
  strange,
  strangerTo,
  recordOf,
  subscribingAsksFor,
  tokenWith,
  urisOf,
} from './answers.ts';
import { openForRows, rows } from './rows.ts';

const sandbox = openForRows({ rateLimits: false });
/** Event types are taken here. */
const wide = openForRows({ eventTypes: true, contacts: 0, bookings: 0 });

const path = '/webhook_subscriptions';
const subscribe = (more: object = {}, options: CallOptions = {}): Promise<Answer> =>
  sandbox.call('POST', path, { body: hookOf(sandbox, more), ...options });
const subscribed = (more: object = {}, options: CallOptions = {}) => recordOf(subscribe(more, options), 201);
/** Shows that a subscription with these differences is made, and looks like this. */
const shows = async (more: object, expected: object, options: CallOptions = {}): Promise<void> =>
  expect(await subscribed(more, options)).toMatchObject(expected);
const echoes = (url: string): Promise<void> => shows({ url }, { callback_url: url });
const granted = (...scopes: readonly ApiScope[]): CallOptions => ({ token: tokenWith(sandbox, scopes) });
const userScope = (at = sandbox) => ({ scope: 'user', user: at.handles.users.owner });
const groupScope = (at = sandbox) => ({ scope: 'group', group: at.handles.group });
const scopesOf = (at = sandbox) => [{ scope: 'organization' }, userScope(at), groupScope(at)];

/** Shows that such a request is refused, and nothing made. */
async function refuses(more: object, status: number, body: object, options: CallOptions = {}): Promise<void> {
  const { subscriptions } = sandbox.service.state;
  const before = subscriptions.size;
  await answers(subscribe(more, options), status, body);
  expect(subscriptions.size).toBe(before);
}
/** Shows that each of these requests is refused for this parameter. */
async function refusesEach(parameter: string, ...requests: readonly object[]): Promise<void> {
  for (const more of requests) await refuses(more, 400, invalid(parameter));
}

// The record.

rows({
  'WebhookSubscription.uri | unique reference': async () => {
    const [one, other] = [await subscribed(), await subscribed()];
    expect(one.uri).not.toBe(other.uri);
    expect((await sandbox.call('GET', one.uri)).body.resource).toEqual(one);
  },
  'WebhookSubscription.callback_url | URL that receives events': () => echoes('http://127.0.0.1:9/Where/?to=here'),
  'WebhookSubscription.created_at | string (R), timestamp': () =>
    shows({}, { created_at: expect.stringMatching(sixDigits) }),
  'WebhookSubscription.updated_at | string (R), timestamp': () =>
    shows({}, { updated_at: expect.stringMatching(sixDigits) }),
  'WebhookSubscription.retry_started_at | string (R, N)': () => shows({}, { retry_started_at: null }),
  'WebhookSubscription.state | `active`, `disabled`': async () => {
    const { uri, state } = await subscribed();
    expect(state).toBe('active');
    await sandbox.control('POST', '/subscriptions/disable', { uri });
    expect((await sandbox.call('GET', uri)).body.resource.state).toBe('disabled');
  },
  'WebhookSubscription.events | list of enum (R): subscribed events': () => {
    const events = ['invitee.created', 'contact.deleted'];
    return shows({ events }, { events });
  },
  'WebhookSubscription.scope | `user`, `organization`, `group`': async () => {
    for (const scope of scopesOf()) await shows(scope, { scope: scope.scope });
  },
  'WebhookSubscription.organization | organization URI': () =>
    shows({}, { organization: sandbox.handles.organization }),
  'WebhookSubscription.user | user URI (R, N)': () =>
    shows(userScope(), { user: sandbox.handles.users.owner, group: null }),
  'WebhookSubscription.group | group URI (R, N)': () =>
    shows(groupScope(), { group: sandbox.handles.group, user: null }),
  'WebhookSubscription.creator | URI of the user who created it': () =>
    shows({}, { creator: sandbox.handles.users.admin }, { as: 'admin' }),
  'States 2 | a newly created webhook subscription is returned with state `active`': () =>
    shows({}, { state: 'active' }),
});

// Creating.

rows({
  'POST /webhook_subscriptions | creates a webhook subscription for an organization, a user or a group': async () => {
    for (const scope of scopesOf())
      expect(sandbox.service.state.subscriptions.get((await subscribed(scope)).uri)).toMatchObject(scope);
  },
  'POST /webhook_subscriptions | 201 response: `resource` = WebhookSubscription': async () => {
    const { status, body } = await subscribe();
    expect([status, Object.keys(body)]).toEqual([201, ['resource']]);
    expect(Object.keys(body.resource).toSorted().join(' ')).toBe(
      'callback_url created_at creator events group organization retry_started_at scope state updated_at uri user',
    );
  },
  'POST /webhook_subscriptions | callback_url echoes `url`': () => echoes(newUrl()),
  'POST /webhook_subscriptions | `user` and `group` are null when not applicable': () =>
    shows({}, { user: null, group: null }),
  "POST /webhook_subscriptions | `creator` is the caller's user URI": () => {
    const { member } = sandbox.handles.users;
    return shows({ scope: 'user', user: member }, { creator: member }, { as: 'member' });
  },
  'POST /webhook_subscriptions | required scope: `webhooks:write`': async () => {
    await refuses({}, 403, lacking('webhooks:write'), granted('scheduled_events:read'));
    await answers(subscribe({}, granted('webhooks:write', 'scheduled_events:read')), 201);
  },
  'POST /webhook_subscriptions | additionally the caller needs the scope tied to each subscribed event': async () => {
    const events = ['invitee.created', 'contact.created'];
    const [both, one] = [lacking('scheduled_events:read', 'contacts:read'), lacking('scheduled_events:read')];
    await refuses({ events }, 403, both, granted('webhooks:write'));
    await refuses({ events }, 403, one, granted('webhooks:write', 'contacts:read'));
  },
  'POST /webhook_subscriptions url | string, required: where event POST requests are delivered': () =>
    refusesEach('url', { url: undefined }, { url: 'nowhere' }, { url: 7 }),
  'POST /webhook_subscriptions events | list of enum, required; values: `invitee.canceled`, `invitee.created`, `invitee_no_show.created`, `invitee_no_show.deleted`, `meeting_recap.created`, `meeting_recap.updated`, `meeting_recap.deleted`, `routing_form_submission.created`, `contact.created`, `contact.updated`, `contact.deleted`':
    async () => {
      for (const events of [[...inviteeEvents, ...contactEvents], ['routing_form_submission.created']])
        await shows({ events }, { events });
      await shows({ events: recapEvents, ...userScope() }, { events: recapEvents });
      await refusesEach('events.0', { events: ['invitee.born'] });
      await refusesEach('events', { events: 'invitee.created' }, { events: undefined }, { events: [] });
    },
  'POST /webhook_subscriptions organization | string, required: organization URI': () =>
    refusesEach('organization', { organization: undefined }, { organization: 'Northwind' }),
  'POST /webhook_subscriptions scope | enum, required: `organization`, `user`, `group`': () =>
    refusesEach('scope', { scope: undefined }, { scope: 'team' }),
  'POST /webhook_subscriptions user | string, not required: user URI': async () => {
    await shows(userScope(), { user: sandbox.handles.users.owner });
    await refusesEach('user', { scope: 'user', user: 'a-name' });
  },
  'POST /webhook_subscriptions group | string, not required: group URI': async () => {
    await shows(groupScope(), { group: sandbox.handles.group });
    await refusesEach('group', { scope: 'group', group: 'some' });
  },
  'POST /webhook_subscriptions signing_key | string, not required: secret shared with the service for signing deliveries':
    async () => {
      const { uri } = await subscribed({ signing_key: 'a secret that is shared' });
      expect(sandbox.service.state.subscriptions.get(uri)?.signingKey).toBe('a secret that is shared');
      expect(JSON.stringify((await sandbox.call('GET', uri)).body)).not.toContain('secret');
      await refusesEach('signing_key', { signing_key: 7 });
    },
});

// Rule 2: one row for each family of events and what it says of scopes.

const inviteeEvents = ['invitee.canceled', 'invitee.created', 'invitee_no_show.created', 'invitee_no_show.deleted'];
const recapEvents = ['meeting_recap.created', 'meeting_recap.updated', 'meeting_recap.deleted'];
const contactEvents = ['contact.created', 'contact.updated', 'contact.deleted'];
const eventTypeEvents = ['event_type.created', 'event_type.updated', 'event_type.deleted'];
const submission = 'routing_form_submission.created';

/** Shows that subscriptions to each of these events may have these scopes and no others. */
async function allows(events: readonly string[], scopes: string, at = sandbox): Promise<void> {
  for (const event of events)
    for (const where of scopesOf(at)) {
      const body = hookOf(at, { events: [event], ...where });
      await answers(at.call('POST', path, { body }), scopes.includes(where.scope) ? 201 : 400);
    }
}

rows({
  'POST /webhook_subscriptions rule 2 | invitee.created, invitee.canceled, invitee_no_show.created, invitee_no_show.deleted: allowed scopes organization, user, group':
    () => allows(inviteeEvents, 'organization, user, group'),
  'POST /webhook_subscriptions rule 2 | invitee.created, invitee.canceled, invitee_no_show.created, invitee_no_show.deleted: required caller scope `scheduled_events:read`':
    () => subscribingAsksFor(sandbox, 'scheduled_events:read', inviteeEvents),
  'POST /webhook_subscriptions rule 2 | meeting_recap.created, meeting_recap.updated, meeting_recap.deleted: allowed scope user':
    () => allows(recapEvents, 'user'),
  'POST /webhook_subscriptions rule 2 | meeting_recap.created, meeting_recap.updated, meeting_recap.deleted: required caller scope `meeting_recaps:read`':
    () => subscribingAsksFor(sandbox, 'meeting_recaps:read', recapEvents, userScope()),
  'POST /webhook_subscriptions rule 2 | routing_form_submission.created: allowed scope organization': () =>
    allows([submission], 'organization'),
  'POST /webhook_subscriptions rule 2 | routing_form_submission.created: required caller scope `routing_forms:read`':
    () => subscribingAsksFor(sandbox, 'routing_forms:read', [submission]),
  'POST /webhook_subscriptions rule 2 | contact.created, contact.updated, contact.deleted: allowed scopes organization, user, group':
    () => allows(contactEvents, 'organization, user, group'),
  'POST /webhook_subscriptions rule 2 | contact.created, contact.updated, contact.deleted: required caller scope `contacts:read`':
    () => subscribingAsksFor(sandbox, 'contacts:read', contactEvents),
  'Authentication 2 | contacts:write implicitly includes contacts:read, for subscriptions too': () =>
    answers(subscribe({ events: ['contact.created'] }, granted('webhooks:write', 'contacts:write')), 201),
  'Authentication 2 | meeting_recaps:write implicitly includes meeting_recaps:read, for subscriptions too': () =>
    answers(subscribe({ events: recapEvents, ...userScope() }, granted('webhooks:write', 'meeting_recaps:write')), 201),
  'POST /webhook_subscriptions rule 3 | events that allow different scopes need separate subscriptions': async () => {
    const [recap, form] = [{ events: recapEvents, ...userScope() }, { events: [submission] }];
    for (const scope of scopesOf()) await refusesEach('events', { events: [recapEvents[0], submission], ...scope });
    for (const alone of [recap, form]) await answers(subscribe(alone), 201);
  },
  'POST /webhook_subscriptions rule 3 | that holds also where the scope of the request is allowed for all of them':
    async () => {
      for (const others of [inviteeEvents, contactEvents])
        await refusesEach('events', { events: [submission, ...others] }, { events: [...others, submission] });
      await refusesEach('events', { events: [...recapEvents, ...inviteeEvents], ...userScope() });
      await answers(subscribe({ events: [...inviteeEvents, ...contactEvents] }), 201);
    },
  'POST /webhook_subscriptions rule 3 | the `event_type.*` events are not in the `events` enum of the request body, which is authoritative for the request':
    () => refusesEach('events.1', ...eventTypeEvents.map((event) => ({ events: ['invitee.created', event] }))),
  'POST /webhook_subscriptions rule 3 | a refusal names the events that are taken | A6c': async () => {
    for (const at of [sandbox, wide]) {
      const { body } = await at.call('POST', path, { body: hookOf(at, { events: ['event.renamed'] }) });
      expect(body.details[0].message).toContain('invitee.created');
      expect(body.details[0].message.includes('event_type.created')).toBe(at === wide);
    }
  },
  'POST /webhook_subscriptions | null for an optional field says the same as leaving it out | A29': async () => {
    const nothing = { user: null, group: null, signing_key: null };
    await shows(nothing, { user: null, group: null });
    await refusesEach('user', { scope: 'user', ...nothing });
  },
  'POST /webhook_subscriptions rule 2 | event_type.created, event_type.deleted, event_type.updated, where they are taken: allowed scopes organization, user, group; required caller scope `event_types:read` | A6c':
    async () => {
      await allows(eventTypeEvents, 'organization, user, group', wide);
      const token = tokenWith(wide, ['webhooks:write']);
      const body = hookOf(wide, { events: eventTypeEvents });
      await answers(wide.call('POST', path, { body, token }), 403, lacking('event_types:read'));
    },
  'POST /webhook_subscriptions rule 4 | scope `user` is sent with `user`, scope `group` with `group`, and scope `organization` with neither':
    async () => {
      for (const scope of scopesOf()) await answers(subscribe(scope), 201);
    },
  'POST /webhook_subscriptions rule 4 | `user` and `group` are required with their scopes | A10': async () => {
    await refusesEach('user', { scope: 'user' });
    await refusesEach('group', { scope: 'group' });
  },
  'POST /webhook_subscriptions rule 4 | a `user` or `group` sent with another scope is ignored | A10': () => {
    const { users, group } = sandbox.handles;
    return shows({ user: users.owner, group }, { user: null, group: null });
  },
});

// Refusals.

rows({
  'Errors 401 | caller cannot be authenticated (webhook creation)': async () => {
    for (const who of [{ as: null }, { token: 'forged' }]) await refuses({}, 401, documentedBody, who);
  },
  'Errors 403 | webhook creation: account must be upgraded to the standard level': async () => {
    const [as, message] = ['free_plan', 'Please upgrade your account to the standard level.'] as const;
    await refuses({ organization: await organizationOf(sandbox, as) }, 403, denied(message), { as });
  },
  'Errors 403 | webhook creation: `You do not have permission to access this resource.`': async () => {
    await refuses({ organization: await organizationOf(sandbox, 'enterprise') }, 403, noAccess);
    await refuses({ scope: 'user', user: strangerTo(sandbox) }, 403, noAccess);
  },
  'Errors 403 | webhook creation: `You do not have permission`': () => refuses({}, 403, noRight, { as: 'member' }),
  'Errors 403 | a caller subscribes for the events of a user only as that user | A20': async () => {
    const own = { scope: 'user', user: sandbox.handles.users.member };
    for (const as of ['owner', 'admin'] as const) await refuses(own, 403, noRight, { as });
    await answers(subscribe(own, { as: 'member' }), 201);
  },
  'Errors 403 | a group is for administrators and for its members | A20': async () => {
    await refuses(groupScope(), 403, noRight, { token: tokenWith(sandbox, everyScope, outsiderOf(sandbox)) });
    for (const as of ['member', 'admin'] as const) await answers(subscribe(groupScope(), { as }), 201);
  },
  'Errors 404 | requested resource not found (webhook creation)': async () => {
    const { base_url } = sandbox.handles;
    for (const more of [
      { organization: `${base_url}/organizations/${strange}` },
      { scope: 'user', user: `${base_url}/users/${strange}` },
      { scope: 'group', group: `${base_url}/groups/${strange}` },
    ])
      await refuses(more, 404, documentedBody);
  },
  'Errors 409 | attempt to create a resource that already exists (webhook subscription): same title and message as 401':
    async () => {
      const { callback_url: url } = await subscribed();
      const message = 'Hook with this url already exists';
      const details = [{ message, parameter: 'url', code: 'already_exists' }];
      await refuses({ url }, 409, { ...documentedBody, details });
    },
  'Errors 409 | one URL has one subscription in an organization, whatever its scope and state | A6b': async () => {
    const { uri, callback_url: url } = await subscribed();
    await refuses({ url, ...userScope() }, 409, documentedBody);
    await sandbox.control('POST', '/subscriptions/disable', { uri });
    await refuses({ url }, 409, documentedBody);
    await sandbox.call('DELETE', uri);
    await answers(subscribe({ url }), 201);
    const organization = await organizationOf(sandbox, 'enterprise');
    await answers(subscribe({ url, organization }, { as: 'enterprise' }), 201);
  },
  'Errors 503 | service unavailable (503 on webhook creation): same title and message as 401': async () => {
    await sandbox.control('POST', '/faults', { status: 1 });
    await refuses({}, 503, documentedBody);
    await sandbox.control('POST', '/faults', {});
    await answers(subscribe(), 201);
  },
});

// Reading and ending them.

const list = (query: Record<string, string>, options: CallOptions = {}): Promise<Answer> => {
  const { organization } = sandbox.handles;
  return sandbox.call('GET', path, { query: { organization, count: '100', ...query }, ...options });
};

rows({
  'GET /webhook_subscriptions | takes `scope` and `organization` parameters': async () => {
    for (const scope of scopesOf()) {
      const { uri } = await subscribed(scope);
      const { collection } = (await list(scope)).body;
      for (const one of collection) expect(one).toMatchObject(scope);
      expect(collection).toContainEqual(expect.objectContaining({ uri }));
    }
    await answers(list({}), 400);
    await answers(sandbox.call('GET', path, { query: { scope: 'user' } }), 400);
  },
  'Errors, role example | a non-administrator listing webhook subscriptions for an organization scope receives 403':
    () => isForAdministrators(sandbox, [path], { organization: sandbox.handles.organization, scope: 'organization' }),
  'GET /webhook_subscriptions | scope `user` needs a `user` and scope `group` a `group`: whose are meant is stated, never guessed | A10':
    async () => {
      await answers(list({ scope: 'user' }), 400, invalid('user'));
      await answers(list({ scope: 'group' }), 400, invalid('group'));
      for (const scope of [userScope(), groupScope()]) await answers(list(scope), 200);
    },
  'GET /webhook_subscriptions | a user sees its own, an administrator those of every user | A20': async () => {
    const own = { scope: 'user', user: sandbox.handles.users.member };
    const { uri } = await subscribed(own, { as: 'member' });
    for (const as of ['member', 'owner'] as const) expect(urisOf(await list(own, { as }))).toContain(uri);
    expect(urisOf(await list(userScope()))).not.toContain(uri);
    await answers(list(userScope(), { as: 'member' }), 403);
  },
  'GET /webhook_subscriptions/<uuid> | is for the creator and for administrators | A20': async () => {
    const { uri } = await subscribed();
    await answers(sandbox.call('GET', uri, { as: 'admin' }), 200);
    for (const as of ['member', 'enterprise'] as const) await answers(sandbox.call('GET', uri, { as }), 403);
    await answers(sandbox.call('GET', `${path}/${strange}`), 404, documentedBody);
  },
  'DELETE /webhook_subscriptions/<uuid> | answers 204, and 404 when it is gone | A20': async () => {
    const { uri } = await subscribed();
    await answers(sandbox.call('DELETE', uri, { as: 'member' }), 403);
    await answers(sandbox.call('DELETE', uri), 204, undefined);
    for (const method of ['DELETE', 'GET']) await answers(sandbox.call(method, uri), 404, documentedBody);
  },
  'GET and DELETE /webhook_subscriptions | ask for the scope `webhooks:write` | A20': async () => {
    const { uri } = await subscribed();
    const [refused, scopeless] = [lacking('webhooks:write'), granted('scheduled_events:read')];
    await answers(list({ scope: 'organization' }, scopeless), 403, refused);
    for (const method of ['GET', 'DELETE']) await answers(sandbox.call(method, uri, scopeless), 403, refused);
  },
});

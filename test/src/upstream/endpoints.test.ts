// Every function of the client against the sandbox: once for success, and once for each error that is documented for it.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { documentedStatuses } from '#schemas/errors.ts';
import { ApiError, isExpiredToken } from '#src/upstream/api-error.ts';
import type { Client } from '#src/upstream/client.ts';
import { patiences } from '#src/upstream/retry-budgets.ts';
import * as bookings from '#src/upstream/endpoints/bookings.ts';
import * as contacts from '#src/upstream/endpoints/contacts.ts';
import * as eventTypes from '#src/upstream/endpoints/event-types.ts';
import * as invitations from '#src/upstream/endpoints/invitations.ts';
import * as recaps from '#src/upstream/endpoints/meeting-recaps.ts';
import * as forms from '#src/upstream/endpoints/routing-forms.ts';
import * as users from '#src/upstream/endpoints/users.ts';
import * as subscriptions from '#src/upstream/endpoints/webhook-subscriptions.ts';
import { allOf, type ApiPage, type PageOptions } from '#src/upstream/pages.ts';
import { openDesk, type Desk } from '../../harness/bookings.ts';
import { openTestSandbox, type TestSandbox } from '../../harness/sandbox.ts';
import { clientOf, failureOf, pausedTime } from '../../harness/upstream.ts';

let sandbox: TestSandbox;
let desk: Desk;
let made = 0;
beforeAll(async () => {
  sandbox = await openTestSandbox({ rateLimits: false });
  desk = await openDesk(sandbox);
});
afterAll(() => sandbox[Symbol.asyncDispose]());
beforeEach(async () => void (await sandbox.control('POST', '/faults', {})));

type Who = keyof TestSandbox['handles']['tokens'];
const as = (who: Who): Client =>
  clientOf(sandbox.handles.base_url, { as: sandbox.handles.tokens[who], patience: patiences.short });

/** The URI of something that never was, beside `uri`. */
const strange = '00000000-0000-4000-8000-000000000000';
const never = (family: string): string => `${sandbox.handles.base_url}/${family}/${strange}`;
const emailOf = (what: string): string => `${what}.${(made += 1)}@example.test`;

async function first<Item>(pages: AsyncIterable<ApiPage<Item>>): Promise<Item> {
  for await (const { items } of pages) for (const item of items) return item;
  throw new Error('The list is empty.');
}

interface Row {
  /** Does it, and gives what is to be looked at. */
  readonly well: (client: Client) => Promise<unknown>;
  /** What the result must be like. */
  readonly like: unknown;
  /** Conditions of each error, besides 401, 429 and the server's own, which any call meets. */
  readonly scoped?: false;
  readonly denied?: readonly [Who, ((client: Client) => Promise<unknown>)?];
  readonly gone?: (client: Client) => Promise<unknown>;
  readonly invalid?: (client: Client) => Promise<unknown>;
  readonly exists?: (client: Client) => Promise<unknown>;
}

/** One record: read, as sent, and when. */
const foundWith = (fields: object): unknown => ({
  value: expect.objectContaining(fields),
  record: expect.objectContaining(fields),
  observed: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000000Z$/),
});
const beneath = (family: string): object => ({ uri: expect.stringContaining(`/${family}/`) });
const found = (family: string): unknown => foundWith(beneath(family));
const some = (family: string): unknown => expect.arrayContaining([expect.objectContaining(beneath(family))]);

type Listing = (client: Client, options?: PageOptions) => AsyncGenerator<ApiPage<unknown>>;

/** Lists fail alike: a token of another list is not valid. */
function listed(list: Listing, like: unknown, more: Partial<Row> = {}): Row {
  return {
    well: (client) => allOf(list(client)),
    like,
    invalid: (client) => allOf(list(client, { from: 'no-such-token' })),
    ...more,
  };
}

const h = () => sandbox.handles;
const hook = () => ({
  url: `http://127.0.0.1:9/${(made += 1)}`,
  events: ['contact.created' as const],
  organization: h().organization,
  scope: 'organization' as const,
});
const ours = { organization: () => h().organization };
const booking = () => desk.request() as Parameters<typeof bookings.createInvitee>[1];
const someContact = (client: Client) => contacts.createContact(client, { emails: [{ email: emailOf('ada') }] });
const someHook = (client: Client) => subscriptions.createWebhookSubscription(client, hook());
const someInvitation = (client: Client) =>
  invitations.inviteToOrganization(client, { organization: h().organization, email: emailOf('new') });
const someEvent = (client: Client) => first(bookings.listScheduledEvents(client, { organization: h().organization }));
const someRecap = (client: Client) => first(recaps.listMeetingRecaps(client, { user: h().users.owner }));
const someForm = (client: Client) => first(forms.listRoutingForms(client, { organization: h().organization }));
const someSubmission = async (client: Client) => {
  await sandbox.control('POST', '/routing_form_submissions', {});
  return first(forms.listRoutingFormSubmissions(client, { form: (await someForm(client)).uri }));
};
const unknownField = { custom_fields: [{ uuid: strange, value: 'x' }] };

const rows: Readonly<Record<string, Row>> = {
  getCurrentUser: { well: users.getCurrentUser, like: found('users'), scoped: false },
  getUser: {
    well: (client) => users.getUser(client, h().users.member),
    like: found('users'),
    scoped: false,
    denied: ['enterprise'],
    gone: (client) => users.getUser(client, never('users')),
  },
  listOrganizationMemberships: listed(
    (client, options) => users.listOrganizationMemberships(client, { organization: ours.organization() }, options),
    some('organization_memberships'),
    { scoped: false, denied: ['member'] },
  ),
  getOrganizationMembership: {
    well: async (client) =>
      users.getOrganizationMembership(
        client,
        (await first(users.listOrganizationMemberships(client, { organization: h().organization }))).uri,
      ),
    like: found('organization_memberships'),
    scoped: false,
    gone: (client) => users.getOrganizationMembership(client, never('organization_memberships')),
  },
  listGroups: listed(
    (client, options) => users.listGroups(client, { organization: h().organization }, options),
    some('groups'),
    { denied: ['enterprise'] },
  ),
  getGroup: {
    well: (client) => users.getGroup(client, h().group),
    like: found('groups'),
    denied: ['enterprise'],
    gone: (client) => users.getGroup(client, never('groups')),
  },
  inviteToOrganization: {
    well: someInvitation,
    like: foundWith({ status: 'pending' }),
    denied: ['member'],
    invalid: (client) => {
      const email = emailOf('twice');
      const again = () => invitations.inviteToOrganization(client, { organization: h().organization, email });
      return again().then(again);
    },
    gone: (client) =>
      invitations.inviteToOrganization(client, { organization: never('organizations'), email: emailOf('new') }),
  },
  listInvitations: listed(
    (client, options) => invitations.listInvitations(client, { organization: h().organization }, options),
    some('invitations'),
    { denied: ['member'] },
  ),
  getInvitation: {
    well: async (client) => invitations.getInvitation(client, (await someInvitation(client)).value.uri),
    like: found('invitations'),
    gone: (client) => invitations.getInvitation(client, `${h().organization}/invitations/${strange}`),
  },
  listContacts: listed((client, options) => contacts.listContacts(client, {}, options), some('contacts'), {
    denied: ['free_plan'],
  }),
  getContact: {
    well: async (client) => contacts.getContact(client, (await first(contacts.listContacts(client))).uri),
    like: found('contacts'),
    gone: (client) => contacts.getContact(client, never('contacts')),
  },
  createContact: {
    well: someContact,
    like: found('contacts'),
    denied: ['free_plan'],
    invalid: (client) => contacts.createContact(client, { emails: [{ email: emailOf('a') }], ...unknownField }),
  },
  updateContact: {
    well: async (client) =>
      contacts.updateContact(client, { uri: (await someContact(client)).value.uri, changes: { company: 'Other' } }),
    like: foundWith({ company: 'Other' }),
    gone: (client) => contacts.updateContact(client, { uri: never('contacts'), changes: {} }),
    invalid: async (client) =>
      contacts.updateContact(client, { uri: (await someContact(client)).value.uri, changes: unknownField }),
  },
  deleteContact: {
    well: async (client) => contacts.deleteContact(client, (await someContact(client)).value.uri),
    like: undefined,
    gone: (client) => contacts.deleteContact(client, never('contacts')),
  },
  listCustomFieldDefinitions: listed(
    (client, options) => contacts.listCustomFieldDefinitions(client, {}, options),
    some('custom_field_definitions'),
    { denied: ['free_plan'] },
  ),
  getCustomFieldDefinition: {
    well: async (client) =>
      contacts.getCustomFieldDefinition(client, (await first(contacts.listCustomFieldDefinitions(client))).uri),
    like: found('custom_field_definitions'),
    gone: (client) => contacts.getCustomFieldDefinition(client, never('contacts/custom_field_definitions')),
  },
  createWebhookSubscription: {
    well: someHook,
    like: foundWith({ state: 'active' }),
    denied: ['member'],
    invalid: (client) => subscriptions.createWebhookSubscription(client, { ...hook(), events: ['event_type.created'] }),
    gone: (client) =>
      subscriptions.createWebhookSubscription(client, { ...hook(), organization: never('organizations') }),
    exists: async (client) => {
      const twice = hook();
      await subscriptions.createWebhookSubscription(client, twice);
      return subscriptions.createWebhookSubscription(client, twice);
    },
  },
  listWebhookSubscriptions: listed(
    (client, options) =>
      subscriptions.listWebhookSubscriptions(
        client,
        { organization: h().organization, scope: 'organization' },
        options,
      ),
    some('webhook_subscriptions'),
    { denied: ['member'] },
  ),
  getWebhookSubscription: {
    well: async (client) => subscriptions.getWebhookSubscription(client, (await someHook(client)).value.uri),
    like: found('webhook_subscriptions'),
    gone: (client) => subscriptions.getWebhookSubscription(client, never('webhook_subscriptions')),
  },
  deleteWebhookSubscription: {
    well: async (client) => subscriptions.deleteWebhookSubscription(client, (await someHook(client)).value.uri),
    like: undefined,
    gone: (client) => subscriptions.deleteWebhookSubscription(client, never('webhook_subscriptions')),
  },
  createInvitee: {
    well: (client) => bookings.createInvitee(client, booking()),
    like: foundWith({ status: 'active' }),
    denied: ['enterprise'],
    invalid: (client) => bookings.createInvitee(client, { ...booking(), start_time: '2020-01-01T00:00:00Z' }),
    gone: (client) => bookings.createInvitee(client, { ...booking(), event_type: never('event_types') }),
  },
  listScheduledEvents: listed(
    (client, options) => bookings.listScheduledEvents(client, { organization: h().organization }, options),
    some('scheduled_events'),
    { denied: ['member'] },
  ),
  getScheduledEvent: {
    well: async (client) => bookings.getScheduledEvent(client, (await someEvent(client)).uri),
    like: found('scheduled_events'),
    gone: (client) => bookings.getScheduledEvent(client, never('scheduled_events')),
  },
  listEventInvitees: {
    well: async (client) => allOf(bookings.listEventInvitees(client, { event: (await someEvent(client)).uri })),
    like: some('invitees'),
    gone: (client) => allOf(bookings.listEventInvitees(client, { event: never('scheduled_events') })),
  },
  getInvitee: {
    well: async (client) => {
      const event = (await someEvent(client)).uri;
      return bookings.getInvitee(client, (await first(bookings.listEventInvitees(client, { event }))).uri);
    },
    like: found('invitees'),
    gone: (client) => bookings.getInvitee(client, never(`scheduled_events/${strange}/invitees`)),
  },
  listEventTypes: listed(
    (client, options) => eventTypes.listEventTypes(client, { organization: h().organization }, options),
    some('event_types'),
    { denied: ['enterprise'] },
  ),
  getEventType: {
    well: (client) => eventTypes.getEventType(client, h().event_types.solo),
    like: found('event_types'),
    denied: ['enterprise'],
    gone: (client) => eventTypes.getEventType(client, never('event_types')),
  },
  listAvailableTimes: {
    well: (client) => allOf(eventTypes.listAvailableTimes(client, comingDays(14))),
    like: expect.arrayContaining([expect.objectContaining({ status: 'available' })]),
    invalid: (client) => allOf(eventTypes.listAvailableTimes(client, comingDays(32))),
    gone: (client) =>
      allOf(eventTypes.listAvailableTimes(client, { ...comingDays(14), event_type: never('event_types') })),
  },
  listMeetingRecaps: listed(
    (client, options) => recaps.listMeetingRecaps(client, { user: h().users.owner }, options),
    some('meeting_recaps'),
    { denied: ['member'] },
  ),
  getMeetingRecap: {
    well: async (client) => recaps.getMeetingRecap(client, (await someRecap(client)).uri),
    like: found('meeting_recaps'),
    gone: (client) => recaps.getMeetingRecap(client, never('meeting_recaps')),
  },
  updateMeetingRecap: {
    well: async (client) =>
      recaps.updateMeetingRecap(client, { uri: (await someRecap(client)).uri, changes: { summary_md: 'Shorter.' } }),
    like: foundWith({ summary_md: 'Shorter.' }),
    gone: (client) =>
      recaps.updateMeetingRecap(client, { uri: never('meeting_recaps'), changes: { summary_md: null } }),
  },
  getTranscript: {
    well: async (client) => recaps.getTranscript(client, (await someRecap(client)).uri),
    like: foundWith({ segments: expect.arrayContaining([expect.objectContaining({ speaker: expect.any(String) })]) }),
    gone: (client) => recaps.getTranscript(client, never('meeting_recaps')),
  },
  deleteMeetingRecap: {
    well: async (client) => recaps.deleteMeetingRecap(client, (await someRecap(client)).uri),
    like: undefined,
    gone: (client) => recaps.deleteMeetingRecap(client, never('meeting_recaps')),
  },
  listRoutingForms: listed(
    (client, options) => forms.listRoutingForms(client, { organization: h().organization }, options),
    some('routing_forms'),
    { denied: ['member'] },
  ),
  getRoutingForm: {
    well: async (client) => forms.getRoutingForm(client, (await someForm(client)).uri),
    like: found('routing_forms'),
    denied: ['member', (client) => forms.getRoutingForm(client, never('routing_forms'))],
    gone: (client) => forms.getRoutingForm(client, never('routing_forms')),
  },
  listRoutingFormSubmissions: {
    well: async (client) => {
      await someSubmission(client);
      return allOf(forms.listRoutingFormSubmissions(client, { form: (await someForm(client)).uri }));
    },
    like: some('routing_form_submissions'),
    gone: (client) => allOf(forms.listRoutingFormSubmissions(client, { form: never('routing_forms') })),
  },
  getRoutingFormSubmission: {
    well: async (client) => forms.getRoutingFormSubmission(client, (await someSubmission(client)).uri),
    like: found('routing_form_submissions'),
    gone: (client) => forms.getRoutingFormSubmission(client, never('routing_form_submissions')),
  },
};

function comingDays(days: number) {
  const fromMs = sandbox.service.clock.nowMs() + 3_600_000;
  return {
    event_type: h().event_types.solo,
    start_time: new Date(fromMs).toISOString(),
    end_time: new Date(fromMs + days * 86_400_000).toISOString(),
  };
}

async function refusal(run: () => Promise<unknown>): Promise<ApiError> {
  const error = await failureOf(run);
  if (!(error instanceof ApiError)) throw error;
  expect(error.message).toMatch(/^(GET|POST|PATCH|DELETE) \/\S+: the service answered \d{3} /);
  expect(error.hint).toMatch(/\w/);
  expect(error.message + error.hint).not.toContain('pat_');
  return error;
}

type Run = (client: Client) => Promise<unknown>;

/** A call of its own, whatever the row needs first: one that ends in a 404 is as good as any to be stopped before. */
const anyCall = (row: Row): Run => row.gone ?? row.invalid ?? row.well;
const all = Object.entries(rows);
const having = (condition: 'gone' | 'invalid' | 'exists'): [string, Run][] =>
  all.flatMap(([name, row]): [string, Run][] => {
    const run = row[condition];
    return run === undefined ? [] : [[name, run]];
  });

describe('each function', () => {
  it.each(all)('%s works', async (_, { well, like }) => {
    const result: unknown = await well(as('owner'));
    expect(like === undefined ? [result] : result).toEqual(like === undefined ? [undefined] : like);
  });

  it.each(all)('%s tells 401 from the rest', async (_, row) => {
    const nobody = clientOf(h().base_url, { as: 'pat_of_nobody' });
    const error = await refusal(() => anyCall(row)(nobody));
    expect(error).toMatchObject({ status: 401, code: 'refused', isTransient: false });
  });

  it.each(all.filter(([, row]) => row.scoped !== false))('%s names the scope that is missing', async (_, row) => {
    const error = await refusal(() => anyCall(row)(as('no_scopes')));
    expect(error).toMatchObject({ status: 403, title: 'Insufficient scope', isTransient: false });
    expect(error.requiredScopes).toHaveLength(1);
    expect(error.hint).toContain(error.requiredScopes[0]);
  });

  it.each(all.flatMap(([name, row]) => (row.denied === undefined ? [] : [[name, row, row.denied] as const])))(
    '%s tells that permission is denied',
    async (_, row, [who, run = row.well]) => {
      const error = await refusal(() => run(as(who)));
      expect(error).toMatchObject({ status: 403, title: 'Permission Denied', requiredScopes: [], isTransient: false });
      expect(error.apiMessage).toMatch(/\w/);
    },
  );

  it.each(having('gone'))('%s tells what is not there', async (_, run) => {
    const error = await refusal(() => run(as('owner')));
    expect(error).toMatchObject({ status: 404, code: 'not_found', isTransient: false });
    expect(error.observed).toMatch(/\.000000Z$/);
  });

  it.each(having('invalid'))('%s tells what is not valid', async (name, run) => {
    const error = await refusal(() => run(as('owner')));
    expect(error).toMatchObject({ status: 400, isTransient: false });
    expect(error.details.length).toBeGreaterThan(0);
    expect(isExpiredToken(error)).toBe(name.startsWith('list') && name !== 'listAvailableTimes');
  });

  it.each(having('exists'))('%s tells what exists already', async (_, run) => {
    expect(await refusal(() => run(as('owner')))).toMatchObject({ status: 409, code: 'refused' });
  });

  it.each(all)('%s asks again when there are too many calls, and tells it when that does not end', async (_, row) => {
    await sandbox.control('POST', '/faults', { rate_limit: 1 });
    const time = pausedTime();
    const client = clientOf(h().base_url, { as: h().tokens.owner, ...time, patience: patiences.ordinary });
    expect(await refusal(() => anyCall(row)(client))).toMatchObject({ status: 429, isTransient: true });
    expect(time.pauses.length).toBeGreaterThan(2);
  });

  it.each(all)('%s tells a failure of the service', async (name, row) => {
    await sandbox.control('POST', '/faults', { status: 1 });
    const error = await refusal(() => anyCall(row)(as('owner')));
    expect(error.status).toBe(name === 'createWebhookSubscription' ? 503 : 500);
    const isCreate = ['createInvitee', 'createContact', 'inviteToOrganization'].includes(name);
    expect(error).toMatchObject({ isTransient: !isCreate, code: isCreate ? 'unknown_outcome' : 'service_unavailable' });
  });
});

describe('the table above', () => {
  it('has every function that the endpoints export', () => {
    const families = [bookings, contacts, eventTypes, invitations, recaps, forms, users, subscriptions];
    expect(Object.keys(rows).toSorted()).toEqual(families.flatMap((family) => Object.keys(family)).toSorted());
  });

  it('meets every status documented for an endpoint', () => {
    const conditions = { 400: 'invalid', 403: 'denied', 404: 'gone', 409: 'exists' } as const;
    const documented = {
      inviteToOrganization: documentedStatuses['POST /organizations/<uuid>/invitations'],
      // A list of everything one may see has nothing that could be missing.
      listContacts: documentedStatuses['GET /contacts'].filter((status) => status !== 404),
      createWebhookSubscription: documentedStatuses['POST /webhook_subscriptions'],
      createInvitee: documentedStatuses['POST /invitees'],
    };
    for (const [name, statuses] of Object.entries(documented))
      for (const status of statuses)
        if (status in conditions) expect(rows[name]).toHaveProperty(conditions[status as 400]);
  });
});

// Every endpoint function against the sandbox: once for success, and once for each error documented for it.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { documentedStatuses } from '#schemas/errors.ts';
import { ApiError, isExpiredToken } from '#src/upstream/api-error.ts';
import type { Client } from '#src/upstream/client.ts';
import { retryBudgets } from '#src/upstream/retry-budgets.ts';
import * as endpoints from '#src/upstream/endpoints.ts';
import type { ApiPage, PageOptions } from '#src/upstream/pages.ts';
import { openTestSandbox, type TestSandbox } from '../../harness/sandbox.ts';
import { allOf, clientOf, failureOf, pausedTime } from '../../harness/sandbox/api-clients.ts';

let sandbox: TestSandbox;
let made = 0;
beforeAll(async () => {
  sandbox = await openTestSandbox({ rateLimits: false });
  await someHook(as('owner'));
});
afterAll(() => sandbox[Symbol.asyncDispose]());
beforeEach(async () => void (await sandbox.control('POST', '/faults', {})));

const openClient = (bent: Parameters<typeof clientOf>[1]): Client =>
  clientOf(sandbox.handles.base_url, { fetch: sandbox.fetch, ...bent });
type Who = keyof TestSandbox['handles']['tokens'];
const as = (who: Who): Client => openClient({ as: sandbox.handles.tokens[who], retryBudget: retryBudgets.short });

/** The URI of a record that never existed. */
const unknownId = '00000000-0000-4000-8000-000000000000';
const never = (family: string): string => `${sandbox.handles.base_url}/${family}/${unknownId}`;

async function first<Item>(pages: AsyncIterable<ApiPage<Item>>): Promise<Item> {
  for await (const { items } of pages) for (const item of items) return item;
  throw new Error('The list is empty.');
}

interface Row {
  /** Makes the call and returns the result. */
  readonly well: (client: Client) => Promise<unknown>;
  /** The expected result. */
  readonly like: unknown;
  /** Conditions of each error, besides 401, 429 and server errors, which any call can meet. */
  readonly scoped?: false;
  readonly denied?: readonly [Who, ((client: Client) => Promise<unknown>)?];
  readonly gone?: (client: Client) => Promise<unknown>;
  readonly invalid?: (client: Client) => Promise<unknown>;
  readonly exists?: (client: Client) => Promise<unknown>;
}

/** One record: parsed, as sent, and when. */
const foundWith = (fields: object): unknown => ({
  value: expect.objectContaining(fields),
  record: expect.objectContaining(fields),
  observed: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000000Z$/),
});
const beneath = (family: string): object => ({ uri: expect.stringContaining(`/${family}/`) });
const found = (family: string): unknown => foundWith(beneath(family));
const some = (family: string): unknown => expect.arrayContaining([expect.objectContaining(beneath(family))]);

type Listing = (client: Client, options?: PageOptions) => AsyncGenerator<ApiPage<unknown>>;

/** All lists reject a token of another list. */
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
const someHook = (client: Client) => endpoints.createWebhookSubscription(client, hook());
const someEvent = (client: Client) => first(endpoints.listScheduledEvents(client, { organization: h().organization }));
const someRecap = (client: Client) => first(endpoints.listMeetingRecaps(client, { user: h().users.owner }));
const someForm = (client: Client) => first(endpoints.listRoutingForms(client, { organization: h().organization }));

/** An invitee of a meeting that has begun, without a mark. */
async function unmarked(client: Client): Promise<string> {
  for await (const { items } of endpoints.listScheduledEvents(client, { organization: h().organization }))
    for (const { uri, start_time } of items)
      if (Date.parse(start_time ?? '') < Date.now())
        for (const one of await allOf(endpoints.listEventInvitees(client, uri)))
          if (one.status === 'active' && !one.no_show) return one.uri;
  throw new Error('Everybody is marked.');
}
const mark = async (client: Client) => endpoints.createInviteeNoShow(client, await unmarked(client));
const neverInvited = () => never(`scheduled_events/${unknownId}/invitees`);

const rows: Readonly<Record<string, Row>> = {
  getInvitee: {
    well: async (client) => endpoints.getInvitee(client, await unmarked(client)),
    like: found('invitees'),
    gone: (client) => endpoints.getInvitee(client, neverInvited()),
  },
  createInviteeNoShow: {
    well: mark,
    like: found('invitee_no_shows'),
    gone: (client) => endpoints.createInviteeNoShow(client, neverInvited()),
  },
  deleteInviteeNoShow: {
    well: async (client) => endpoints.deleteInviteeNoShow(client, (await mark(client)).value.uri),
    like: expect.stringMatching(/Z$/),
    gone: (client) => endpoints.deleteInviteeNoShow(client, never('invitee_no_shows')),
  },
  getCurrentUser: { well: endpoints.getCurrentUser, like: found('users'), scoped: false },
  getUser: {
    well: (client) => endpoints.getUser(client, h().users.member),
    like: found('users'),
    scoped: false,
    denied: ['enterprise'],
    gone: (client) => endpoints.getUser(client, never('users')),
  },
  listOrganizationMemberships: listed(
    (client, options) => endpoints.listOrganizationMemberships(client, { organization: ours.organization() }, options),
    some('organization_memberships'),
    { scoped: false, denied: ['member'] },
  ),
  listContacts: listed((client, options) => endpoints.listContacts(client, {}, options), some('contacts'), {
    denied: ['free_plan'],
  }),
  getContact: {
    well: async (client) => endpoints.getContact(client, (await first(endpoints.listContacts(client, {}))).uri),
    like: found('contacts'),
    gone: (client) => endpoints.getContact(client, never('contacts')),
  },
  getOrganizationMembership: {
    well: async (client) => {
      const organization = ours.organization();
      const { uri } = await first(endpoints.listOrganizationMemberships(client, { organization }));
      return endpoints.getOrganizationMembership(client, uri);
    },
    like: found('organization_memberships'),
    scoped: false,
    gone: (client) => endpoints.getOrganizationMembership(client, never('organization_memberships')),
  },
  getCustomFieldDefinition: {
    well: async (client) => {
      const { uri } = await first(endpoints.listCustomFieldDefinitions(client, {}));
      return endpoints.getCustomFieldDefinition(client, uri);
    },
    like: found('custom_field_definitions'),
    gone: (client) => endpoints.getCustomFieldDefinition(client, never('contacts/custom_field_definitions')),
  },
  getRoutingForm: {
    well: async (client) => endpoints.getRoutingForm(client, (await someForm(client)).uri),
    like: found('routing_forms'),
    denied: ['member'],
    gone: (client) => endpoints.getRoutingForm(client, never('routing_forms')),
  },
  listCustomFieldDefinitions: listed(
    (client, options) => endpoints.listCustomFieldDefinitions(client, {}, options),
    some('custom_field_definitions'),
    { denied: ['free_plan'] },
  ),
  createWebhookSubscription: {
    well: someHook,
    like: foundWith({ state: 'active' }),
    denied: ['member'],
    invalid: (client) => endpoints.createWebhookSubscription(client, { ...hook(), events: ['event_type.created'] }),
    gone: (client) => endpoints.createWebhookSubscription(client, { ...hook(), organization: never('organizations') }),
    exists: async (client) => {
      const twice = hook();
      await endpoints.createWebhookSubscription(client, twice);
      return endpoints.createWebhookSubscription(client, twice);
    },
  },
  listWebhookSubscriptions: listed(
    (client, options) =>
      endpoints.listWebhookSubscriptions(client, { organization: h().organization, scope: 'organization' }, options),
    some('webhook_subscriptions'),
    { denied: ['member'] },
  ),
  deleteWebhookSubscription: {
    well: async (client) => endpoints.deleteWebhookSubscription(client, (await someHook(client)).value.uri),
    like: undefined,
    gone: (client) => endpoints.deleteWebhookSubscription(client, never('webhook_subscriptions')),
  },
  listScheduledEvents: listed(
    (client, options) => endpoints.listScheduledEvents(client, { organization: h().organization }, options),
    some('scheduled_events'),
    { denied: ['member'] },
  ),
  getScheduledEvent: {
    well: async (client) => endpoints.getScheduledEvent(client, (await someEvent(client)).uri),
    like: found('scheduled_events'),
    gone: (client) => endpoints.getScheduledEvent(client, never('scheduled_events')),
  },
  listEventInvitees: {
    well: async (client) => allOf(endpoints.listEventInvitees(client, (await someEvent(client)).uri)),
    like: some('invitees'),
    gone: (client) => allOf(endpoints.listEventInvitees(client, never('scheduled_events'))),
  },
  listEventTypes: listed(
    (client, options) => endpoints.listEventTypes(client, { organization: h().organization }, options),
    some('event_types'),
    { denied: ['enterprise'] },
  ),
  getEventType: {
    well: (client) => endpoints.getEventType(client, h().event_types.solo),
    like: found('event_types'),
    denied: ['enterprise'],
    gone: (client) => endpoints.getEventType(client, never('event_types')),
  },
  listMeetingRecaps: listed(
    (client, options) => endpoints.listMeetingRecaps(client, { user: h().users.owner }, options),
    some('meeting_recaps'),
    { denied: ['member'] },
  ),
  getTranscript: {
    well: async (client) => endpoints.getTranscript(client, (await someRecap(client)).uri),
    like: foundWith({ language: 'en' }),
    gone: (client) => endpoints.getTranscript(client, never('meeting_recaps')),
  },
  getMeetingRecap: {
    well: async (client) => endpoints.getMeetingRecap(client, (await someRecap(client)).uri),
    like: found('meeting_recaps'),
    gone: (client) => endpoints.getMeetingRecap(client, never('meeting_recaps')),
  },
  listRoutingForms: listed(
    (client, options) => endpoints.listRoutingForms(client, { organization: h().organization }, options),
    some('routing_forms'),
    { denied: ['member'] },
  ),
  listRoutingFormSubmissions: {
    well: async (client) => {
      await sandbox.control('POST', '/routing_form_submissions', {});
      return allOf(endpoints.listRoutingFormSubmissions(client, { form: (await someForm(client)).uri }));
    },
    like: some('routing_form_submissions'),
    gone: (client) => allOf(endpoints.listRoutingFormSubmissions(client, { form: never('routing_forms') })),
  },
};

async function errorOf(run: () => Promise<unknown>): Promise<ApiError> {
  const error = await failureOf(run);
  if (!(error instanceof ApiError)) throw error;
  expect(error.message).toMatch(/^(GET|POST|PATCH|DELETE) \/\S+: the service answered \d{3} /);
  expect(error.hint).toMatch(/\w/);
  expect(error.message + error.hint).not.toContain('pat_');
  return error;
}

type Run = (client: Client) => Promise<unknown>;

/** A call that needs no preparation: one that would end in a 404 is as good as any. */
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

  it.each(all)('%s reports a rejected token (401)', async (_, row) => {
    const stranger = openClient({ as: 'pat_unknown' });
    const error = await errorOf(() => anyCall(row)(stranger));
    expect(error).toMatchObject({ status: 401, code: 'refused', isTransient: false });
  });

  it.each(all.filter(([, row]) => row.scoped !== false))('%s names the missing scope', async (_, row) => {
    const error = await errorOf(() => anyCall(row)(as('no_scopes')));
    expect(error).toMatchObject({ status: 403, title: 'Insufficient scope', isTransient: false });
    expect(error.requiredScopes).toHaveLength(1);
    expect(error.hint).toContain(error.requiredScopes[0]);
  });

  it.each(all.flatMap(([name, row]) => (row.denied === undefined ? [] : [[name, row, row.denied] as const])))(
    '%s reports a denied permission',
    async (_, row, [who, run = row.well]) => {
      const error = await errorOf(() => run(as(who)));
      expect(error).toMatchObject({ status: 403, title: 'Permission Denied', requiredScopes: [], isTransient: false });
      expect(error.apiMessage).toMatch(/\w/);
    },
  );

  it.each(having('gone'))('%s reports a missing record', async (_, run) => {
    const error = await errorOf(() => run(as('owner')));
    expect(error).toMatchObject({ status: 404, code: 'not_found', isTransient: false });
    expect(error.observed).toMatch(/\.000000Z$/);
  });

  it.each(having('invalid'))('%s reports an invalid request', async (name, run) => {
    const error = await errorOf(() => run(as('owner')));
    expect(error).toMatchObject({ status: 400, isTransient: false });
    expect(error.details.length).toBeGreaterThan(0);
    expect(isExpiredToken(error)).toBe(name.startsWith('list'));
  });

  it.each(having('exists'))('%s reports a conflict', async (_, run) => {
    expect(await errorOf(() => run(as('owner')))).toMatchObject({ status: 409, code: 'refused' });
  });

  it.each(all)('%s retries when the rate is limited, and reports it when that does not end', async (_, row) => {
    await sandbox.control('POST', '/faults', { rate_limit: 1 });
    const time = pausedTime();
    const client = openClient({ as: h().tokens.owner, ...time, retryBudget: retryBudgets.ordinary });
    expect(await errorOf(() => anyCall(row)(client))).toMatchObject({ status: 429, isTransient: true });
    expect(time.pauses.length).toBeGreaterThan(2);
  });

  it.each(all)('%s reports a failure of the service', async (name, row) => {
    await sandbox.control('POST', '/faults', { status: 1 });
    const error = await errorOf(() => anyCall(row)(as('owner')));
    expect(error.status).toBe(name === 'createWebhookSubscription' ? 503 : 500);
    expect(error).toMatchObject({ isTransient: true, code: 'service_unavailable' });
  });
});

describe('the table of calls', () => {
  it('has every function that the endpoints export', () => {
    expect(Object.keys(rows).toSorted()).toEqual(Object.keys(endpoints).toSorted());
  });

  it('covers every status documented for an endpoint', () => {
    const conditions = { 400: 'invalid', 403: 'denied', 404: 'gone', 409: 'exists' } as const;
    const documented = {
      // A list of everything visible has nothing that could be missing.
      listContacts: documentedStatuses['GET /contacts'].filter((status) => status !== 404),
      createWebhookSubscription: documentedStatuses['POST /webhook_subscriptions'],
    };
    for (const [name, statuses] of Object.entries(documented))
      for (const status of statuses)
        if (status in conditions) expect(rows[name]).toHaveProperty(conditions[status as 400]);
  });
});

// Each documented error of the service once, against the sandbox. What the endpoints answer is in test/workers/sync and test/src/subscriptions.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiError, isExpiredToken } from '#src/upstream/api-error.ts';
import type { Client } from '#src/upstream/client.ts';
import { retryBudgets } from '#src/upstream/retry-budgets.ts';
import * as endpoints from '#src/upstream/endpoints.ts';
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

const h = () => sandbox.handles;
const ours = () => ({ organization: h().organization });
const hook = () => ({
  url: `http://127.0.0.1:9/${(made += 1)}`,
  events: ['contact.created' as const],
  ...ours(),
  scope: 'organization' as const,
});
const someHook = (client: Client) => endpoints.createWebhookSubscription(client, hook());
type Run = (client: Client) => Promise<unknown>;

async function errorOf(client: Client, run: Run): Promise<ApiError> {
  const error = await failureOf(() => run(client));
  if (!(error instanceof ApiError)) throw error;
  expect(error.message).toMatch(/^(GET|POST|PATCH|DELETE) \/\S+: the service answered \d{3} /);
  expect(error.hint).toMatch(/\w/);
  expect(error.message + error.hint).not.toContain('pat_');
  return error;
}

describe('an error of the service', () => {
  const getUser: Run = (client) => endpoints.getUser(client, h().users.member);
  const listEvents: Run = (client) => allOf(endpoints.listScheduledEvents(client, ours()));

  it('says that the token is rejected (401), with no scope for the call (403), or for no such role (403)', async () => {
    const stranger = await errorOf(openClient({ as: 'pat_unknown' }), getUser);
    expect(stranger).toMatchObject({ status: 401, code: 'refused', isTransient: false });
    const unscoped = await errorOf(as('no_scopes'), listEvents);
    expect(unscoped).toMatchObject({ status: 403, title: 'Insufficient scope', isTransient: false });
    expect(unscoped.requiredScopes).toEqual(['scheduled_events:read']);
    expect(unscoped.hint).toContain('scheduled_events:read');
    const denied = await errorOf(as('member'), listEvents);
    expect(denied).toMatchObject({ status: 403, title: 'Permission Denied', requiredScopes: [], isTransient: false });
    expect(denied.apiMessage).toMatch(/\w/);
  });

  it('says that the record is missing (404), and when that was', async () => {
    const { base_url } = h();
    const never = `${base_url}/users/00000000-0000-4000-8000-000000000000`;
    const error = await errorOf(as('owner'), (client) => endpoints.getUser(client, never));
    expect(error).toMatchObject({ status: 404, code: 'not_found', isTransient: false });
    expect(error.observed).toMatch(/\.000000Z$/);
  });

  it('says that the request is invalid (400), and tells the token of another list from other mistakes', async () => {
    const unknownPage: Run = (client) => allOf(endpoints.listContacts(client, {}, { from: 'no-such-token' }));
    const wrongEvent: Run = (client) =>
      endpoints.createWebhookSubscription(client, { ...hook(), events: ['event_type.created'] });
    for (const [run, isToken] of [[unknownPage, true] as const, [wrongEvent, false] as const]) {
      const error = await errorOf(as('owner'), run);
      expect(error).toMatchObject({ status: 400, isTransient: false });
      expect([error.details.length > 0, isExpiredToken(error)]).toEqual([true, isToken]);
    }
  });

  it('says that there is one already (409)', async () => {
    const twice = hook();
    const create: Run = (client) => endpoints.createWebhookSubscription(client, twice);
    await create(as('owner'));
    expect(await errorOf(as('owner'), create)).toMatchObject({ status: 409, code: 'refused' });
  });

  it('is reported when a limit of the rate does not end (429)', async () => {
    await sandbox.control('POST', '/faults', { rate_limit: 1 });
    const time = pausedTime();
    const client = openClient({ as: h().tokens.owner, ...time, retryBudget: retryBudgets.ordinary });
    expect(await errorOf(client, getUser)).toMatchObject({ status: 429, isTransient: true });
    expect(time.pauses.length).toBeGreaterThan(2);
  });

  it('is that of the service itself (500 and 503)', async () => {
    await sandbox.control('POST', '/faults', { status: 1 });
    const failed = { isTransient: true, code: 'service_unavailable' };
    expect(await errorOf(as('owner'), getUser)).toMatchObject({ status: 500, ...failed });
    expect(await errorOf(as('owner'), someHook)).toMatchObject({ status: 503, ...failed });
  });
});

// Bootstrap against the service as it really behaves: refusals, races, outages.
import { beforeEach, describe, expect, it } from 'vitest';
import { isComplete, type StepResult } from '#src/subscriptions/apply.ts';
import { describeRefusals, describeResult } from '#src/subscriptions/describe.ts';
import { openedOnce } from '../../harness/opened.ts';
import {
  answering,
  everyScope,
  openBootstrapper,
  registered,
  subscriptionsIn,
} from '../../harness/sandbox/bootstrapper.ts';
import { openTestSandbox } from '../../harness/sandbox.ts';

const sandbox = openedOnce(() => openTestSandbox({ contacts: 1, bookings: 1, rateLimits: false }));
beforeEach(async () => {
  for (const { uri } of stored()) sandbox.service.state.subscriptions.delete(uri);
  Object.assign(sandbox.service.options, { eventTypes: false });
  await sandbox.control('POST', '/faults', {});
});

const [contacts, bookings, submissions, recaps] = registered as [string, string, string, string];
const kindsOf = (results: readonly StepResult[]): readonly string[] => results.map(({ kind }) => kind);
const stored = () => [...sandbox.service.state.subscriptions.values()];

const refusalsIn = (results: readonly StepResult[]) =>
  results.flatMap((result) => (result.kind === 'refused' ? [result.refusal] : []));

describe('bootstrap', () => {
  it('tries a refused `event_type.*` again, and registers it once the service accepts it', async () => {
    const bootstrapper = openBootstrapper(sandbox);
    await bootstrapper.apply();
    Object.assign(sandbox.service.options, { eventTypes: true });
    const { results } = await bootstrapper.apply();
    expect(kindsOf(results).slice(-2)).toEqual(['unchanged', 'created']);
    expect(bootstrapper.refused).toEqual([]);
    const eventTypes = 'organization active event_type';
    expect(subscriptionsIn(sandbox)).toEqual([contacts, eventTypes, bookings, submissions, recaps]);
  });

  it('registers recaps of every user who logged in, with their own token', async () => {
    const { users } = sandbox.handles;
    const own = (user: string) => sandbox.tokens.personal(`login-${user.slice(-12)}`, { user, scopes: everyScope });
    const logins = { [users.admin]: own(users.admin), [users.member]: own(users.member) };
    const bootstrapper = openBootstrapper(sandbox, { logins });
    const { results } = await bootstrapper.apply();
    const owners = stored().filter(({ scope }) => scope === 'user');
    expect(owners.map(({ user }) => user).toSorted()).toEqual([users.owner, users.admin, users.member].toSorted());
    expect(owners.every(({ user, creator }) => user === creator)).toBe(true);
    expect(refusalsIn(results).map(({ desired }) => desired.family)).toEqual(['event-type']);
    expect((await bootstrapper.plan()).members).toBe(5);
  });

  it('continues without the recaps of a user whose login has expired, changes nothing of theirs, and reports it', async () => {
    const { users } = sandbox.handles;
    const token = sandbox.tokens.personal('login', { user: users.member, scopes: everyScope });
    const bootstrapper = openBootstrapper(sandbox, { logins: { [users.member]: token } });
    await bootstrapper.apply();
    sandbox.tokens.revoke(token);
    const before = stored();
    const { unlisted } = await bootstrapper.plan({ prune: true });
    expect(unlisted.map(({ owner, isLoginExpired }) => [owner.uri, isLoginExpired])).toEqual([[users.member, true]]);
    await bootstrapper.apply({ prune: true });
    expect(stored()).toEqual(before);
    expect(bootstrapper.lastSeen.size).toBe(5);
  });
});

describe('what is refused', () => {
  it.each([
    [400, 'The supplied parameters are invalid.', 'request'],
    [403, 'Please upgrade your account to the enterprise level.', 'plan'],
    [403, 'You do not have permission', 'permission'],
    [404, '', 'unknown'],
    [418, 'I am a teapot', 'unknown'],
  ])('with %i (%s) costs only the family itself', async (status, message, kind) => {
    const send = answering('contact.', () => Response.json({ title: 'Refused', message }, { status }));
    const applied = await openBootstrapper(sandbox, { fetch: send }).apply();
    expect(subscriptionsIn(sandbox)).toEqual([bookings, submissions, recaps]);
    expect(refusalsIn(applied.results)[0]).toMatchObject({ desired: { family: 'contact' }, cause: { kind, message } });
    expect([isComplete(applied), applied.failure]).toEqual([false, undefined]);
  });

  it('to an ordinary member is what concerns the organization, not the recaps', async () => {
    const applied = await openBootstrapper(sandbox, { token: sandbox.handles.tokens.member }).apply();
    expect(subscriptionsIn(sandbox)).toEqual([recaps]);
    expect(refusalsIn(applied.results)[0]?.cause).toMatchObject({ kind: 'permission' });
    expect(isComplete(applied)).toBe(false);
  });

  it('on the free plan is reported as a matter of the plan, for `event_type.*` too, every time', async () => {
    const bootstrapper = openBootstrapper(sandbox, { token: sandbox.handles.tokens.free_plan });
    const { results } = await bootstrapper.apply();
    expect(new Set(refusalsIn(results).map(({ cause }) => cause.kind))).toEqual(new Set(['plan']));
    expect(bootstrapper.refused).toEqual([]);
    expect(new Set((await bootstrapper.plan()).steps.map(({ kind }) => kind))).toEqual(new Set(['create']));
  });

  it.each([400, 503])('with %i never shows the signing key, though the service echoes it', async (status) => {
    const echo: typeof fetch = async (url, init) => {
      if (init?.method !== 'POST') return fetch(url, init);
      const { signing_key: key } = JSON.parse(String(init.body)) as { signing_key: string };
      return Response.json({ title: 'Bad', message: key, details: [{ message: `not good: ${key}` }] }, { status });
    };
    const { results } = await openBootstrapper(sandbox, { fetch: echo }).apply();
    const reasons = results.map((result) => describeResult(result).why);
    const texts = [...reasons, ...describeRefusals(refusalsIn(results))].join(' ');
    expect(texts).toContain(String(status));
    expect(texts + JSON.stringify(results)).not.toContain('the secret');
  });
});

describe('a race', () => {
  /** Does something to the service right before the first subscription is asked for. */
  const before = (first: (request: Record<string, unknown>) => Promise<unknown>): typeof fetch => {
    let isFirst = true;
    return async (url, init) => {
      if (init?.method === 'POST' && isFirst) {
        isFirst = false;
        await first(JSON.parse(String(init.body)) as Record<string, unknown>);
      }
      return fetch(url, init);
    };
  };

  it('whose winner is disabled at once ends with a new subscription', async () => {
    const send = before(async (body) => {
      const { body: made } = await sandbox.call('POST', '/webhook_subscriptions', { body });
      await sandbox.control('POST', '/subscriptions/disable', { uri: made.resource.uri });
    });
    await openBootstrapper(sandbox, { fetch: send }).apply();
    expect(subscriptionsIn(sandbox)).toContain(bookings);
  });

  it('with a URL that no list shows is reported, and nothing is created twice', async () => {
    const { users } = sandbox.handles;
    const send = before(({ url, organization }) =>
      sandbox.call('POST', '/webhook_subscriptions', {
        as: 'member',
        body: { url, organization, scope: 'user', user: users.member, events: ['contact.created'] },
      }),
    );
    const { results } = await openBootstrapper(sandbox, { fetch: send }).apply();
    expect(refusalsIn(results)[0]?.cause).toEqual({ kind: 'hidden' });
  });
});

describe('an outage', () => {
  it('while old ones are deleted leaves the rest to the next run', async () => {
    await openBootstrapper(sandbox).apply();
    const [first] = stored();
    const fails: typeof fetch = async (url, init) =>
      init?.method === 'DELETE' && String(url) === first?.uri ? new Response('', { status: 502 }) : fetch(url, init);
    const keyIds = ['key 2', 'key 1'] as const;
    const broken = await openBootstrapper(sandbox, { fetch: fails }).apply({ keyIds });
    expect(kindsOf(broken.results).slice(5)).toEqual(['undeletable', 'deleted', 'deleted', 'deleted']);
    expect(broken.failure?.error).toMatchObject({ code: 'service_unavailable' });
    expect(isComplete(await openBootstrapper(sandbox).apply({ keyIds }))).toBe(true);
    expect(subscriptionsIn(sandbox)).toEqual(registered);
  });
});

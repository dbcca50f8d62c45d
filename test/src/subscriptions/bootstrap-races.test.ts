// Bootstraps on a real service, whatever was there before: several at once leave exactly what was planned, and one with a poor
// token breaks nothing.
import * as fc from 'fast-check';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isComplete } from '#src/subscriptions/apply.ts';
import { callbackUrl, fingerprintOf, isOurs } from '#src/subscriptions/callback.ts';
import { isPending } from '#src/subscriptions/plan.ts';
import { desiredSubscriptions } from '#src/subscriptions/desired.ts';
import { deliveredTo, kinds, subscriptionOf } from '../../oracle/subscriptions.ts';
import { callback, everyScope, openBootstrapper } from '../../harness/sandbox/bootstrapper.ts';
import { openTestSandbox, type TestSandbox } from '../../harness/sandbox.ts';
import { propertyTimeoutMs, runs } from '../../harness/runs.ts';

/** Each test has a service of its own: a case that outlives a failed test cannot disturb the next one. */
const openService = (): Promise<TestSandbox> =>
  openTestSandbox({ contacts: 1, bookings: 1, rateLimits: false, eventTypes: true });

const scopes = ['organization', 'user'] as const;
const old = fc.record({
  scope: fc.constantFrom(...scopes),
  events: fc.subarray(kinds, { minLength: 1 }),
  keyId: fc.constantFrom('key 1', 'key 2'),
  generation: fc.integer({ min: 1, max: 2 }),
  isDisabled: fc.boolean(),
  isForeign: fc.boolean(),
});
type Old = typeof old extends fc.Arbitrary<infer Value> ? Value : never;
const history = fc.record({
  events: fc.subarray(kinds, { minLength: 1 }),
  before: fc.array(old, { maxLength: 6 }),
  /** What each call of each run waits for, in milliseconds, over and over. */
  delays: fc.array(fc.array(fc.nat(4), { minLength: 1, maxLength: 5 }), { minLength: 2, maxLength: 3 }),
});

async function prepare(sandbox: TestSandbox, before: readonly Old[]): Promise<void> {
  const { state } = sandbox.service;
  for (const { uri } of Array.from(state.subscriptions.values())) state.subscriptions.delete(uri);
  const { organization, users } = sandbox.handles;
  for (const { scope, events, keyId, generation, isDisabled, isForeign } of before) {
    const isFor = (kind: (typeof kinds)[number]): boolean => scope === 'user' || !kind.startsWith('meeting_recap');
    const allowed = events.filter(
      (kind) => isFor(kind) && (scope === 'organization' || !kind.startsWith('routing_form')),
    );
    if (allowed.length === 0) continue;
    const owner = { scope, organization, uri: scope === 'user' ? users.owner : organization };
    const base = isForeign ? 'https://elsewhere.example.com/webhooks' : callback;
    const url = callbackUrl(base, fingerprintOf({ owner, events: allowed, keyId }), generation);
    const whose = scope === 'user' ? { user: users.owner } : {};
    const { status, body } = await sandbox.call('POST', '/webhook_subscriptions', {
      body: { url, events: allowed, organization, scope, ...whose },
    });
    if (status === 201 && isDisabled)
      await sandbox.control('POST', '/subscriptions/disable', { uri: body.resource.uri });
  }
}

const slowly = (delays: readonly number[]): typeof fetch => {
  let calls = 0;
  return async (url, init) => {
    await wait(delays[(calls += 1) % delays.length]);
    return fetch(url, init);
  };
};

/** By its address alone. */
const isOurOwn = ({ uri, callback_url: url }: { uri: string; callback_url: string }): boolean =>
  isOurs(callback, { uri, callback_url: url });

describe('concurrent bootstraps', () => {
  it(
    'leave exactly the planned subscriptions, active, and nothing more to do',
    { timeout: propertyTimeoutMs },
    async () => {
      await using sandbox = await openService();
      await fc.assert(
        fc.asyncProperty(history, async ({ events, before, delays }) => {
          await prepare(sandbox, before);
          const all = () => [...sandbox.service.state.subscriptions.values()];
          const foreign = all().filter((one) => !isOurOwn(one));
          const more = { events, prune: true };
          const applied = await Promise.all(
            delays.map((own) => openBootstrapper(sandbox, { fetch: slowly(own) }).apply(more)),
          );
          expect(applied.every(isComplete)).toBe(true);
          const ours = all().filter(isOurOwn);
          const { organization, users } = sandbox.handles;
          const desired = desiredSubscriptions({ events, organization, recapUsers: [users.owner] });
          const shape = (scope: string, has: readonly string[]): string => `${scope} ${[...has].toSorted().join()}`;
          expect(ours.map(({ scope, events: has }) => shape(scope, has)).toSorted()).toEqual(
            desired.map(({ owner, events: has }) => shape(owner.scope, has)).toSorted(),
          );
          expect(ours.every(({ state }) => state === 'active')).toBe(true);
          expect(all().filter((one) => !isOurOwn(one))).toEqual(foreign);
          expect((await openBootstrapper(sandbox).plan(more)).steps.some(isPending)).toBe(false);
        }),
        runs(20),
      );
    },
  );

  it(
    'never delete what is delivered and desired, whatever the token is not allowed to do',
    { timeout: propertyTimeoutMs },
    async () => {
      await using sandbox = await openService();
      const { owner: user } = sandbox.handles.users;
      await fc.assert(
        fc.asyncProperty(history, fc.subarray(everyScope), async ({ events, before }, some) => {
          await prepare(sandbox, before);
          const all = () => [...sandbox.service.state.subscriptions.values()].filter(isOurOwn);
          const wishes = deliveredTo(
            desiredSubscriptions({ events, organization: sandbox.handles.organization, recapUsers: [user] }).map(
              ({ owner, events: has }) => subscriptionOf(owner, { uri: owner.uri, events: [...has] }),
            ),
          );
          const delivered = (): readonly string[] => [...deliveredTo(all().map((one) => ({ ...one })))];
          const promised = delivered().filter((one) => wishes.has(one));
          const token = sandbox.tokens.personal('some', {
            user,
            scopes: [...new Set([...some, 'webhooks:write' as const])],
          });
          const bootstrapper = openBootstrapper(sandbox, { token });
          await bootstrapper.apply({ events, prune: true });
          expect(promised.filter((one) => !delivered().includes(one))).toEqual([]);
          const after = all();
          await bootstrapper.apply({ events, prune: true });
          expect(all()).toEqual(after);
        }),
        runs(30),
      );
    },
  );
});

// Bootstraps on a real service, whatever was there before: several at once leave exactly what was planned, and one that is refused
// or killed loses nothing.
import * as fc from 'fast-check';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { isComplete } from '#src/subscriptions/apply.ts';
import { contractOf } from '#schemas/events.ts';
import { isOurs } from '#src/subscriptions/callback.ts';
import { isPending } from '#src/subscriptions/plan.ts';
import { desiredSubscriptions } from '#src/subscriptions/desired.ts';
import { deliveredTo, kinds } from '../../oracle/subscriptions.ts';
import { callback, openBootstrapper, plant } from '../../harness/sandbox/bootstrapper.ts';
import { openTestSandbox, type TestSandbox } from '../../harness/sandbox.ts';
import { propertyTimeoutMs, runs } from '../../harness/runs.ts';

/** Each test has a service of its own: a case that outlives a failed test cannot disturb the next one. */
const openService = (): Promise<TestSandbox> =>
  openTestSandbox({ contacts: 1, bookings: 1, rateLimits: false, eventTypes: true });

const scopes = ['organization', 'user'] as const;
/** Of one family, as they are made now, and of several, as an earlier version made them. */
const someEvents = fc.oneof(
  fc.subarray(kinds, { minLength: 1 }),
  fc.constantFrom(kinds, ...Map.groupBy(kinds, (kind) => contractOf(kind).family).values()),
);
const old = fc.record({
  scope: fc.constantFrom(...scopes),
  events: someEvents,
  keyId: fc.constantFrom('key 1', 'key 2'),
  generation: fc.integer({ min: 1, max: 2 }),
  isDisabled: fc.boolean(),
  isForeign: fc.boolean(),
});
type Old = typeof old extends fc.Arbitrary<infer Value> ? Value : never;
const history = fc.record({
  events: someEvents,
  before: fc.array(old, { maxLength: 6 }),
  /** What each call of each run waits for, in milliseconds, over and over. */
  delays: fc.array(fc.array(fc.nat(4), { minLength: 1, maxLength: 5 }), { minLength: 2, maxLength: 3 }),
});

async function prepare(sandbox: TestSandbox, before: readonly Old[]): Promise<void> {
  const { state } = sandbox.service;
  for (const { uri } of Array.from(state.subscriptions.values())) state.subscriptions.delete(uri);
  const { organization, users } = sandbox.handles;
  const taken = new Set<string>();
  for (const { scope, events, isDisabled, isForeign, ...more } of before) {
    const allowed = events.filter((kind) => contractOf(kind).allowedScopes.includes(scope));
    const identity = JSON.stringify([scope, allowed, more]);
    if (allowed.length === 0 || taken.has(identity)) continue;
    taken.add(identity);
    const owner = { scope, organization, uri: scope === 'user' ? users.owner : organization };
    const base = isForeign ? 'https://elsewhere.example.com/webhooks' : callback;
    const { uri } = plant(sandbox, { owner, events: allowed, base, ...more });
    if (isDisabled) await sandbox.control('POST', '/subscriptions/disable', { uri });
  }
}

const slowly = (sandbox: TestSandbox, delays: readonly number[]): typeof fetch => {
  let calls = 0;
  return async (url, init) => {
    await wait(delays[(calls += 1) % delays.length]);
    return sandbox.fetch(url, init);
  };
};

/** By its address alone. */
const isOurOwn = ({ uri, callback_url: url }: { uri: string; callback_url: string }): boolean =>
  isOurs(callback, { uri, callback_url: url });

it(
  'concurrent bootstraps leave exactly the planned subscriptions, active, and nothing more to do',
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
          delays.map((own) => openBootstrapper(sandbox, { fetch: slowly(sandbox, own) }).apply(more)),
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
      runs(12),
    );
  },
);

const families = [...new Set(kinds.map((kind) => contractOf(kind).family))];
const interrupted = fc.record({
  events: someEvents,
  before: fc.array(old, { maxLength: 6 }),
  hasGroup: fc.boolean(),
  prune: fc.boolean(),
  refused: fc.subarray(families),
  status: fc.constantFrom(400, 403, 404, 503),
  /** How many changes the first run makes before it is killed, and whether it receives the response to the last of them. */
  changes: fc.integer({ min: 1, max: 9 }),
  isAnswered: fc.boolean(),
});

it(
  'a bootstrap that is killed loses no event at any moment, and the next one leaves each in exactly one subscription, whatever is refused',
  { timeout: propertyTimeoutMs },
  async () => {
    await using sandbox = await openService();
    const { organization, group, users } = sandbox.handles;
    const all = () => [...sandbox.service.state.subscriptions.values()].filter(isOurOwn);
    const uris = { organizationUri: organization, userUri: users.owner };
    const settings = (hasGroup: boolean) => ({ ...uris, groupUri: hasGroup ? group : undefined });
    await fc.assert(
      fc.asyncProperty(interrupted, async (input) => {
        const { events, before, hasGroup, prune, refused, status, changes, isAnswered } = input;
        await prepare(sandbox, before);
        const desired = desiredSubscriptions({
          events,
          organization,
          group: hasGroup ? group : undefined,
          recapUsers: [users.owner],
        });
        const wishes = desired.flatMap(({ owner, family, events: own }) =>
          own.map((event) => ({ owner, family, event })),
        );
        // What is delivered for the whole organization includes its groups and users.
        const reached = () => {
          const delivered = deliveredTo(all());
          return wishes.filter(({ owner: { scope, uri }, event }) =>
            [`${scope} ${uri}`, `organization ${organization}`].some((from) => delivered.has(`${from}: ${event}`)),
          );
        };
        const promised = reached();
        const lost: typeof wishes = [];
        const refuses: typeof fetch = async (url, init) => {
          const asked =
            init?.method === 'POST' ? (JSON.parse(String(init.body)) as { events: typeof kinds }) : undefined;
          if (asked?.events.some((kind) => refused.includes(contractOf(kind).family)))
            return Response.json({ title: 'No', message: 'No' }, { status });
          const response = await sandbox.fetch(url, init);
          const now = reached();
          lost.push(...promised.filter((one) => !now.includes(one)));
          return response;
        };
        let left = changes;
        const killed: typeof fetch = async (url, init) => {
          if (left === 0) throw new TypeError('fetch failed');
          const response = await refuses(url, init);
          if (init?.method !== 'GET' && response.ok) left -= 1;
          if (left === 0 && !isAnswered) throw new TypeError('fetch failed');
          return response;
        };
        const more = { events, prune, settings: settings(hasGroup) };
        await openBootstrapper(sandbox, { fetch: killed }).apply(more);
        await openBootstrapper(sandbox, { fetch: refuses }).apply(more);
        const after = all();
        const isRefused = ({ family }: (typeof wishes)[number]): boolean => refused.includes(family);
        for (const wish of wishes.filter((one) => !isRefused(one))) {
          const place = `${wish.owner.scope} ${wish.owner.uri}: ${wish.event}`;
          const by = after.filter((one) => deliveredTo([one]).has(place));
          // An old one for several families stays while it is the only one that delivers a refused one.
          const isSpared = (one: (typeof after)[number]): boolean =>
            wishes.some((other) => isRefused(other) && one.events.includes(other.event));
          expect(by.filter((one) => !isSpared(one))).toHaveLength(1);
        }
        await openBootstrapper(sandbox, { fetch: refuses }).apply(more);
        expect(all()).toEqual(after);
        expect(lost).toEqual([]);
      }),
      runs(30),
    );
  },
);

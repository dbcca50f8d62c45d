// The watch: what it notices, what it repairs, and the time it hands on to be repaired.
import { beforeEach, describe, expect, it } from 'vitest';
import { openedOnce } from '../../harness/opened.ts';
import {
  everyScope,
  only,
  openBootstrapper,
  plantEarlierOnes,
  registered,
  shortly,
  subscriptionsIn,
  type Bootstrapper,
} from '../../harness/sandbox/bootstrapper.ts';
import { openTestSandbox } from '../../harness/sandbox.ts';

const sandbox = openedOnce(() => openTestSandbox({ contacts: 1, bookings: 1, rateLimits: false }));
let bootstrapper: Bootstrapper;
beforeEach(async () => {
  await sandbox.control('POST', '/faults', {});
  for (const { uri } of stored()) sandbox.service.state.subscriptions.delete(uri);
  bootstrapper = openBootstrapper(sandbox);
  await bootstrapper.apply();
});

const stored = () => [...sandbox.service.state.subscriptions.values()];
const bookings = () => {
  const found = stored().find(({ events, state }) => events.includes('invitee.created') && state === 'active');
  if (found === undefined) throw new Error('no subscription for bookings is active');
  return found;
};
const disable = (uri: string) => sandbox.control('POST', '/subscriptions/disable', { uri });
const minutes = (count: number): void => void (bootstrapper.nowMs += count * 60_000);
const at = (ms: number): string => `${new Date(ms).toISOString().slice(0, -1)}000Z`;

/** A bootstrapper whose token may not subscribe to submissions of forms. */
function openPoor(): Bootstrapper {
  const scopes = everyScope.filter((scope) => scope !== 'routing_forms:read');
  const token = sandbox.tokens.personal('poor', { user: sandbox.handles.users.owner, scopes });
  return openBootstrapper(sandbox, { token });
}

const setPlan = (plan: string) =>
  sandbox.control('POST', '/plan', { plan, organization: sandbox.handles.organization });

describe('the watch', () => {
  it('reports nothing while everything is fine, changes nothing, and stores the time', async () => {
    const before = stored();
    minutes(5);
    const report = await bootstrapper.watch();
    const { failure, ...lists } = report;
    expect([failure, Object.values(lists).flat()]).toEqual([undefined, []]);
    expect(stored()).toEqual(before);
    expect([...bootstrapper.lastSeen.values()].map((one) => one.checked_at)).toEqual(
      registered.map(() => at(bootstrapper.nowMs)),
    );
  });

  it('warns while deliveries are being retried, and changes nothing', async () => {
    const since = at(Date.now() - 600_000);
    sandbox.service.state.subscriptions.put({ ...bookings(), retry_started_at: since });
    const { retrying, recreated, gaps } = await bootstrapper.watch();
    expect(retrying.map((one) => one.retry_started_at)).toEqual([since]);
    expect([recreated, gaps]).toEqual([[], []]);
    expect(bootstrapper.lastSeen.get(bookings().uri)?.retry_started_at).toBe(since);
  });

  it('creates a disabled one again, and reports the gap since its retries began', async () => {
    const since = at(Date.now() - 25 * 3_600_000);
    sandbox.service.state.subscriptions.put({ ...bookings(), retry_started_at: since });
    await disable(bookings().uri);
    minutes(5);
    const { disabled, recreated, gaps } = await bootstrapper.watch();
    expect(disabled).toHaveLength(1);
    expect(recreated.map(({ uri }) => uri)).toEqual([bookings().uri]);
    expect(gaps).toMatchObject([{ from: since, to: at(bootstrapper.nowMs) }]);
    expect(shortly(gaps[0]?.events ?? [])).toBe('invitee,invitee_no_show');
    expect(subscriptionsIn(sandbox)).toEqual(registered);
    expect((await bootstrapper.watch()).gaps).toEqual([]);
    expect(new Set(bootstrapper.lastSeen.keys())).toEqual(new Set(stored().map(({ uri }) => uri)));
  });

  it('keeps the gap open until another one is active, however many runs that takes', async () => {
    const wellAt = at(bootstrapper.nowMs);
    await disable(bookings().uri);
    await setPlan('free');
    for (let round = 0; round < 3; round += 1) {
      minutes(5);
      const { gaps, refused } = await bootstrapper.watch();
      expect(gaps).toEqual([]);
      expect(refused[0]?.cause.kind).toBe('plan');
    }
    await setPlan('standard');
    minutes(5);
    expect((await bootstrapper.watch()).gaps).toMatchObject([{ from: wellAt, to: at(bootstrapper.nowMs) }]);
  });

  it('keeps the gap of a deleted one open, too', async () => {
    const wellAt = at(bootstrapper.nowMs);
    await sandbox.call('DELETE', bookings().uri);
    await sandbox.control('POST', '/faults', { status: 503 });
    minutes(5);
    await expect(bootstrapper.watch()).rejects.toMatchObject({ code: 'service_unavailable' });
    await sandbox.control('POST', '/faults', {});
    minutes(5);
    expect((await bootstrapper.watch()).gaps).toMatchObject([{ from: wellAt }]);
  });

  it('keeps the gap of a refused family open, and closes those of the others', async () => {
    const wellAt = at(bootstrapper.nowMs);
    for (const { uri } of stored()) await disable(uri);
    const poor = openPoor();
    for (const [uri, one] of bootstrapper.lastSeen) poor.lastSeen.set(uri, one);
    const { gaps, refused } = await poor.watch();
    expect(gaps.map(({ events }) => shortly(events)).toSorted()).toEqual([
      'contact',
      'invitee,invitee_no_show',
      'meeting_recap',
    ]);
    expect(refused.map(({ desired }) => desired.family)).toEqual(['routing-form']);
    for (const [uri, one] of poor.lastSeen) bootstrapper.lastSeen.set(uri, one);
    const again = await bootstrapper.watch();
    expect(again.gaps.filter(({ events }) => shortly(events) === 'routing_form_submission')).toMatchObject([
      { from: wellAt },
    ]);
    expect(subscriptionsIn(sandbox)).toEqual(registered);
  });

  it('closes the gap of one for several families with those that the service accepts', async () => {
    for (const { uri } of stored()) await sandbox.call('DELETE', uri);
    const poor = openPoor();
    const [earlier] = plantEarlierOnes(sandbox);
    await poor.watch();
    await disable(earlier?.uri ?? '');
    const { gaps } = await poor.watch();
    expect(gaps.map(({ events }) => shortly(events))).toEqual(['contact,invitee,invitee_no_show']);
    const again = await poor.watch();
    expect([again.gaps, again.refused, again.missing]).toEqual([[], [], []]);
  });

  it('creates nothing that bootstrap has not created, and applies no change of EVENTS or key', async () => {
    const before = stored();
    await bootstrapper.watch({ events: only('contact'), keyIds: ['key 2', 'key 1'] });
    expect(stored()).toEqual(before);
    await openBootstrapper(sandbox).watch();
    expect(stored()).toEqual(before);
    for (const { uri } of before) await sandbox.call('DELETE', uri);
    await openBootstrapper(sandbox).watch();
    expect(stored()).toEqual([]);
  });

  it('ignores the outage of a subscription that is no longer desired', async () => {
    await sandbox.call('DELETE', bookings().uri);
    const { missing, gaps } = await bootstrapper.watch({ events: only('meeting_recap') });
    expect([missing, gaps]).toEqual([[], []]);
    expect(bootstrapper.lastSeen.size).toBe(registered.length - 1);
  });
});

describe('a gap', () => {
  it('is recorded before its last trace is removed, so that no crash in between loses it', async () => {
    const wellAt = at(bootstrapper.nowMs);
    await sandbox.call('DELETE', bookings().uri);
    minutes(5);
    bootstrapper.isStoreFull = true;
    await expect(bootstrapper.watch()).rejects.toThrow('the store is full');
    bootstrapper.isStoreFull = false;
    minutes(5);
    await bootstrapper.watch();
    expect(bootstrapper.noted).toEqual([wellAt]);
    await bootstrapper.watch();
    expect(bootstrapper.noted).toEqual([wellAt]);
  });

  it.each([
    ['disabled', () => disable(bookings().uri)],
    ['gone', () => sandbox.call('DELETE', bookings().uri)],
  ])('is noted by bootstrap, too, when it makes one again that was %s', async (_, lose) => {
    const wellAt = at(bootstrapper.nowMs);
    await lose();
    minutes(5);
    expect(await bootstrapper.apply()).toMatchObject({ missingSince: wellAt });
    expect(bootstrapper.noted).toEqual([wellAt]);
    expect(subscriptionsIn(sandbox)).toEqual(registered);
    expect(await bootstrapper.apply()).toMatchObject({ missingSince: undefined });
  });

  it('is recorded by bootstrap when it replaces a subscription whose deliveries failed', async () => {
    const since = at(Date.now() - 600_000);
    sandbox.service.state.subscriptions.put({ ...bookings(), retry_started_at: since });
    await bootstrapper.apply({ keyIds: ['key 2', 'key 1'] });
    expect(bootstrapper.noted).toEqual([since]);
  });

  it('stays open for bootstrap until another subscription is active', async () => {
    const wellAt = at(bootstrapper.nowMs);
    await sandbox.call('DELETE', bookings().uri);
    await setPlan('free');
    minutes(5);
    await bootstrapper.apply();
    expect(bootstrapper.noted).toEqual([]);
    await setPlan('standard');
    minutes(5);
    await bootstrapper.apply();
    expect(bootstrapper.noted).toEqual([wellAt]);
  });
});

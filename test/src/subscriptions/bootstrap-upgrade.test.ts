// Bootstrap where an earlier version registered one subscription for several families.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isComplete } from '#src/subscriptions/apply.ts';
import {
  everyScope,
  only,
  openBootstrapper,
  plantEarlierOnes,
  registered,
  shortly,
  subscriptionsIn,
} from '../../harness/sandbox/bootstrapper.ts';
import { openTestSandbox, type TestSandbox } from '../../harness/sandbox.ts';

let sandbox: TestSandbox;
beforeEach(async () => void (sandbox = await openTestSandbox({ contacts: 1, bookings: 1, rateLimits: false })));
afterEach(() => sandbox[Symbol.asyncDispose]());

const stored = () => [...sandbox.service.state.subscriptions.values()];
const shared = 'organization active contact,invitee,invitee_no_show,routing_form_submission';

describe('the subscriptions of an earlier version', () => {
  it('are replaced by one per family, which are created before the old one is deleted', async () => {
    const [old] = plantEarlierOnes(sandbox);
    const moments: (readonly string[])[] = [];
    const watched: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      if (init?.method !== 'GET') moments.push(subscriptionsIn(sandbox));
      return response;
    };
    const applied = await openBootstrapper(sandbox, { fetch: watched }).apply();
    expect(applied.results.map(({ kind }) => kind)).toEqual([
      'created',
      'unchanged',
      'created',
      'created',
      'refused',
      'deleted',
    ]);
    expect(isComplete(applied)).toBe(true);
    expect(moments.slice(0, -1).every((all) => all.includes(shared))).toBe(true);
    expect(subscriptionsIn(sandbox)).toEqual(registered);
    expect(stored().map(({ uri }) => uri)).not.toContain(old?.uri);
  });

  it('stay while they are the only ones that deliver a refused family, and go once it is registered', async () => {
    plantEarlierOnes(sandbox);
    const { owner: user } = sandbox.handles.users;
    const scopes = everyScope.filter((scope) => !scope.startsWith('contacts:'));
    const poor = openBootstrapper(sandbox, { token: sandbox.tokens.personal('poor', { user, scopes }) });
    const { results } = await poor.apply();
    expect(results.find(({ kind }) => kind === 'retained')).toMatchObject({ events: only('contact') });
    expect(subscriptionsIn(sandbox)).toEqual([shared, ...registered.slice(1)]);
    const before = stored();
    await poor.apply();
    expect(stored()).toEqual(before);
    await openBootstrapper(sandbox).apply();
    expect(subscriptionsIn(sandbox)).toEqual(registered);
  });

  it('are not changed by the watch, which creates a disabled one again as one per family', async () => {
    const [old] = plantEarlierOnes(sandbox);
    const bootstrapper = openBootstrapper(sandbox);
    await bootstrapper.watch();
    expect(stored()).toHaveLength(2);
    await sandbox.control('POST', '/subscriptions/disable', { uri: old?.uri });
    const { gaps } = await bootstrapper.watch();
    expect(gaps.map(({ events }) => shortly(events))).toEqual([
      'contact,invitee,invitee_no_show,routing_form_submission',
    ]);
    expect(subscriptionsIn(sandbox)).toEqual(registered);
  });
});

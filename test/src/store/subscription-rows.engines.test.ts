// What is remembered of our subscriptions, on every store.
import { describe, expect, it } from 'vitest';
import { readSubscriptions, writeSubscriptions, type KnownSubscription } from '#src/store/subscription-rows.ts';
import { availableEngines } from '../../harness/stores.ts';

const at = (hour: number): string => `2025-03-02T${String(hour).padStart(2, '0')}:00:00.000001Z`;
const known = (place: number, more: Partial<KnownSubscription> = {}): KnownSubscription => ({
  uri: `https://service.example.com/webhook_subscriptions/${place}`,
  callback_url: `https://hooks.example.com/webhooks?s=${place}`,
  state: 'active',
  events: ['contact.created', 'invitee.created'],
  scope: 'user',
  organization: 'https://service.example.com/organizations/1',
  user: 'https://service.example.com/users/1',
  group: null,
  creator: 'https://service.example.com/users/1',
  retry_started_at: null,
  created_at: at(1),
  updated_at: at(2),
  checked_at: at(3),
  ...more,
});

for (const engine of availableEngines)
  describe(`subscriptions on ${engine.name}`, () => {
    it('come back as they were seen, change when seen again, go when gone, and stay otherwise', async () => {
      await using test = await engine.fresh();
      const others = [
        known(2, { state: 'disabled', retry_started_at: at(0), group: 'https://g.example.com/1' }),
        known(3),
      ];
      const read = async () => (await readSubscriptions(test.store)).toSorted((a, b) => (a.uri < b.uri ? -1 : 1));
      await writeSubscriptions(test.store, { seen: [known(1), ...others], deleted: [] });
      expect(await read()).toEqual([known(1), ...others]);
      const later = known(3, { checked_at: at(4), retry_started_at: at(3) });
      await writeSubscriptions(test.store, { seen: [later], deleted: [known(1).uri] });
      expect(await read()).toEqual([others[0], later]);
    });
  });

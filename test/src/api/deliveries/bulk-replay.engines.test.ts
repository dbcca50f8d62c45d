// Everything that a filter matches is folded again: previewed, in batches, and reported.
import { describe, expect, it } from 'vitest';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { ingestBodies, rowsOf, oneEngine } from '../../../harness/stores.ts';
import { contactDelivery, contactUri } from '../../../harness/data/contact-deliveries.ts';

const total = 210;
/** A preview ends by the clock, and a busy machine is no reason to fail. */
const stopped = (): number => Date.parse('2025-04-14T12:00:00Z');
const versionsOf = (id: string, count: number): string[] =>
  Array.from({ length: count }, (_, version) => contactDelivery({ id, version }));

for (const engine of oneEngine)
  describe.runIf(engine.available)(`a replay of many on ${engine.name}`, () => {
    /** More than two batches that an older version, which could not read them, left in quarantine; and one that stays there. */
    async function openQuarantine(options: Parameters<typeof openReadApi>[1] = { clock: stopped }) {
      const api = await openReadApi(engine.fresh, options);
      const bodies = Array.from({ length: total }, (_, n) => contactDelivery({ id: `c${n}`, version: 0 }));
      await ingestBodies(api.store, [...bodies, 'no JSON', ...versionsOf('other', 3)]);
      const { db } = api.store;
      await db.deleteFrom('contacts').where('uri', '<>', contactUri('other')).execute();
      await db.deleteFrom('contact_emails').where('contact_uri', '<>', contactUri('other')).execute();
      const then = { outcome: 'quarantined' as const, reason: 'Then.', changes: null };
      await db.updateTable('event_log').set(then).where('seq', '<=', total).execute();
      return api;
    }
    const countContacts = async (api: Awaited<ReturnType<typeof openQuarantine>>) =>
      (await rowsOf(api.store, 'contacts')).length;

    it('is previewed: what it would change, and nothing changes', async () => {
      await using api = await openQuarantine();
      const before = await rowsOf(api.store, 'event_log');
      const { status, body } = await api.post('/api/deliveries/replay', { outcome: 'unprojected', dry_run: true });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        dry_run: true,
        complete: true,
        up_to_seq: total + 4,
        matched: total + 1,
        matched_complete: true,
        matched_by_outcome: [{ outcome: 'quarantined', count: total + 1 }],
        read: total + 1,
        changed: total,
        still_quarantined: 1,
        transitions: [{ before: 'quarantined', after: 'applied', count: total }],
        tables: [{ table: 'contacts', count: total }],
        first_seq: null,
        last_seq: null,
      });
      expect(body.examples).toHaveLength(5);
      expect(body.examples[0]).toMatchObject({ seq: 1, event: 'contact.created', subject_uri: contactUri('c0') });
      expect(body.examples[0].changes.contacts.name).toEqual([null, 'Name c0 0']);
      // A replay changes nothing either where nothing is wrong.
      const { body: same } = await api.post('/api/deliveries/replay', { subject: contactUri('other') });
      expect(same).toMatchObject({ complete: true, read: 3, changed: 0, first_seq: null, last_seq: null });
      expect(await rowsOf(api.store, 'event_log')).toEqual(before);
      expect(await countContacts(api)).toBe(1);
    });

    it('covers the whole filter and names where its deliveries are now', async () => {
      await using api = await openQuarantine();
      const { body: done } = await api.post('/api/deliveries/replay', { reason: 'Then.', max_seq: total + 4 });
      expect(done).toMatchObject({
        dry_run: false,
        complete: true,
        matched: total,
        read: total,
        changed: total,
        still_quarantined: 0,
        first_seq: total + 5,
        last_seq: total * 2 + 4,
        examples: [],
      });
      expect(await countContacts(api)).toBe(total + 1);
      const { body: list } = await api.get(
        `/api/deliveries?min_seq=${done.first_seq}&max_seq=${done.last_seq}&outcome=applied&count=100`,
      );
      expect(list.collection).toHaveLength(100);
      expect((await api.get('/api/deliveries?outcome=unprojected')).body.collection).toHaveLength(1);
      expect(api.heard.acted).toEqual(['replayDeliveries']);
    });

    it('says how far a preview came when it takes too long', async () => {
      let now = 0;
      await using api = await openQuarantine({ clock: () => (now += 4_000) });
      const { body } = await api.post('/api/deliveries/replay', { q: 'contacts/c', dry_run: true });
      expect(body).toMatchObject({ complete: false, matched: total, matched_complete: true, read: 200 });
    });

    it('is refused without a filter, with an unknown field, and while another one runs', async () => {
      await using api = await openQuarantine();
      for (const wrong of [{}, { dry_run: true }, { outcome: 'odd' }, { subjekt: 'x' }, { min_seq: '1' }, []])
        expect([wrong, (await api.post('/api/deliveries/replay', wrong)).status]).toEqual([wrong, 400]);
      const both = await Promise.all([
        api.post('/api/deliveries/replay', { outcome: 'quarantined' }),
        api.post('/api/deliveries/replay', { outcome: 'quarantined' }),
      ]);
      expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      expect((await api.post('/api/deliveries/replay', { outcome: 'quarantined' })).status).toBe(200);
    });

    it('is previewed once at a time, unrecorded, and a delivery does not wait for the end of a preview', async () => {
      await using api = await openQuarantine();
      const order: string[] = [];
      const preview = async () => {
        const { status } = await api.post('/api/deliveries/replay', { outcome: 'quarantined', dry_run: true });
        order.push(`preview ${status}`);
      };
      const delivery = async () => {
        await ingestBodies(api.store, [contactDelivery({ id: 'new', version: 0 })]);
        order.push('delivery');
      };
      await Promise.all([...Array.from({ length: 20 }, preview), delivery()]);
      expect(order.filter((each) => each === 'preview 409')).toHaveLength(19);
      expect(order.slice(-2)).toEqual(['delivery', 'preview 200']);
      expect(await rowsOf(api.store, 'admin_actions')).toEqual([]);
    });
  });

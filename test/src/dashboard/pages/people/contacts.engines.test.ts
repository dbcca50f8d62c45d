// The pages of contacts: the list with the filters of the service, and the card and the history of one person.
import { describe, expect, it } from 'vitest';
import { erase } from '#workers/privacy/erase.ts';
import { targetOf } from '#workers/privacy/target.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { ingestRecords } from '#workers/sync/records.ts';
import { contactDelivery, contactUri } from '../../../../harness/data/contact-deliveries.ts';
import { january, ingestCountedBookings } from '../../../../harness/data/counted-bookings.ts';
import { openDashboard } from '../../../../harness/mirror/dashboard.ts';
import { ingestBodies, receivedAt, storeEngines } from '../../../../harness/stores.ts';

const field = (id: string) => `https://api.example.test/contact_custom_fields/${id}`;
const hostile = '<script>alert(1)</script>"><img src=x onerror=alert(1)>\u202e';

const keysIn = (html: string) => [...html.matchAll(/data-key="[^"]*\/([^"/]*)"/g)].map(([, key]) => key);

for (const engine of storeEngines)
  describe.runIf(engine.available)(`the pages of contacts on ${engine.name}`, () => {
    async function openWorld() {
      const dashboard = await openDashboard(engine.fresh);
      await ingestRecords(
        { store: dashboard.store, screen: privacyScreen({ eraseOnDelete: true }) },
        [
          { uri: field('size'), label: 'Size', field_type: 'single_select', options: [{ uuid: 'o1', label: 'Large' }] },
          { uri: field('budget'), label: hostile, field_type: 'currency', currency: 'EUR' },
        ].map((record) => ({
          kind: 'custom_field_definition',
          record: { ...record, created_at: january(1), updated_at: january(1) },
          observed: january(1),
        })),
        { source: 'backfill', now: receivedAt },
      );
      const custom_fields = [
        { uri: field('size'), label: 'Size', value: 'o1' },
        { uri: field('budget'), label: hostile, value: 12_500 },
      ];
      await ingestBodies(dashboard.store, [
        contactDelivery({
          id: 'one',
          version: 0,
          more: { name: 'Ada', company: 'Acme', country: 'DE', custom_fields },
        }),
        contactDelivery({
          id: 'two',
          version: 0,
          more: { name: hostile, company: hostile, linkedin: 'javascript:alert(1)', emails: [], city: 'Łódź' },
        }),
      ]);
      return dashboard;
    }

    it('lists contacts, newest first, and filters them as the service does', async () => {
      await using dashboard = await openWorld();
      const found = async (query: string) => keysIn((await dashboard.page(`/contacts?${query}`)).html);
      expect((await found('')).toSorted()).toEqual(['one', 'two']);
      expect(await found('name=ad')).toEqual(['one']);
      expect(await found('company=acme&country=DE&email=&city=')).toEqual(['one']);
      expect(await found('city=łód')).toEqual(['two']);
      expect(await found('email=v0@example.test')).toEqual(['one']);
      const none = await dashboard.page('/contacts?name=zzz');
      expect([none.status, none.html]).toEqual([200, expect.stringContaining('No contact matches these filters.')]);
      expect((await dashboard.page('/contacts?sort=name')).status).toBe(400);
      expect(dashboard.reported).toEqual([]);
    });

    it('shows custom fields as columns, with the labels of their options', async () => {
      await using dashboard = await openWorld();
      const without = await dashboard.page('/contacts');
      expect(without.html).not.toContain('<bdi>Large</bdi>');
      const one = await dashboard.page('/contacts?show=size');
      expect(one.html).toContain('<bdi>Large</bdi>');
      expect(one.html).not.toContain('125.00 EUR');
      const all = await dashboard.page('/contacts?show=all&count=1');
      expect(all.html).toMatch(/show=all[^"]*page_token=/);
    });

    it('shows a person with custom fields and history', async () => {
      await using dashboard = await openWorld();
      const { status, html } = await dashboard.page('/contacts/one');
      expect([status, html]).toEqual([200, expect.stringContaining('<h1><bdi>Ada</bdi></h1>')]);
      for (const text of ['v0@example.test', 'Acme', '<bdi>Large</bdi>', '125.00 EUR', 'The contact was created.'])
        expect(html).toContain(text);
      expect((await dashboard.page('/contacts/none')).status).toBe(404);
      expect((await dashboard.page('/contacts/custom_field_definitions')).status).toBe(404);
    });

    it('shows which custom field changed, by its label and that of its option, wherever changes are shown', async () => {
      await using dashboard = await openWorld();
      const note = { uri: field('note'), label: 'Note', value: 'x'.repeat(300) };
      const version = (count: number, size: string | null) =>
        contactDelivery({
          id: 'three',
          version: count,
          more: {
            name: 'Grace',
            emails: [{ email: 'grace@example.test', is_primary: true }],
            custom_fields: [note, { uri: field('size'), label: 'Size', value: size }],
          },
        });
      await ingestBodies(dashboard.store, [version(0, null), version(1, 'o1')]);
      const history = (await dashboard.page('/contacts/three')).html;
      expect(history).toContain('<bdi>The contact changed (company: Company 0 → none; Size: none → Large).</bdi>');
      const [, entry] = /The contact changed.*?href="\/deliveries\/(\d+)"/s.exec(history) ?? [];
      const changed = /<code>custom_fields<\/code> <bdi>Size<\/bdi>.*?none.*?<bdi>Large<\/bdi>/s;
      expect((await dashboard.page(`/deliveries/${entry}`)).html).not.toMatch(/<bdi>Note<\/bdi>/);
      for (const path of [`/deliveries/${entry}`, `/why?uri=${encodeURIComponent(contactUri('three'))}`]) {
        const { html } = await dashboard.page(path);
        expect([path, html]).toEqual([path, expect.stringMatching(changed)]);
      }
    });

    it('leads from the history to bookings, recaps and log entries, page by page', async () => {
      await using dashboard = await openWorld();
      await ingestCountedBookings(dashboard.store);
      const { html } = await dashboard.page('/contacts/a');
      expect(html).toContain('href="/bookings/A1"');
      expect(html).toMatch(/href="\/deliveries\/\d+"/);
      expect(html.match(/class="badge/g)?.length).toBeGreaterThan(4);
    });

    it('shows hostile names and links as text', async () => {
      await using dashboard = await openWorld();
      for (const path of [
        '/contacts?show=all',
        '/contacts/two',
        '/contacts/one',
        `/contacts?name=${encodeURIComponent(hostile)}`,
      ]) {
        const { status, html } = await dashboard.page(path);
        expect([path, status]).toEqual([path, 200]);
        expect(html).not.toContain('<script>alert');
        expect(html).not.toMatch(/<img|href="javascript/);
        expect(html.match(/<script/g)).toHaveLength(1);
      }
    });

    it('says of a deleted contact only that it was deleted, and of an erased one nothing', async () => {
      await using dashboard = await openWorld();
      const payload = { uri: contactUri('two'), deleted_at: january(9) };
      await ingestBodies(dashboard.store, [
        JSON.stringify({ event: 'contact.deleted', created_at: january(9), payload }),
      ]);
      const deleted = await dashboard.page('/contacts/two');
      expect([deleted.status, deleted.html]).toEqual([200, expect.stringContaining('This contact was deleted.')]);
      expect(deleted.html).not.toContain('Łódź');
      const now = '2025-03-01T00:00:00.000000Z';
      await erase({ store: dashboard.store, newKey: () => 'k'.repeat(64) }, targetOf('v0@example.test'), { now });
      for (const path of ['/contacts', '/contacts/one'])
        expect((await dashboard.page(path)).html).not.toMatch(/Ada|Acme|v0@example/);
      expect(dashboard.reported).toEqual([]);
    });

    it('says how an empty list is filled', async () => {
      await using dashboard = await openDashboard(engine.fresh);
      expect((await dashboard.page('/contacts')).html).toContain('<code>./bin/slotstream backfill</code>');
    });
  });

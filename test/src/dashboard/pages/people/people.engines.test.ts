// The page of people, and what the page of a contact says of the person.
import { describe, expect, it } from 'vitest';
import { contactDelivery } from '../../../../harness/data/contact-deliveries.ts';
import { ingestCountedBookings } from '../../../../harness/data/counted-bookings.ts';
import { openDashboard } from '../../../../harness/mirror/dashboard.ts';
import { ingestBodies, storeEngines } from '../../../../harness/stores.ts';

const hostile = '<script>alert(1)</script>"><img src=x onerror=alert(1)>\u202e';
const emails = (...addresses: readonly string[]) => ({
  emails: addresses.map((email, index) => ({ email, is_primary: index === 0 })),
});
const keysIn = (html: string) => [...html.matchAll(/data-key="[^"]*\/([^"/]*)"/g)].map(([, key]) => key);

for (const engine of storeEngines)
  describe.runIf(engine.available)(`the page of people on ${engine.name}`, () => {
    async function openWorld() {
      const dashboard = await openDashboard(engine.fresh);
      await ingestBodies(dashboard.store, [
        contactDelivery({
          id: 'one',
          version: 0,
          more: { name: hostile, ...emails('a@example.test', 'b@example.test') },
        }),
        contactDelivery({
          id: 'two',
          version: 0,
          more: { name: 'Ada', ...emails('B@example.test', 'c@example.test') },
        }),
      ]);
      return dashboard;
    }

    it('lists a person with two contacts once, with all addresses, and finds them by any of these', async () => {
      await using dashboard = await openWorld();
      for (const query of ['', '?email=C@example.test', '?name=ada']) {
        const { html } = await dashboard.page(`/people${query}`);
        expect(keysIn(html)).toEqual(['one']);
        expect(html).toContain('a@example.test, b@example.test, c@example.test');
        expect(html).not.toContain(hostile);
      }
      expect((await dashboard.page('/people?email=none@example.test')).html).toContain('No one matches');
    });

    it('links people without a contact to their bookings', async () => {
      await using dashboard = await openWorld();
      await ingestCountedBookings(dashboard.store);
      const { html } = await dashboard.page('/people?contact=false');
      expect(keysIn(html).length).toBeGreaterThan(0);
      expect(html).toMatch(/href="\/bookings\?email=[^"]+"/);
    });

    it('and the page of each of the contacts show the same person', async () => {
      await using dashboard = await openWorld();
      for (const [id, other] of [
        ['one', 'two'],
        ['two', 'one'],
      ]) {
        const { html } = await dashboard.page(`/contacts/${id}`);
        expect(html).toContain('c@example.test');
        expect(html).toContain(`<a href="/contacts/${other}">`);
      }
    });
  });

// The search over people, bookings and deliveries: what it finds, where it leads, and who may use it.
import { describe, expect, it } from 'vitest';
import { contactDelivery } from '../../../harness/data/contact-deliveries.ts';
import { ingestCountedBookings } from '../../../harness/data/counted-bookings.ts';
import { openDashboard } from '../../../harness/mirror/dashboard.ts';
import { ingestBodies, storeEngines } from '../../../harness/stores.ts';

for (const engine of storeEngines)
  describe.runIf(engine.available)(`the search on ${engine.name}`, () => {
    async function openWorld() {
      const dashboard = await openDashboard(engine.fresh);
      await ingestCountedBookings(dashboard.store);
      const email = 'ada@example.test';
      const more = { name: 'Ada Byron', emails: [{ email, is_primary: true }] };
      await ingestBodies(dashboard.store, [
        ...Array.from({ length: 7 }, (_, version) => contactDelivery({ id: 'ada', version, more })),
        contactDelivery({ id: 'other', version: 0 }),
      ]);
      return dashboard;
    }
    /** The rows of each part. */
    const rowsIn = (html: string): readonly number[] =>
      html
        .split('<h2>')
        .slice(1)
        .map((part) => part.match(/<tr data-key=/g)?.length ?? 0);

    it.each(['Byron', 'ada@example.test'])('finds people, bookings and deliveries with %s', async (text) => {
      await using dashboard = await openWorld();
      const { html } = await dashboard.reader.page(`/search?q=${encodeURIComponent(text)}`);
      expect(rowsIn(html)).toEqual([1, 0, 5]);
      expect(html).toContain('<a href="/contacts/ada">');
      expect(html).toContain(`name="q" value="${text}"`);
      const all = /<a href="(\/deliveries\?[^"]*)">Search all deliveries/.exec(html)?.[1] ?? '';
      expect((await dashboard.page(all)).html.match(/<tr data-key=/g)).toHaveLength(7);
    });

    it('shows at most five bookings, each a link, and leads to the list of all', async () => {
      await using dashboard = await openWorld();
      const { html } = await dashboard.page('/search?q=example');
      expect(rowsIn(html)[1]).toBe(5);
      expect(html).toMatch(/<tr data-key="[^"]*" data-href="\/bookings\/[^"]+"/);
      expect(html).toContain('<a href="/bookings?q=example">Search all bookings</a>');
    });

    it('is on every page, and asks for a text where it has none', async () => {
      await using dashboard = await openWorld();
      const { html } = await dashboard.page('/numbers');
      expect(html).toMatch(/<form class="search" method="get" action="\/search"/);
      expect((await dashboard.page('/search')).html).toContain('Type a part of a name, or an e-mail address.');
    });
  });

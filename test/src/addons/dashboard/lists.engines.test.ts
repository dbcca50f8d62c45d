// Lists with fixed columns: an address of the page of a record leads to its row, and an order that a list does not have is left.
import { describe, expect, it } from 'vitest';
import { fillReadWorld } from '../../../harness/data/read-world.ts';
import { uri } from '../../../harness/data/counted-bookings.ts';
import { openDashboard } from '../../../harness/mirror/dashboard.ts';
import { oneEngine } from '../../../harness/stores.ts';

for (const engine of oneEngine)
  describe.runIf(engine.available)(`the lists of pages on ${engine.name}`, () => {
    it('lead from the address of one record to its row', async () => {
      await using dashboard = await openDashboard(engine.fresh);
      await fillReadWorld(dashboard.store);
      const targetOf = async (path: string) => (await dashboard.page(path)).headers.get('location');
      const row = (table: string, id: string) => `/tables/${table}/${encodeURIComponent(uri(table, id))}`;
      expect(await targetOf('/recaps/one')).toBe(row('meeting_recaps', 'one'));
      expect(await targetOf('/routing/lead')).toBe(row('routing_form_submissions', 'lead'));
    });

    it('drop an order of the other list of a page', async () => {
      await using dashboard = await openDashboard(engine.fresh);
      const moved = await dashboard.page('/routing?booked=true&order=name.desc');
      expect([moved.status, moved.headers.get('location')]).toEqual([303, '/routing?booked=true']);
    });

    it('page through what a condition of their own selects', async () => {
      await using dashboard = await openDashboard(engine.fresh);
      await fillReadWorld(dashboard.store);
      const titles = (html: string) =>
        [...html.matchAll(/<td[^>]*data-label="Meeting"[^>]*><a[^>]*><bdi>([^<]*)/g)].map(([, text]) => text);
      const first = await dashboard.page('/recaps?text=back&limit=1&order=event_name.desc');
      const [, next = ''] = /<a rel="next" href="([^"]*)"/.exec(first.html) ?? [];
      const second = await dashboard.page(next.replaceAll('&amp;', '&'));
      expect([titles(first.html), titles(second.html)]).toEqual([['Talk one'], ['Talk A3']]);
    });
  });

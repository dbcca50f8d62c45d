// What a visitor does on a page is done in the name of that visitor, and the table of actions says so.
import { describe, expect, it } from 'vitest';
import { logIn } from '../../../harness/mirror/api-app.ts';
import { openDashboard } from '../../../harness/mirror/dashboard.ts';
import { ingestBodies, oneEngine } from '../../../harness/stores.ts';

for (const engine of oneEngine)
  describe.runIf(engine.available)(`an action on a page, on ${engine.name}`, () => {
    it('is in the table of actions: what was done, by whom, from where and how it ended', async () => {
      await using dashboard = await openDashboard(engine.fresh);
      expect((await dashboard.page('/tables/admin_actions')).html).toContain('There is no row yet');
      await ingestBodies(dashboard.store, ['not JSON']);
      const headers = { cookie: await logIn(dashboard.admin), 'sec-fetch-site': 'same-origin' };
      await dashboard.admin.ask('/deliveries/1/replay', { method: 'POST', body: new FormData(), headers });
      await dashboard.reader.submit('/api/alerts/7/resend');
      const { status, html } = await dashboard.page('/tables/admin_actions');
      const text = html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
      expect(status).toBe(200);
      expect(text).toMatch(
        /read-only token 192\.0\.2\.1 resendAlert 7 .*403.*admin session 192\.0\.2\.1 replayDelivery 1 /,
      );
      const filtered = await dashboard.page('/tables/admin_actions?operation=eq.resendAlert');
      expect([...filtered.html.matchAll(/<tr data-href/g)]).toHaveLength(1);
      expect(dashboard.reported).toEqual([]);
    });

    it('is linked where it can be read: with the admin token', async () => {
      await using dashboard = await openDashboard(engine.fresh);
      expect((await dashboard.page('/mirror')).html).toContain('href="/tables/admin_actions"');
      expect((await dashboard.reader.page('/mirror')).html).not.toContain('admin_actions');
    });
  });

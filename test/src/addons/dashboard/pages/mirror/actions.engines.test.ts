// The page of what operators did, and that pages act in the name of their visitor.
import { describe, expect, it } from 'vitest';
import { logIn } from '../../../../../harness/mirror/api-app.ts';
import { openDashboard } from '../../../../../harness/mirror/dashboard.ts';
import { ingestBodies, oneEngine } from '../../../../../harness/stores.ts';

for (const engine of oneEngine)
  describe.runIf(engine.available)(`the page of actions on ${engine.name}`, () => {
    it('says what was done, by whom, from where and how it ended', async () => {
      await using dashboard = await openDashboard(engine.fresh);
      expect((await dashboard.page('/mirror/actions')).html).toContain('No action matches.');
      await ingestBodies(dashboard.store, ['not JSON']);
      const headers = { cookie: await logIn(dashboard.admin), 'sec-fetch-site': 'same-origin' };
      await dashboard.admin.ask('/deliveries/1/replay', { method: 'POST', body: new FormData(), headers });
      await dashboard.post('/api/deliveries/missing/replay');
      await dashboard.reader.submit('/api/alerts/7/resend');
      await dashboard.post('/api/deliveries/replay', { outcome: 'quarantined', q: 'JSON' });
      await dashboard.post('/api/deliveries/dismiss', { outcome: 'quarantined' });
      const { status, html } = await dashboard.page('/mirror/actions');
      const text = html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
      expect(status).toBe(200);
      expect(text).toContain(
        'Replay deliveries done outcome quarantined, text not recorded 1 looked at, none can be applied',
      );
      expect(text).toContain('Dismiss deliveries done outcome quarantined 1 dismissed');
      expect(text).toMatch(/Resend alert 7 refused read-only token 192\.0\.2\.1/);
      expect(text).toMatch(/Replay delivery missing failed, 404 admin token 192\.0\.2\.1/);
      expect(text).toContain('Replay delivery 1 done nothing changed admin session 192.0.2.1');
      expect(html).toContain('<a href="/deliveries/1">');
      const filtered = await dashboard.page('/mirror/actions?operation=resendAlert');
      expect([...filtered.html.matchAll(/<tr data-key/g)]).toHaveLength(1);
      expect(dashboard.reported).toEqual([]);
    });
  });

// The page Now on every store: an empty installation, one at work, one with problems, and hostile names.
import { describe, expect, it } from 'vitest';
import type { Installation } from '#src/read/health/read-health.ts';
import { dayMs, hourMs, instantOf } from '#src/base/time.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { contactDelivery } from '../../../../harness/data/contact-deliveries.ts';
import { processRow } from '../../../../harness/data/process-row.ts';
import { ingest } from '../../../../harness/ingest.ts';
import { openDashboard } from '../../../../harness/mirror/dashboard.ts';
import { storeEngines } from '../../../../harness/stores.ts';

const installation = (given: Parameters<typeof processRow>[0] = {}): Installation => ({
  processes: async () => [processRow({ seen_at: instantOf(Date.now()), started_at: instantOf(Date.now()), ...given })],
  queueEngine: 'redis',
  missingSettings: ['API_TOKEN'],
  recentEveryMs: hourMs,
  fullEveryMs: dayMs,
  jobPeriods: {},
});

for (const engine of storeEngines)
  describe.runIf(engine.available)(`the page Now on ${engine.name}`, () => {
    const open = (given?: Parameters<typeof processRow>[0]) =>
      openDashboard(engine.fresh, { installation: installation(given) });
    const receive = async (store: Parameters<typeof ingest>[0]['store'], bodies: readonly string[]) => {
      const receivedAt = instantOf(Date.now());
      const deliveries = bodies.map((body) => ({ body, receivedAt }));
      await ingest({ store, screen: privacyScreen({ eraseOnDelete: true }) }, { v: 1, deliveries }, receivedAt);
    };

    it('of an empty installation shows the next command, ready to copy', async () => {
      await using dashboard = await open();
      const { status, html } = await dashboard.page('/');
      expect(status).toBe(200);
      expect(html).toContain('<h1>Slotstream runs, and nothing has arrived yet.</h1>');
      expect(html).toMatch(/id="step-settings" class="next" aria-current="step"/);
      expect(html).toContain('Set API_TOKEN in .env, and start again.');
      const commands = [
        ...html.matchAll(/<code>([^<]+)<\/code><\/pre>\s*<button type="button" class="needs-script" data-copy>/g),
      ];
      expect(commands.map(([, command = '']) => command.replace(/^\S*bin\//, ''))).toEqual([
        'cp -n ./.env.example .env',
        'slotstream bootstrap',
        'slotstream backfill',
        'slotstream trigger invitee.created',
        'slotstream demo',
      ]);
      expect(html).toContain('data-live data-seq="0"');
    });

    it('says first that everything works, and folds the checks away', async () => {
      await using dashboard = await open({ accepted: 2, lag_p50_ms: 40, lag_p99_ms: 1_200 });
      await receive(dashboard.store, [contactDelivery({ id: 'one', version: 0 })]);
      const { html } = await dashboard.page('/');
      expect(html).toContain('<h1 class="verdict ok">Everything works.</h1>');
      expect(html).toMatch(/<details class="well" id="well">\s*<summary>15 checks passed<\/summary>/);
      expect(html).not.toContain('<ul class="plain health"');
      for (const text of ['2 accepted in 10 minutes', 'Redis', 'nothing waiting', 'Entry #1'])
        expect(html).toContain(text);
      expect(html).toMatch(/<tr data-key="1" data-href="\/deliveries\/1"/);
      expect(html).toContain('is a new contact');
      expect(html).toContain('data-live data-seq="1"');
      expect(html).toContain('follows when the log is a week old');
    });

    it('does not say that nothing waits while the queue does not answer', async () => {
      await using dashboard = await open({ queue: 'not answering', queue_waiting: null, queue_active: null });
      await receive(dashboard.store, [contactDelivery({ id: 'one', version: 0 })]);
      const { html } = await dashboard.page('/');
      expect(html).toContain('The queue does not answer.');
      expect(html).toContain('nothing on disk');
      expect(html).not.toMatch(/nothing (?:waiting|in progress)/);
    });

    it('shows what is not well with its fix, the worst first, and what waits at each arrow', async () => {
      const oldest = instantOf(Date.now() - 20 * 60_000);
      await using dashboard = await open({
        spool_deliveries: 2,
        spool_since: oldest,
        queue_waiting: 3,
        queue_oldest_at: oldest,
      });
      await receive(dashboard.store, ['no JSON']);
      const { html } = await dashboard.page('/');
      expect(html).toContain('<h1 class="verdict problem">3 things need you.</h1>');
      const notices = [...html.matchAll(/<li class="notice (\w+)" id="health-(\w+)">/g)].map(([, state, id]) => [
        state,
        id,
      ]);
      expect(notices).toEqual([
        ['problem', 'quarantine'],
        ['warning', 'queue'],
        ['warning', 'disk_log'],
      ]);
      expect(html).toMatch(/<code>\S*bin\/slotstream replay --quarantined --dry-run<\/code> shows whether/);
      expect(html).toContain('3 batches waiting');
      expect(html).toContain('2 deliveries on disk');
      expect(html).toContain('oldest 20 min');
      expect(html).toContain(
        '<a href="/deliveries?outcome=quarantined">1 delivery could not be applied within the last hour.</a>',
      );
      expect(html).not.toContain('Needs you');
      expect(html).toContain('<span class="badge problem">quarantined</span>');
    });

    it('refuses a time zone that does not exist, and takes one that does', async () => {
      await using dashboard = await open();
      await receive(dashboard.store, [contactDelivery({ id: 'one', version: 0 })]);
      expect((await dashboard.page('/?timezone=Europe/Berlin')).html).toContain(
        'Days begin in <bdi>Europe/Berlin</bdi>',
      );
      expect((await dashboard.page('/?timezone=Nowhere')).status).toBe(400);
    });
  });

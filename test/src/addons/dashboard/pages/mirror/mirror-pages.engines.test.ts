// The pages about the mirror on every store: what they say, what they let an operator do, and what a reader is refused.
import { describe, expect, it } from 'vitest';
import { loadConfig } from '#src/config/load.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { insertAlerts, readAlerts } from '#src/store/alerts/alert-rows.ts';
import { markFailed } from '#src/store/alerts/send-results.ts';
import { setPosition } from '#src/store/log/consumer-offsets.ts';
import { writeSubscriptions } from '#src/store/subscription-rows.ts';
import { recordRun } from '#src/store/jobs/reconcile-state.ts';
import { expectGolden, readPages } from '../../../../../harness/golden.ts';
import { openDashboard } from '../../../../../harness/mirror/dashboard.ts';
import { testProcess } from '../../../../../harness/mirror/test-process.ts';
import { ingestBodies, oneEngine } from '../../../../../harness/stores.ts';

const hostile = '<script>alert(1)</script>';
const at = '2025-04-14T12:00:00.000000Z';
const clock = () => Date.parse('2025-04-14T13:00:00Z');
const pages = [
  '/mirror',
  '/mirror/subscriptions',
  '/mirror/subscriptions?compare=true',
  '/mirror/sync',
  '/mirror/feed',
  '/mirror/alerts',
  '/queues',
];

const ownerless = { user: null, group: null, creator: null, retry_started_at: null };
const emptySubscription = { ...ownerless, created_at: at, updated_at: at, checked_at: at };

const textOf = (html: string): string =>
  html
    .replaceAll(/<(style|script)>.*?<\/\1>/gs, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

for (const { name, available, fresh } of oneEngine)
  describe.runIf(available)(`the pages of the mirror on ${name}`, () => {
    async function openFilled() {
      const dashboard = await openDashboard(fresh, {
        clock,
        process: testProcess({ queue: { ...testProcess().queue, oldestMs: async () => clock() - 5000 } }),
      });
      const { store } = dashboard;
      const delivery = (event: string, payload: object) =>
        JSON.stringify({ event, created_at: '2025-04-14T11:00:00Z', payload });
      const person = { name: 'Person', emails: [], updated_at: '2025-04-14T11:00:00Z' };
      await ingestBodies(store, [
        delivery(`contact.${hostile}`, { uri: 'https://service.example.com/contacts/1' }),
        delivery('contact.created', { ...person, uri: 'https://service.example.com/contacts/2', [hostile]: 1 }),
      ]);
      const subscription = {
        ...emptySubscription,
        uri: 'https://service.example.com/webhook_subscriptions/1',
        callback_url: `https://hooks.example.com/${hostile}`,
        state: 'disabled',
        scope: 'organization',
        organization: 'https://service.example.com/organizations/1',
        events: ['contact.created', 'contact.updated', `invitee.${hostile}`],
      };
      await writeSubscriptions(store, { seen: [subscription], deleted: [] });
      await store.transaction(async (unit) => {
        await setPosition(unit, { name: hostile, position: 1, updated_at: at });
        const about = { subject_uri: 'mirror', fact: 'x', detail: hostile };
        const alert = { id: 'alert-1', rule: hostile, channel: 'slack', ...about };
        await insertAlerts(unit, [{ ...alert, occurred_at: at, due_at: at }], at);
        const found = await readAlerts(unit, ['alert-1']);
        await markFailed(unit, found, { now: at, error: hostile, next_at: undefined });
      });
      const run = { started_at: at, finished_at: at, read: 10, quarantined: 0, drift: { contact: { missing: 2 } } };
      const rest = { meeting_dates: 0, unreadable: [hostile], held_back: { [hostile]: 3 }, not_compared: 0 };
      await recordRun(store, 'recent', { run: { ...run, ...rest } });
      return dashboard;
    }

    it('say that the queue does not answer, or why the service cannot be asked, and show everything else', async () => {
      const down = async (): Promise<never> => {
        throw new SlotstreamError('queue_unavailable', 'The queue failed.', { hint: 'Check QUEUE_URL.' });
      };
      const planSubscriptions = async (): Promise<never> => {
        throw new SlotstreamError('config', 'PUBLIC_URL is not set.', { hint: 'Set it.' });
      };
      const process = testProcess({ planSubscriptions, queue: { engine: 'redis', depth: down, oldestMs: down } });
      await using dashboard = await openDashboard(fresh, { clock, process });
      const addresses = ['/queues', '/mirror/subscriptions?compare=true', '/mirror'];
      await expectGolden(await readPages(dashboard, addresses), 'golden/mirror-that-does-not-answer.txt');
    });

    it('are shown on an empty installation, each with what to do next', async () => {
      await using dashboard = await openDashboard(fresh, { clock, process: testProcess({ sinks: async () => [] }) });
      await expectGolden(await readPages(dashboard, pages), 'golden/mirror-of-nothing.txt');
    });

    it('say what needs a person, show hostile text as text, and no callback of ours in full', async () => {
      await using dashboard = await openFilled();
      await expectGolden(await readPages(dashboard, pages), 'golden/mirror.txt');
      for (const path of [...pages, '/mirror/settings']) {
        const { html } = await dashboard.page(path);
        expect(html.replace(/<script>[^]*?<\/script>/, '')).not.toContain('<script>');
        expect(html).not.toMatch(/ (?:style|on\w+)="|s=secret/);
      }
    });

    it('resend a failed alert for who may, show the result, and have no buttons for who may only read', async () => {
      await using dashboard = await openFilled();
      for (const path of [...pages, '/mirror/alerts?state=failed']) {
        const { status, html } = await dashboard.reader.page(path);
        // The footer has a button to log out.
        const [content = ''] = html.split('<footer', 1);
        expect([path, status, content.includes('method="post"')]).toEqual([path, 200, false]);
      }
      expect((await dashboard.page('/mirror/alerts?state=failed')).html).toContain('>Resend</button>');
      const resent = await dashboard.submit('/mirror/alerts/alert-1/resend');
      expect([resent.status, resent.headers.get('location')]).toEqual([303, '/mirror/alerts?resent=true']);
      expect(textOf((await dashboard.page('/mirror/alerts?resent=true')).html)).toContain('sent again within seconds');
      expect((await dashboard.submit('/mirror/alerts/alert-1/resend')).status).toBe(409);
      expect(dashboard.heard.acted).toEqual(['resendAlert']);
    });

    it('show settings in groups, those that are set first, with their source and no secret', async () => {
      const env = { API_TOKEN: 'pa55word-Zq7', QUEUE_URL: 'redis://:Zq7@cache.example.com' };
      const { settings } = loadConfig(env, ['QUEUE_URL']);
      await using dashboard = await openDashboard(fresh, { process: testProcess({ settings }) });
      const { html } = await dashboard.page('/mirror/settings');
      expect(html).not.toContain('Zq7');
      expect(textOf(html)).toMatch(/QUEUE_URL .* redis:\/\/cache\.example\.com\/… \.env/);
      expect(textOf(html)).toMatch(/API_TOKEN .* hidden environment/);
      const groups =
        '2 settings of|>API_TOKEN<|>QUEUE_URL<|Set these \\(1\\)|>PUBLIC_URL<|Alerts \\(|>ALERT_GRACE<|Feed \\(';
      expect(html).toMatch(new RegExp(groups.replaceAll('|', '[^]*')));
      for (const once of groups.split('|')) expect(html.split(new RegExp(once))).toHaveLength(2);
      expect(textOf(html)).toContain('AI models cannot ask this process: MCP_TOKEN is not set.');
    });
  });

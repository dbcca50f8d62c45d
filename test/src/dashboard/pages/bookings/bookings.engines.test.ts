// The pages of bookings and no-shows: what they show, where they lead, and that names of strangers stay inert.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertRows } from '#src/store/rows.ts';
import { ingestCountedBookings, january, uri } from '../../../../harness/data/counted-bookings.ts';
import { openDashboard } from '../../../../harness/mirror/dashboard.ts';
import { ingestBodies, storeEngines } from '../../../../harness/stores.ts';

const hostile = `<img src=x onerror=alert(1)>"'&\u202e`;

const missed = JSON.stringify({
  event: 'invitee.created',
  created_at: january(10),
  payload: {
    uri: uri('invitees', 'X1'),
    email: `"${hostile}"@example.test`,
    name: hostile,
    timezone: hostile,
    status: 'active',
    created_at: january(10),
    updated_at: january(10),
    event: uri('events', 'X1'),
    reschedule_url: 'javascript:alert(1)',
    cancel_url: 'https://example.test/"><script>',
    tracking: { utm_campaign: hostile, utm_source: hostile },
    questions_and_answers: [{ question: hostile, answer: hostile, position: 0 }],
    payment: { external_id: hostile, provider: hostile, amount: 5, currency: hostile, terms: null, successful: false },
    no_show: { uri: uri('no_shows', '9'), created_at: january(12) },
    scheduled_event: {
      uri: uri('events', 'X1'),
      name: hostile,
      status: 'active',
      start_time: january(11),
      end_time: january(11, '10:00:00'),
      location: { type: hostile, location: hostile, join_url: 'javascript:alert(1)' },
      event_memberships: [{ user: uri('users', 'x'), user_name: hostile, user_email: hostile }],
      event_guests: [{ email: hostile }],
    },
  },
});

const recap = JSON.stringify({
  event: 'meeting_recap.created',
  created_at: january(12),
  payload: {
    uri: uri('recaps', '1'),
    summary_md: hostile,
    created_at: january(12),
    event: { uri: uri('events', 'X1'), name: hostile },
  },
});

for (const engine of storeEngines)
  describe.runIf(engine.available)(`bookings on ${engine.name}`, () => {
    let dashboard: Awaited<ReturnType<typeof openDashboard>>;
    beforeAll(async () => {
      dashboard = await openDashboard(engine.fresh);
      await ingestCountedBookings(dashboard.store);
      await ingestBodies(dashboard.store, [missed, recap]);
      const at = january(12);
      const alert = { rule: hostile, subject_uri: uri('invitees', 'X1'), channel: 'slack', attempts: 1, episode: 1 };
      const times = { occurred_at: at, due_at: at, next_at: at, created_at: at, updated_at: at };
      await dashboard.store.transaction((unit) =>
        insertRows(unit, 'alerts', [{ ...alert, ...times, id: 'one', state: 'failed', fact: uri('no_shows', '9') }]),
      );
    });
    afterAll(() => dashboard[Symbol.asyncDispose]());

    const keysOf = (html: string) => [...html.matchAll(/<tr data-key="([^"]*)"/g)].map(([, key]) => key);
    const shown = async (path: string) => {
      const { status, html } = await dashboard.page(path);
      expect([status, dashboard.reported]).toEqual([200, []]);
      return html;
    };

    it('are listed with their outcome, each leading to its page', async () => {
      const html = await shown('/bookings');
      expect(keysOf(html)).toHaveLength(10);
      expect(html).toContain('href="/bookings/A3"');
      expect(html).toMatch(/Guest A[\s\S]*ended<\/span> <span class="soft">moved twice/);
    });

    it('are filtered by the address of the page', async () => {
      expect(keysOf(await shown('/bookings?outcome=no_show'))).toEqual([uri('invitees', 'X1'), uri('invitees', 'B1')]);
      expect(keysOf(await shown('/bookings?q=guest+c&status=canceled&host='))).toEqual([uri('invitees', 'C1')]);
      expect(await shown('/bookings?q=none')).toContain('No booking matches these filters.');
      expect(await shown('/bookings?unconfirmed=true')).toContain('Nothing to check');
      expect(keysOf(await shown('/bookings?attendance=unconfirmed'))).toEqual([
        uri('invitees', 'H1'),
        uri('invitees', 'A1'),
      ]);
      expect((await dashboard.page('/bookings?outcome=lost')).status).toBe(400);
    });

    it('have a page with a timeline, whose dots lead to the deliveries', async () => {
      const html = await shown('/bookings/A1');
      expect(html).toMatch(/<p class="soft"><a href="\/bookings">Bookings<\/a> \/ /);
      expect(html).toMatch(/data-copy="https:[^"]+\/A3"/);
      const dots = [...html.matchAll(/<a\s+class="dot"\s+href="\/deliveries\/(\d+)"/g)].map(([, seq]) => Number(seq));
      const events = dots.map(async (seq) => (await dashboard.get(`/api/deliveries/${seq}`)).body.resource.event);
      const moves = ['invitee.created', 'invitee.created', 'invitee.created'];
      expect(await Promise.all(events)).toEqual(['routing_form_submission.created', ...moves]);
      expect(html).toContain('End of A talk.');
      expect(html).toContain('No recap or transcript shows that they came.');
      expect(html).toContain('href="/contacts/a"');
      expect((await dashboard.page('/bookings/none')).status).toBe(404);
    });

    it('that were missed are a worklist', async () => {
      const html = await shown('/no-shows');
      expect(keysOf(html)).toEqual([uri('no_shows', '9'), uri('no_shows', '1')]);
      expect(html).toContain('for the invitee: Tue, 7 Jan 2025, 15:30–16:00 (Europe/Berlin)');
      expect(html).toContain('href="/bookings/B3"');
      expect(html).toMatch(/data-label="Marked"><time[^>]*>[^<]*UTC<\/time> <small class="needs-script">your time/);
      expect(keysOf(await shown('/no-shows?q=guest+b'))).toEqual([uri('no_shows', '1')]);
      expect(html).toContain('<span class="badge problem">failed</span>');
      expect(await shown('/no-shows?state=undone')).toContain('No mark matches these filters.');
    });

    it('show what strangers wrote as text', async () => {
      for (const path of ['/bookings', '/bookings/X1', '/no-shows', `/bookings?q=${encodeURIComponent(hostile)}`]) {
        const html = await shown(path);
        expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
        expect(html).not.toMatch(/<img|href="javascript|"><script>/);
        expect(html.match(/<script/g)).toHaveLength(1);
      }
    });
  });

// The pages of routing forms: the funnel, the submissions, and one with its answers.
import { describe, expect, it } from 'vitest';
import { january, ingestCountedBookings, uri } from '../../../../harness/data/counted-bookings.ts';
import { openDashboard } from '../../../../harness/mirror/dashboard.ts';
import { ingestBodies, storeEngines } from '../../../../harness/stores.ts';

const range = 'from=2025-01-01&to=2025-01-31';
const hostile = '<b onclick=alert(1)>\u202e';
const keysIn = (html: string) => [...html.matchAll(/data-key="[^"]*\/([^"/]*)"/g)].map(([, key]) => key);

const submission = (id: string, result: object, answers: readonly object[] = []): string =>
  JSON.stringify({
    event: 'routing_form_submission.created',
    created_at: january(9),
    payload: {
      uri: uri('routing_form_submissions', id),
      routing_form: uri('forms', 'sales'),
      questions_and_answers: answers,
      tracking: { utm_campaign: hostile },
      result,
      created_at: january(9),
    },
  });

for (const engine of storeEngines)
  describe.runIf(engine.available)(`the pages of routing on ${engine.name}`, () => {
    async function openWorld() {
      const dashboard = await openDashboard(engine.fresh);
      await ingestCountedBookings(dashboard.store);
      await ingestBodies(dashboard.store, [
        submission('open', { type: 'event_type', value: uri('event_types', 'intro') }, [
          { question: hostile, answer: hostile },
        ]),
        submission('site', { type: 'external_url', value: 'javascript:alert(1)' }, [
          { question: 'Company name', answer: 'Acme' },
          { question: 'Your name', answer: 'Ada' },
          { question: 'E-mail', answer: 'ada@example.test' },
        ]),
        submission('page', { type: 'external_url', value: 'https://example.test/?a=1&b="' }),
      ]);
      return dashboard;
    }

    it('draws the funnel with its numbers, and the same as a table', async () => {
      await using dashboard = await openWorld();
      const { status, html } = await dashboard.page(`/routing?${range}`);
      expect(status).toBe(200);
      expect(html).toContain('8 submissions, 3 booked, 1 meeting ended. 1 led to a booking page and did not book.');
      expect(html).toContain('<title>Booked: 3 (38%)</title>');
      expect(html.match(/<svg/g)).toHaveLength(2);
      expect(html).toMatch(/<caption[^>]*>From the form to the meeting/);
      expect(html).toContain('<bdi>Sales</bdi>');
      expect(html).not.toMatch(/ style="/);
    });

    it('lists submissions, and those without a booking stand out', async () => {
      await using dashboard = await openWorld();
      const all = await dashboard.page(`/routing?${range}`);
      expect(keysIn(all.html)).toEqual(['site', 'page', 'open', '5', '4', '3', '2', '1']);
      expect(all.html.match(/badge attention">no booking/g)).toHaveLength(1);
      expect(all.html).toContain('<span class="who"><bdi>Ada</bdi><small><bdi>ada@example.test</bdi></small></span>');
      const open = await dashboard.page(`/routing?${range}&booked=false&result_type=event_type`);
      expect(keysIn(open.html)).toEqual(['open']);
      expect(open.html).toContain('8 submissions');
      const none = await dashboard.page(`/routing?${range}&utm_source=none`);
      expect(none.html).toContain('No submission matches these filters.');
      expect((await dashboard.page('/routing?booked=maybe')).status).toBe(400);
    });

    it('lists those who did not book with who, how long ago, the answers and a later booking in another way', async () => {
      await using dashboard = await openWorld();
      const answers = [
        { question: 'Name', answer: 'Zoë <x>' },
        { question: 'E-mail', answer: 'ZOE@example.test' },
        { question: 'Team', answer: '10 to 50' },
      ];
      await ingestBodies(dashboard.store, [
        submission('lead', { type: 'event_type', value: uri('event_types', 'intro') }, answers),
        JSON.stringify({
          event: 'invitee.created',
          created_at: january(10),
          payload: { uri: uri('invitees', 'zoe'), email: 'zoe@example.test', created_at: january(10) },
        }),
      ]);
      const { html } = await dashboard.page(`/routing?${range}&booked=false&result_type=event_type`);
      expect(keysIn(html)).toEqual(['open', 'lead']);
      expect(html).toContain('People who did not book');
      expect(html).toContain('<bdi>Zoë &lt;x&gt;</bdi><small><bdi>ZOE@example.test</bdi></small>');
      expect(html).toContain('<bdi>10 to 50</bdi>');
      expect(html).toMatch(/\d+ days ago<\/a>/);
      expect(html).toContain('<a href="/bookings/zoe">booked in another way</a>');
      expect((await dashboard.page('/routing/lead')).html).toContain('The same address booked later, in another way.');
    });

    it('names who submitted the form, also where someone else booked with it', async () => {
      await using dashboard = await openWorld();
      const form = uri('routing_form_submissions', 'lead');
      await ingestBodies(dashboard.store, [
        submission('lead', { type: 'event_type', value: uri('event_types', 'intro') }, [
          { question: 'Name', answer: 'Zoë' },
          { question: 'E-mail', answer: 'zoe@example.test' },
        ]),
        JSON.stringify({
          event: 'invitee.created',
          created_at: january(10),
          payload: { uri: uri('invitees', 'bob'), name: 'Bob', created_at: january(10), routing_form_submission: form },
        }),
      ]);
      const { html } = await dashboard.page(`/routing?${range}&booked=true`);
      expect(keysIn(html)).toContain('lead');
      expect(html).toContain('<bdi>Zoë</bdi><small><bdi>zoe@example.test</bdi></small>');
    });

    it('shows thirty days unless another range is asked for, also on the next page', async () => {
      await using dashboard = await openWorld();
      expect((await dashboard.page('/routing')).html).toContain('No routing form was submitted in this range of time.');
      const first = await dashboard.page(`/routing?${range}&count=3`);
      const next = /rel="next" href="([^"]*)"/.exec(first.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
      expect(keysIn((await dashboard.page(next)).html)).toEqual(['5', '4', '3']);
    });

    it('shows one with its answers and where it led, whatever they hold', async () => {
      await using dashboard = await openWorld();
      const open = await dashboard.page('/routing/open');
      expect([open.status, open.html]).toEqual([200, expect.stringContaining('no booking followed')]);
      expect(open.html).toContain('Introduction');
      expect(open.html).not.toContain('<b onclick');
      const site = await dashboard.page('/routing/site');
      expect(site.html).not.toContain('href="javascript');
      const page = await dashboard.page('/routing/page');
      expect(page.html).toMatch(/href="https:\/\/example\.test\/[^"]*" rel="noopener noreferrer"/);
      expect((await dashboard.page('/routing/none')).status).toBe(404);
      expect(dashboard.reported).toEqual([]);
    });
  });

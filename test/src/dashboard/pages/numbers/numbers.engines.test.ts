// The page Numbers: its charts, what each says, where marks lead, and what it shows without data.
import { describe, expect, it } from 'vitest';
import { refillBookings } from '#src/store/bookings/booking-follower.ts';
import { insertRows } from '#src/store/rows.ts';
import type { Store } from '#src/store/contract.ts';
import { addTimeZones } from '#src/store/time-zones.ts';
import { uriOf } from '../../../../harness/data/booking-world.ts';
import { openDashboard } from '../../../../harness/mirror/dashboard.ts';
import { storeEngines } from '../../../../harness/stores.ts';

const hostile = '<img src=x onerror=alert(1)>\u202e"';
const range = 'from=2026-03-02&to=2026-03-15';
const instant = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

/** Meetings on Tuesdays at nine in Berlin: six with Ada, two of them missed, and one with a host who has too few for a rate. */
async function addBookings(store: Store): Promise<void> {
  const start = Date.parse('2026-03-03T08:00:00Z');
  const booking = (id: number, host: number) => {
    const startMs = start + (id % 2) * 7 * 86_400_000;
    return {
      event: {
        uri: uriOf('scheduled_events', id),
        name: 'Meeting',
        status: 'active',
        start_time: instant(startMs),
        end_time: instant(startMs + 1_800_000),
        event_type: uriOf('event_types', 'demo'),
        hosts: [{ user: uriOf('users', host) }],
      },
      invitee: {
        uri: uriOf('invitees', id),
        event_uri: uriOf('scheduled_events', id),
        status: 'active',
        created_at: instant(startMs - 50 * 3_600_000),
        utm_campaign: hostile,
        no_show_at: id < 2 ? instant(startMs) : null,
        payment_successful: id === 0 ? true : null,
        payment_amount: id === 0 ? 1_250.5 : null,
        payment_currency: id === 0 ? 'EUR' : null,
      },
    };
  };
  const bookings = [0, 1, 2, 3, 4, 6].map((id) => booking(id, 1)).concat(booking(8, 2));
  await store.transaction(async (unit) => {
    await insertRows(unit, 'event_types', [{ uri: uriOf('event_types', 'demo'), name: 'Demo' }]);
    await insertRows(unit, 'users', [
      { uri: uriOf('users', 1), name: 'Ada', timezone: 'Europe/Berlin' },
      { uri: uriOf('users', 2), name: hostile, timezone: 'Europe/Berlin' },
    ]);
    await insertRows(
      unit,
      'scheduled_events',
      bookings.map(({ event }) => event),
    );
    await insertRows(
      unit,
      'invitees',
      bookings.map(({ invitee }) => invitee),
    );
    await refillBookings(unit);
    await addTimeZones(unit, ['Europe/Berlin']);
  });
}

for (const engine of storeEngines)
  describe.runIf(engine.available)(`the page Numbers on ${engine.name}`, () => {
    it('says above each chart what stands out, with the counts', async () => {
      await using dashboard = await openDashboard(engine.fresh);
      await addBookings(dashboard.store);
      const { status, html } = await dashboard.page(`/numbers?${range}`);
      expect([status, dashboard.reported]).toEqual([200, []]);
      expect(html.replaceAll(/<[^>]+>/g, '')).toContain(
        'were missed (2 no-shows). It may be more: for 5 others there is no record of whether the invitee came.',
      );
      expect(html).toContain(
        'href="/bookings?min_start_time=2026-03-02&amp;max_start_time=2026-03-15&amp;timezone=UTC&amp;unconfirmed=true"',
      );
      for (const sentence of [
        '<strong>28.6%</strong> of 7 meetings from 2 March to 15 March 2026 were missed (2 no-shows).',
        '7 bookings: 7 ended or missed, 0 upcoming, 0 canceled.',
        'Tuesday, 3 March 2026 has the most bookings: 5.',
        'Demo has the highest rate: 28.6%, 2 of 7 meetings.',
        'Ada has the highest rate: 33.3%, 2 of 6 meetings.',
        'Meetings booked 2 to 3 days ahead are missed most often: 28.6%, 2 of 7.',
        'Tuesday 09:00 has the most meetings: 7. In the local time of the host.',
      ])
        expect(html).toContain(sentence);
      expect(html).toContain('too few (0 of 1)');
      // One week has five meetings, the other has two: that is no trend.
      expect(html).not.toContain('No-show rate by week');
      expect(html).toContain('<title>Tuesday 09:00: 7 meetings</title>');
      expect(html).toContain('<title>Sunday 23:00: 0 meetings</title>');
    });

    it('compares the range with as many days before, and has one control for it', async () => {
      await using dashboard = await openDashboard(engine.fresh);
      await addBookings(dashboard.store);
      const { html } = await dashboard.page('/numbers?from=2026-03-16&to=2026-03-29');
      expect(html).toContain('14 days before: 28.6% of 7 meetings were missed.');
      const choice = await dashboard.page('/numbers?days=30');
      expect(choice.html).toMatch(/aria-current="true">30 days</);
      expect(choice.html).not.toContain('name="days"');
      const [from, to] = ['from', 'to'].map(
        (name) => new RegExp(`name="${name}"\\s+type="date"\\s+value="([^"]*)"`).exec(choice.html)?.[1] ?? '',
      );
      expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBe(29 * 86_400_000);
      expect((await dashboard.page(`/numbers?from=${from}&to=${to}`)).html).toMatch(/aria-current="true">30 days</);
    });

    it('leads from marks to the bookings behind them, with the filters of the page', async () => {
      await using dashboard = await openDashboard(engine.fresh);
      await addBookings(dashboard.store);
      const host = uriOf('users', 1);
      const { html } = await dashboard.page(`/numbers?${range}&host=${encodeURIComponent(host)}`);
      const links = [...html.matchAll(/href="(\/bookings\?[^"]*)"/g)].map(([, href = '']) =>
        href.replaceAll('&amp;', '&'),
      );
      const queries = links.map((link) => Object.fromEntries(new URL(link, 'http://x').searchParams));
      expect(queries).toContainEqual({
        host,
        min_start_time: '2026-03-03',
        max_start_time: '2026-03-03',
        timezone: 'UTC',
        outcome: 'no_show',
      });
      expect(queries).toContainEqual({
        host,
        event_type: uriOf('event_types', 'demo'),
        min_start_time: '2026-03-02',
        max_start_time: '2026-03-15',
        timezone: 'UTC',
      });
      expect(queries.every((query) => query['host'] === host)).toBe(true);
    });

    it('has weeks instead of days in a long range, and the local time of the invitee on request', async () => {
      await using dashboard = await openDashboard(engine.fresh);
      await addBookings(dashboard.store);
      const { html } = await dashboard.page('/numbers?from=2025-12-01&to=2026-06-30&time_zone=invitee');
      expect(html).toContain('The week from 2 Mar to 8 March 2026 has the most bookings');
      expect(html).toContain('In the local time of the invitee. 7 meetings without a known time zone counted in UTC.');
      expect(html).toContain('Tuesday 08:00 has the most meetings: 7.');
    });

    it('says what would fill it, and which filter cannot be used', async () => {
      await using dashboard = await openDashboard(engine.fresh);
      const empty = await dashboard.page('/numbers');
      expect(empty.html).toContain('No meeting starts in this range.');
      expect(empty.html).not.toContain('<svg viewBox');
      const filtered = await dashboard.page(`/numbers?host=${encodeURIComponent(uriOf('users', 9))}`);
      expect(filtered.html).toContain('No meeting in this range matches these filters.');
      const wrong = await dashboard.page('/numbers?from=2026-03-02&to=2026-03-01');
      expect([wrong.status, wrong.html.includes('has to be the first day or later')]).toEqual([400, true]);
    });
  });

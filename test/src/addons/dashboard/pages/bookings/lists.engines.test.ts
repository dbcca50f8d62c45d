// The lists of bookings and of no-shows: what each filter finds, in which orders, page by page, and why a question is refused.
import { describe, expect, it } from 'vitest';
import { fillBookingInvitees } from '#src/store/bookings/booking-invitees.ts';
import { instantOf } from '#src/base/time.ts';
import { writeRows } from '#src/store/rows.ts';
import { uri } from '../../../../../harness/data/counted-bookings.ts';
import { fillReadWorld } from '../../../../../harness/data/read-world.ts';
import { expectGolden, readableText } from '../../../../../harness/golden.ts';
import { linksIn } from '../../../../../harness/mirror/every-page.ts';
import { openDashboard } from '../../../../../harness/mirror/dashboard.ts';
import { openedOnce } from '../../../../../harness/opened.ts';
import { availableEngines, oneEngine } from '../../../../../harness/stores.ts';

const of = (kind: string, id: string): string => encodeURIComponent(uri(kind, id));
const outcomes = ['upcoming', 'came', 'unknown', 'no_show', 'late_cancellation', 'moved', 'canceled'];

const filters: Readonly<Record<string, readonly string[]>> = {
  '/bookings': [
    ...outcomes.map((outcome) => `outcome=${outcome}`),
    'outcome=canceled_by_host',
    'outcome=canceled_by_invitee',
    'outcome=came_',
    ...['confirmed', 'likely', 'unconfirmed', 'suspected_no_show', 'no_show', 'here'].map((one) => `attendance=${one}`),
    'status=canceled',
    'status=active',
    'status=cancelled',
    `host=${of('users', 'ben')}`,
    'host=ben',
    `event_type=${of('event_types', 'demo')}`,
    'email=a%40EXAMPLE.test',
    'q=guest+b',
    'q=C%40exam',
    ...['%25', '_uest', '%5C', '%27+or+%27%27%3D%27', '%00'].map((inert) => `q=${inert}`),
    'utm_campaign=none',
    'utm_campaign=campaign+b1',
    'max_start_time=2025-01-03&timezone=UTC',
    'min_start_time=2025-01-07&max_start_time=2025-01-08T09:00:00.000000Z&timezone=UTC',
    'min_start_time=yesterday',
    'unconfirmed=yes',
    'unconfirmed=true',
    'unconfirmed=true&min_start_time=2025-01-01',
    `host=${of('users', 'ada')}&min_start_time=2025-01-06&order=start_time.asc`,
    'status=canceled&order=invitee_name.asc',
    'status=canceled&order=invitee_name.desc',
    'order=start',
    'order=hosts.asc',
    'count=0',
    'count=101',
    'outcom=no_show',
    'page_token=forged',
  ],
  '/no-shows': [
    '',
    'state=undone',
    'state=done',
    'order=marked_at.asc',
    'state=undone&order=unmarked_at.asc',
    `host=${of('users', 'ben')}`,
    `event_type=${of('event_types', 'demo')}`,
    'max_start_time=2025-01-07',
    'max_start_time=never',
    'q=guest+b',
    'q=B@example',
    'q=none',
    'outcome=no_show',
  ],
};

const lastPart = (text: string): string => text.slice(text.lastIndexOf('/') + 1);
const keysIn = (html: string): readonly string[] =>
  [...html.matchAll(/<tr data-key="([^"]*)"/g)].map(([, key = '']) => lastPart(key));
const noticeIn = (html: string): string => readableText(/<p class="notice[^>]*>(.*?)<\/p>/s.exec(html)?.[1] ?? '');

describe.each(availableEngines)('the lists of bookings on $name', ({ fresh }) => {
  const dashboard = openedOnce(async () => {
    const opened = await openDashboard(fresh);
    await fillReadWorld(opened.store);
    return opened;
  });

  it.each(Object.entries(filters))('find in %s what its golden file says', async (list, queries) => {
    const parts = [];
    for (const query of queries) {
      const { status, html } = await dashboard.page(`${list}?${query}`);
      const found = status === 200 ? keysIn(html).join(' ') : `${status} ${noticeIn(html)}`;
      parts.push(`GET ${list}?${query}\n    ${found || 'nothing'}`);
    }
    expect(dashboard.reported).toEqual([]);
    await expectGolden(parts.join('\n'), `golden/filters-of-${list.slice(1)}.txt`);
  });

  it.each([
    ['/bookings', 'made_at.desc'],
    ['/bookings', 'start_time.asc'],
    ['/bookings', 'host_name.desc'],
    ['/bookings', 'outcome.asc,start_time.desc'],
    ['/no-shows', 'marked_at.desc'],
    ['/no-shows', 'marked_at.asc'],
  ])('show each row of %s once, in the order %s, in pages both ways', async (list, order) => {
    const all = keysIn((await dashboard.page(`${list}?order=${order}&count=100`)).html);
    expect([all.length > 1, new Set(all).size]).toEqual([true, all.length]);
    const linkIn = (html: string, rel: string) =>
      new RegExp(`<a rel="${rel}" href="([^"]*)"`).exec(html)?.[1]?.replaceAll('&amp;', '&');
    const pages = [(await dashboard.page(`${list}?order=${order}&count=${Math.ceil(all.length / 3)}`)).html];
    for (let next = linkIn(pages[0] ?? '', 'next'); next; next = linkIn(pages.at(-1) ?? '', 'next'))
      pages.push((await dashboard.page(next)).html);
    expect(pages.flatMap(keysIn)).toEqual(all);
    let previous = linkIn(pages.at(-1) ?? '', 'prev');
    for (const html of pages.slice(0, -1).toReversed()) {
      const back = await dashboard.page(previous ?? '');
      expect(keysIn(back.html)).toEqual(keysIn(html));
      previous = linkIn(back.html, 'prev');
    }
    expect(previous).toBeUndefined();
  });

  it('have the order of the door, which a heading changes and a filter keeps', async () => {
    for (const order of ['start_time.asc', 'invitee_name.asc', 'host_name.desc', 'attendance.asc']) {
      const { html } = await dashboard.page(`/bookings?order=${order}&count=100`);
      const { body } = await dashboard.get(`/api/tables/bookings?order=${order}&select=uri`);
      const uris = (body.collection as readonly { readonly uri: string }[]).map((row) => lastPart(row.uri));
      expect(keysIn(html)).toEqual(uris);
      expect(html).toContain(`<option value="${order}" selected>`);
    }
    const { html } = await dashboard.page('/bookings?outcome=unknown&order=start_time.desc');
    expect(linksIn(html)).toContain('/bookings?outcome=unknown&order=start_time.asc');
    expect(html).toMatch(/<th [^>]*aria-sort="descending">\s*<a [^>]*>Starts/);
  });

  it('refuse a token of another question, and lead on', async () => {
    const { html } = await dashboard.page('/bookings?count=2');
    const token = /page_token=([\w-]+)/.exec(html)?.[1];
    for (const address of [`/bookings?outcome=unknown&page_token=${token}`, `/no-shows?page_token=${token}`]) {
      const refused = await dashboard.page(address);
      expect([refused.status, noticeIn(refused.html)]).toEqual([
        400,
        expect.stringContaining('begin again without it'),
      ]);
    }
    const refused = (await dashboard.page('/bookings?order=start&outcome=came')).html;
    expect(linksIn(refused)).toEqual(expect.arrayContaining(['/bookings?outcome=came', '/bookings']));
  });
});

describe.each(oneEngine)('the lists of bookings on $name', ({ fresh }) => {
  it('end a day before the first moment of the next', async () => {
    await using dashboard = await openDashboard(fresh);
    const starts = { last: '2031-05-01T23:59:59.999000Z', next: '2031-05-02T00:00:00.000000Z' };
    await dashboard.store.transaction(async (unit) => {
      for (const [id, time] of Object.entries(starts)) {
        const [invitee, event] = [uri('invitees', id), uri('events', id)];
        await writeRows(unit, 'invitees', [{ uri: invitee, event_uri: event, created_at: time, no_show_at: time }]);
        await writeRows(unit, 'scheduled_events', [{ uri: event, start_time: time }]);
        await writeRows(unit, 'no_shows', [{ invitee_uri: invitee, no_show_uri: uri('marks', id), marked_at: time }]);
      }
      await fillBookingInvitees(unit);
    });
    for (const list of ['/bookings', '/no-shows']) {
      const keys = async (to: string) =>
        keysIn((await dashboard.page(`${list}?min_start_time=2031-05-01&max_start_time=${to}&timezone=UTC`)).html);
      expect(await keys('2031-05-01')).toEqual(['last']);
      expect(await keys(starts.next)).toHaveLength(2);
    }
  });

  it('are not sorted by a column without an index where more than 50,000 match', async () => {
    await using dashboard = await openDashboard(fresh);
    const invitees = Array.from({ length: 50_001 }, (_, n) => ({
      uri: uri('invitees', String(n)),
      event_uri: uri('events', n === 0 ? 'one' : 'all'),
      created_at: instantOf(n * 1000),
    }));
    await dashboard.store.transaction(async (unit) => {
      const start_time = '2031-05-01T09:00:00.000000Z';
      await writeRows(unit, 'scheduled_events', [
        { uri: uri('events', 'all') },
        { uri: uri('events', 'one'), start_time },
      ]);
      await writeRows(unit, 'invitees', invitees);
    });
    const { status, html } = await dashboard.page('/bookings?order=invitee_name.asc');
    expect([status, noticeIn(html)]).toEqual([400, expect.stringContaining('more than 50,000 match')]);
    expect(linksIn(html)).toContain('/bookings');
    const filtered = await dashboard.page('/bookings?order=invitee_name.asc&min_start_time=2031-05-01');
    expect([filtered.status, keysIn(filtered.html)]).toEqual([200, ['0']]);
    expect(keysIn((await dashboard.page('/bookings?order=start_time.asc&count=1')).html)).toEqual(['0']);
  });
});

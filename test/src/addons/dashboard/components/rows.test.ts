// The list of rows as a page of its own uses it: labels and cells of its own, and an address with filters of its own.
import { html } from 'hono/html';
import { describe, expect, it } from 'vitest';
import { columnOf, rowList, rowPager, type Described, type RowList } from '#src/addons/dashboard/components/rows.ts';

const column = (name: string, kind: Described['columns'][number]['kind'], joins: string | null = null) => ({
  name,
  kind,
  about: `what "${name}" means`,
  holds: 'plain' as const,
  required: false,
  joins,
  one_of: null,
  admin: false,
});
const table: Described = {
  name: 'bookings',
  kind: 'view',
  about: '',
  key: ['uri'],
  fast: ['start_time'],
  columns: [
    column('uri', 'text'),
    column('start_time', 'time'),
    column('moves', 'integer'),
    column('host', 'text', 'users.uri'),
    column('mark', 'text', 'event_log.delivery_id'),
    column('extra', 'json'),
  ],
};
const host = 'https://api.example.test/users/ada';
const row = { uri: 'u/1', start_time: '2026-11-01T09:00:00.000000Z', moves: 2, host, mark: 'm 1', extra: { a: '<b>' } };

const shown = async (list: Partial<RowList>): Promise<string> =>
  String(
    await rowList({
      table,
      rows: [row],
      columns: table.columns.map(({ name }) => columnOf(table, name)),
      order: [],
      caption: 'Bookings',
      empty: 'None.',
      ...list,
    }),
  );

describe('a list of rows', () => {
  it('shows each value by its kind, and leads where it joins', async () => {
    const markup = await shown({});
    expect(markup).toContain('<tr data-href="/tables/bookings/u%2F1"');
    expect(markup).toContain('<time datetime="2026-11-01T09:00:00.000000Z"');
    expect(markup).toMatch(/<td class="number" data-label="moves"><bdi[^>]*>2</);
    expect(markup).toContain(`href="/tables/users/${encodeURIComponent(host)}"`);
    expect(markup).toContain('>users/ada<');
    expect(markup).toContain('href="/tables/event_log?delivery_id=eq.m%201"');
    expect(markup).toContain('{&quot;a&quot;:&quot;&lt;b&gt;&quot;}');
    expect(markup).not.toMatch(/<th[^>]*>\s*<a/);
  });

  it('has labels, cells and links of its own, and sorts from the first page with every filter of the page', async () => {
    const markup = await shown({
      url: new URL('http://here/bookings?q=ada.b&from=2026-11-01&order=start_time.desc&page_token=t'),
      order: [{ name: 'start_time', isDescending: true }],
      columns: [
        { ...columnOf(table, 'start_time'), label: 'Starts' },
        { ...columnOf(table, 'moves'), label: 'Moved', cell: ({ moves }) => html`${String(moves)} times` },
        { ...columnOf(table, 'extra'), label: 'More' },
        { ...columnOf(table, 'host'), label: 'Host', isUnsorted: true, isMinor: true },
      ],
      linkOf: () => '/bookings/1',
    });
    const headings = [...markup.matchAll(/<th scope="col"[^>]*>(?:<a href="([^"]*)"|<span)/g)].map(([, href]) => href);
    expect(headings).toEqual([
      '/bookings?q=ada.b&amp;from=2026-11-01&amp;order=start_time.asc',
      '/bookings?q=ada.b&amp;from=2026-11-01&amp;order=moves.desc',
      undefined,
      undefined,
    ]);
    expect(markup).toMatch(/aria-sort="descending"[^>]*><a [^>]*>Starts <span aria-hidden="true">↓/);
    expect(markup).toContain('data-label="Moved">2 times<');
    expect(markup).toContain('<tr data-href="/bookings/1"');
  });

  it('says what to do where it is empty', async () => {
    expect(await shown({ rows: [], empty: html`<a href="/x">Begin</a>` })).toContain('<a href="/x">Begin</a>');
  });

  it('links the pages before and after with every filter of the page, and the first one from every other', async () => {
    const linksAt = async (address: string, next: string | null, previous: string | null) => {
      const tokens = { next_page_token: next, previous_page_token: previous };
      const markup = String(await rowPager(tokens, new URL(address, 'http://here')));
      return [...markup.matchAll(/href="([^"]*)">([^<]*)</g)].map(([, href, text]) => `${text} ${href}`);
    };
    expect(await linksAt('/bookings?q=a', null, null)).toEqual([]);
    expect(await linksAt('/bookings?q=a', 'n', null)).toEqual(['Next → /bookings?q=a&amp;page_token=n']);
    expect(await linksAt('/bookings?q=a&page_token=m', 'n', 'p')).toEqual([
      'First /bookings?q=a',
      '← Previous /bookings?q=a&amp;page_token=p',
      'Next → /bookings?q=a&amp;page_token=n',
    ]);
    expect(await linksAt('/bookings?page_token=m', null, null)).toEqual(['First /bookings']);
  });
});

// The frame of the dashboard: how pages answer, what they refuse, and what a browser may load for them.
import { describe, expect, it } from 'vitest';
import { pager } from '#src/addons/dashboard/components/list.ts';
import { bearer } from '../../../harness/mirror/api-app.ts';
import { openDashboard } from '../../../harness/mirror/dashboard.ts';
import { oneEngine } from '../../../harness/stores.ts';
import { openedOnce } from '../../../harness/opened.ts';

for (const engine of oneEngine)
  describe.runIf(engine.available)(`a page on ${engine.name}`, () => {
    const dashboard = openedOnce(() => openDashboard(engine.fresh));

    it('has one style and one script, both allowed by their hash, and the search', async () => {
      const { headers, html } = await dashboard.page('/deliveries');
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self';/,
      );
      expect(policy).not.toContain('unsafe');
      expect(html.match(/<style/g)).toHaveLength(1);
      expect(html.match(/<script/g)).toHaveLength(1);
      expect(html).not.toMatch(/ (?:style|on\w+)="/);
      expect(html).toMatch(/<form class="search" method="get" action="\/search"/);
    });

    it('is only its content for the script, which replaces what changed', async () => {
      const { html } = await dashboard.page('/deliveries', { 'slotstream-fragment': '1' });
      expect(html).toMatch(/^<main/);
      expect(html).not.toContain('<style');
    });

    it('refuses what is no form, or too large, without a fault of its own', async () => {
      const large = await dashboard.submit('/deliveries/replay', { q: 'x'.repeat(1_100_000) });
      expect([large.status, large.html]).toEqual([400, expect.stringContaining('The body is larger than')]);
      const headers = { ...bearer, accept: 'text/html' };
      const json = { method: 'POST', body: '{}', headers: { ...headers, 'content-type': 'application/json' } };
      const endless = new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(100_000)) });
      const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
      for (const init of [json, { method: 'POST', body: endless, headers: form, duplex: 'half' as const }])
        expect((await dashboard.admin.ask('/deliveries/replay', init)).status).toBe(400);
      expect(dashboard.reported).toEqual([]);
    });

    it('is JSON for a program', async () => {
      const answer = await dashboard.admin.ask('/deliveries', { headers: bearer });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json']);
    });
  });

describe('the links between pages', () => {
  const linksAt = async (address: string, tokens: { readonly next?: string; readonly previous?: string } = {}) => {
    const { next = null, previous = null } = tokens;
    const markup = await pager({ next_page_token: next, previous_page_token: previous }, new URL(address, 'http://x'));
    return [...String(markup).matchAll(/href="([^"]*)">([^<]*)</g)].map(([, href, text]) => `${text} ${href}`);
  };

  it('lead both ways, and to the first page from every other', async () => {
    expect(await linksAt('/recaps?text=a')).toEqual([]);
    expect(await linksAt('/recaps?text=a', { next: 'n' })).toEqual(['Older → /recaps?text=a&amp;page_token=n']);
    expect(await linksAt('/recaps?text=a&page_token=m', { next: 'n', previous: 'p' })).toEqual([
      'First /recaps?text=a',
      '← Newer /recaps?text=a&amp;page_token=p',
      'Older → /recaps?text=a&amp;page_token=n',
    ]);
  });

  it('lead back from an empty page, where a search ended', async () => {
    expect(await linksAt('/recaps?text=a&page_token=m')).toEqual(['First /recaps?text=a']);
  });
});

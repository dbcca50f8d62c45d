// The pages of deliveries: one delivery with a hostile body, replay of one and of everything that a filter matches.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { readableText } from '../../../../../harness/golden.ts';
import { openDashboard } from '../../../../../harness/mirror/dashboard.ts';
import { ingestBodies, oneEngine } from '../../../../../harness/stores.ts';
import { bombs } from '../../../../../harness/data/hostile.ts';
import { contactDelivery, contactUri } from '../../../../../harness/data/contact-deliveries.ts';
import { openedOnce } from '../../../../../harness/opened.ts';

const time = '"created_at":"2025-04-14T12:00:00Z"';
const hostile = `{"event":"contact.updated",${time},"payload":{"uri":"bad","name":{},"emails":[{"email":7}],"id":9007199254740993,"x":"</code><script>alert(1)</script>","y":"' onmouseover='1"}}`;
const bodies = [
  ...Array.from({ length: 30 }, (_, n) => contactDelivery({ id: `c${n}`, version: 0 })),
  contactDelivery({ id: 'one', version: 0 }),
  contactDelivery({ id: 'one', version: 1, more: { name: '<b>Ada</b> \u202e' } }),
  hostile,
  '{"event": "contact.updated", no JSON <img src=x onerror=alert(1)>',
  '{"event":"contact.merged","payload":{"uri":"javascript:alert(1)"}}',
];

const keysOf = (html: string): number[] => [...html.matchAll(/data-key="(\d+)"/g)].map(([, key]) => Number(key));
const hrefs = (html: string): string[] =>
  [...html.matchAll(/ href="([^"]*)"/g)].map(([, href]) => (href ?? '').replaceAll('&amp;', '&'));

for (const engine of oneEngine)
  describe.runIf(engine.available)(`the pages of deliveries on ${engine.name}`, () => {
    /** Most are in quarantine, as an older version, which could not read them, would have left them. */
    async function openLog() {
      // A preview ends by the clock, and a busy machine is no reason to fail.
      const dashboard = await openDashboard(engine.fresh, { clock: () => Date.parse('2025-04-14T12:00:00Z') });
      await ingestBodies(dashboard.store, bodies);
      await dashboard.store.db
        .updateTable('event_log')
        .set({ outcome: 'quarantined', reason: 'Then.', changes: null })
        .where('seq', '<=', 30)
        .execute();
      return dashboard;
    }
    /** For what changes nothing. */
    const log = openedOnce(() => openLog());

    it('show a body exactly as it was sent, with the problems at their fields and nothing that runs', async () => {
      const { html } = await log.page('/deliveries/33');
      expect(html).toContain('9007199254740993');
      expect(html).toMatch(
        /<mark data-problem="expected string">\s*<span class="name">&quot;name&quot;<\/span>: \{\},<\/mark>/,
      );
      expect(html).toMatch(
        /<mark data-problem="expected string">\s*<span class="name">&quot;email&quot;<\/span>: 7<\/mark>/,
      );
      expect(html).toContain('<code>payload.emails.0.email</code>');
      expect(html).not.toContain('<script>alert');
      expect(html).not.toMatch(/<[^>]+ on\w+=/);
      const raw = await log.page('/deliveries/33?body=as-sent');
      const [, shown = ''] = /<pre tabindex="0"><code>(.*?)<\/code>/s.exec(raw.html) ?? [];
      expect(readableText(shown)).toBe(hostile);
      const created = await log.page('/deliveries/31');
      // The body has the values of a new row.
      expect(created.html).toContain('<p>New in <code>contacts</code>.</p>');
      const broken = await log.page('/deliveries/34');
      expect(broken.html).toContain('stops being JSON at character 30');
      expect(broken.html).not.toContain('<img');
      const unknown = await log.page('/deliveries/35');
      expect(hrefs(unknown.html).filter((href) => href.startsWith('javascript'))).toEqual([]);
    });

    it('show no more of a body than its text, however it grows when it is indented, quoted or parsed', async () => {
      await using dashboard = await openDashboard(engine.fresh);
      await ingestBodies(
        dashboard.store,
        bombs.map(([body]) => body),
      );
      for (const seq of bombs.keys().map((index) => index + 1))
        for (const path of [`/deliveries/${seq}`, `/deliveries/${seq}?body=as-sent`]) {
          const { status, html } = await dashboard.page(path);
          expect([path, status, html.length < 1_500_000]).toEqual([path, 200, true]);
          expect(html.match(/\n/g)?.length).toBeLessThan(3_000);
        }
      for (const path of ['/deliveries', `/api/feed?limit=100&include=row`, '/api/deliveries?include=sentence'])
        expect([path, (await dashboard.page(path)).html.length < 100_000]).toEqual([path, true]);
    });

    it('say that nothing has arrived yet, follow the log where nothing is filtered, and page a long history', async () => {
      await using dashboard = await openDashboard(engine.fresh);
      expect((await dashboard.page('/deliveries')).html).toContain('No webhook has arrived yet.');
      expect((await log.page('/deliveries')).html).toContain('data-live data-seq="35"');
      expect((await log.page('/deliveries?q=x')).html).not.toContain('data-live data-seq');
      await ingestBodies(
        dashboard.store,
        Array.from({ length: 60 }, (_, version) => contactDelivery({ id: 'long', version })),
      );
      const first = await dashboard.page(`/why?uri=${encodeURIComponent(contactUri('long'))}`);
      expect(keysOf(first.html)).toHaveLength(50);
      const next = hrefs(first.html).find((href) => href.includes('after=')) ?? '';
      expect(keysOf((await dashboard.page(next)).html)).toEqual([51, 52, 53, 54, 55, 56, 57, 58, 59, 60]);
    });

    it('replay one delivery, and say what that did', async () => {
      await using dashboard = await openLog();
      const done = await dashboard.submit('/deliveries/1/replay');
      expect([done.status, done.headers.get('location')]).toEqual([
        303,
        '/deliveries/36?replayed=changed&before=quarantined',
      ]);
      const { html } = await dashboard.page('/deliveries/36?replayed=changed&before=quarantined');
      expect(html).toMatch(/It was replayed: quarantined → (applied|unchanged|superseded)/);
      expect((await dashboard.page('/deliveries/2')).html).toContain('quarantined');
      const same = await dashboard.submit('/deliveries/32/replay');
      expect(same.headers.get('location')).toBe('/deliveries/32?replayed=same&before=applied');
      const forged = await dashboard.page('/deliveries/32?replayed=changed&before=<script>');
      expect(forged.html).not.toContain('&lt;script&gt;');
    });

    it('preview a replay of everything that matches, ask, and then do all of it', async () => {
      await using dashboard = await openLog();
      const preview = await dashboard.page('/deliveries/replay?outcome=quarantined&reason=Then.');
      expect(preview.html).toContain('Replay 30 deliveries?');
      expect(preview.html).toContain('Of 30 deliveries, 30 would change');
      const [form = ''] = preview.html.split('Replay 30 deliveries</button>');
      const hidden = [...form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
      const fields = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
      expect(fields).toEqual({ outcome: 'quarantined', reason: 'Then.', max_seq: '35' });
      const done = await dashboard.submit('/deliveries/replay', fields);
      expect(done.html).toMatch(/The replay is done[^]*30 deliveries replayed:\s+30 changed/);
      expect(hrefs(done.html)).toContain('/deliveries?min_seq=36&max_seq=65');
    });

    it('dismiss one delivery, and everything that matches, and find them again', async () => {
      await using dashboard = await openLog();
      const offers = async (path: string, words: string) => (await dashboard.page(path)).html.includes(words);
      const dismiss = { dismiss: 'yes' };
      expect(await offers('/deliveries/34', 'Dismiss it')).toBe(true);
      expect(await offers('/deliveries/32', 'Dismiss it')).toBe(false);
      expect((await dashboard.submit('/deliveries/34/replay', dismiss)).headers.get('location')).toBe('/deliveries/34');
      expect(await offers('/deliveries/34', '<dt>Dismissed</dt>')).toBe(true);
      expect(await offers('/deliveries/34', 'Dismiss it')).toBe(false);
      expect(keysOf((await dashboard.page('/deliveries?outcome=dismissed')).html)).toEqual([34]);
      const filter = { outcome: 'quarantined', reason: 'Then.' };
      const query = String(new URLSearchParams(filter));
      expect(await offers(`/deliveries?${query}`, 'Replay or dismiss everything that matches')).toBe(true);
      expect(await offers(`/deliveries/replay?${query}`, 'Dismiss 30 deliveries')).toBe(true);
      const all = await dashboard.submit('/deliveries/replay', { ...filter, ...dismiss });
      expect(all.headers.get('location')).toBe('/deliveries?outcome=dismissed&reason=Then.');
      expect(keysOf((await dashboard.page('/deliveries?outcome=quarantined')).html)).toEqual([33]);
      expect((await dashboard.post('/api/deliveries/32/dismiss')).status).toBe(409);
      expect((await dashboard.post('/api/deliveries/dismiss', {})).status).toBe(400);
      const recorded = await dashboard.actions();
      expect(recorded).toContainEqual(
        expect.objectContaining({ target: null, result: { dismissed: 30 }, status: 200 }),
      );
      expect(recorded).toContainEqual(expect.objectContaining({ target: '32', result: null, status: 409 }));
    });

    it('name the command for more deliveries than a page replays', async () => {
      await using dashboard = await openDashboard(engine.fresh);
      const body = contactDelivery({ id: 'one', version: 0 });
      await ingestBodies(dashboard.store, [body]);
      await sql`insert into ${sql.table('event_log')} (delivery_id, source, event, received_at, outcome, reason, duplicates, body, tie, redacted)
        with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 5001)
        select 'copy ' || n, source, event, received_at, 'quarantined', 'It''s "then"', 0, body, tie, redacted
        from ${sql.table('event_log')}, numbers where seq = 1`.execute(dashboard.store.db);
      const { html } = await dashboard.page('/deliveries/replay?q=one&reason=It%27s+%22then%22');
      expect(html).toContain('Replay more than 5,000 deliveries?');
      expect(html).toMatch(
        /slotstream replay --text &#39;one&#39; --reason &#39;It&#39;\\&#39;&#39;s &quot;then&quot;&#39;/,
      );
      expect(html).not.toMatch(/<button[^>]*>Replay/);
    });

    it('offer no replay to a visitor who may only read', async () => {
      for (const path of [
        '/deliveries?outcome=quarantined',
        '/deliveries/1',
        '/deliveries/replay?outcome=quarantined',
      ]) {
        const { html } = await log.reader.page(path);
        expect([path, html.includes('method="post" action="/deliveries')]).toEqual([path, false]);
      }
      expect((await log.reader.page('/deliveries?outcome=quarantined')).html).not.toContain('/deliveries/replay');
      expect((await log.page('/deliveries/replay')).status).toBe(400);
    });
  });

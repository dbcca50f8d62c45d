// The pages of recaps: the list, and one with its texts.
import { describe, expect, it } from 'vitest';
import { writeRows } from '#src/store/rows.ts';
import { erase } from '#workers/privacy/erase.ts';
import { targetOf } from '#workers/privacy/target.ts';
import { openDashboard } from '../../../../harness/mirror/dashboard.ts';
import { ingestBodies, storeEngines } from '../../../../harness/stores.ts';

const uri = (kind: string, id: string): string => `https://api.example.test/${kind}/${id}`;
const time = '2025-02-01T10:00:00.000000Z';
const hostile = '</bdi><script>alert(1)</script>';

const recap = (id: string, more: object = {}): string =>
  JSON.stringify({
    event: 'meeting_recap.created',
    created_at: time,
    payload: {
      uri: uri('meeting_recaps', id),
      summary_md: '## Summary\nAgreed on **two** things.\n\n- one\n- two',
      action_items_md: null,
      created_at: time,
      event: {
        name: `Talk ${id}`,
        start_time: time,
        attendees: [
          { host: true, user_name: 'Ben', user_email: 'ben@example.test' },
          { host: false, user_name: 'Ada', user_email: 'ada@example.test' },
        ],
      },
      ...more,
    },
  });

for (const engine of storeEngines)
  describe.runIf(engine.available)(`the pages of recaps on ${engine.name}`, () => {
    async function openWorld() {
      const dashboard = await openDashboard(engine.fresh);
      await ingestBodies(dashboard.store, [
        recap('one', { share_link: 'https://share.example.test/1' }),
        recap('two', {
          summary_md: `${hostile}\n[link](javascript:alert(1))`,
          share_link: 'javascript:alert(1)',
          event: { name: hostile, attendees: [{ user_name: hostile }] },
        }),
      ]);
      const ben = { uri: uri('users', 'ben'), name: 'Ben', email: 'ben@example.test' };
      await dashboard.store.transaction((unit) => writeRows(unit, 'users', [ben]));
      return dashboard;
    }

    it('lists recaps with host, participants and the beginning of the summary, and finds them', async () => {
      await using dashboard = await openWorld();
      const { status, html } = await dashboard.page('/recaps');
      expect(status).toBe(200);
      for (const text of ['<bdi>Talk one</bdi>', '<bdi>Ben</bdi>', '<bdi>Ada</bdi>', 'Agreed on two things.'])
        expect(html).toContain(text);
      expect(html).toContain(`<option value="${uri('users', 'ben')}"`);
      const found = await dashboard.page(
        `/recaps?text=agreed&host=${uri('users', 'ben')}&attendee=&from=2025-02-01&to=2025-02-01`,
      );
      expect(found.html.match(/data-key/g)).toHaveLength(1);
      expect((await dashboard.page('/recaps?text=nothing')).html).toContain('No recap matches these filters.');
    });

    it('shows one: headings, lists and bold text, and links to its people', async () => {
      await using dashboard = await openWorld();
      const { html } = await dashboard.page('/recaps/one');
      expect(html).toContain('<strong>two</strong>');
      expect(html).toMatch(/<ul>\s*<li><bdi>one<\/bdi><\/li>\s*<li><bdi>two<\/bdi><\/li>\s*<\/ul>/);
      expect(html.match(/>Summary</g)).toHaveLength(1);
      expect(html).toContain('href="/contacts?email=ada%40example.test"');
      expect(html).toContain('href="https://share.example.test/1" rel="noopener noreferrer"');
      expect((await dashboard.page('/recaps/none')).status).toBe(404);
    });

    it('shows hostile texts as text', async () => {
      await using dashboard = await openWorld();
      for (const path of ['/recaps', '/recaps/two']) {
        const { html } = await dashboard.page(path);
        expect(html.match(/<script/g)).toHaveLength(1);
        expect(html).not.toContain('href="javascript');
      }
      expect(dashboard.reported).toEqual([]);
    });

    it('names no erased person', async () => {
      await using dashboard = await openWorld();
      const now = '2025-03-01T00:00:00.000000Z';
      await erase({ store: dashboard.store, newKey: () => 'k'.repeat(64) }, targetOf('ada@example.test'), { now });
      for (const path of ['/recaps', '/recaps/one']) {
        const { status, html } = await dashboard.page(path);
        expect([path, status]).toEqual([path, 200]);
        expect(html).not.toMatch(/Ada|ada@example/);
      }
    });
  });

// Answers on the dashboard: the buttons of the booking, of the list of unconfirmed meetings and of the no-shows, without a script and by keys.
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { openBrowser, visit } from '../../../../../harness/browser.ts';
import { readableText } from '../../../../../harness/golden.ts';
import { openAnswerWorld } from '../../../../../harness/mirror/answer-world.ts';
import { listen, loginLinkTo } from '../../../../../harness/mirror/api-app.ts';
import { openDashboard } from '../../../../../harness/mirror/dashboard.ts';
import { oneEngine } from '../../../../../harness/stores.ts';
import { openedOnce } from '../../../../../harness/opened.ts';

const idOf = (uri: string): string => uri.slice(uri.lastIndexOf('/') + 1);
const buttonsIn = (html: string) => [...html.matchAll(/data-answer="(\w+)"/g)].map(([, answer]) => answer);
const list = '/bookings?attendance=unconfirmed';

// The first answers begin with a meeting without an answer.
for (const { name, fresh } of oneEngine)
  describe(`answers on the dashboard on ${name}`, { shuffle: false }, () => {
    const world = openedOnce(() => openAnswerWorld(fresh));
    let dashboard: Awaited<ReturnType<typeof openDashboard>>;
    beforeAll(async () => {
      dashboard = await openDashboard(world.open, world.options);
    });

    it('are given by forms that lead back, and change the numbers and what can be answered next', async () => {
      const { uris } = world;
      const booking = `/bookings/${idOf(uris.held)}`;
      const read = async (path: string) => (await dashboard.page(path)).html;
      const buttons = async () => buttonsIn(await read(booking));
      const numbers = async () => {
        const text = readableText(await read('/numbers'));
        return /(\d+) came, (\d+) missed, (\d+) unknown/.exec(text)?.slice(1).map(Number);
      };
      const give = async (answer: string, back: string) => {
        const { status, headers } = await dashboard.submit('/answers', { invitee: uris.held, answer, back });
        const to = new URL(headers.get('location') ?? '', 'http://here');
        expect([status, to.pathname, to.searchParams.get('answered')]).toEqual([303, back.split('?')[0], answer]);
        return read(to.pathname + to.search);
      };
      const [held = 0, missed = 0, unknown = 0] = (await numbers()) ?? [];
      expect(await buttons()).toEqual(['came', 'no_show']);
      expect(await give('no_show', booking)).toContain('Recorded: a no-show, marked at the service.');
      expect(await numbers()).toEqual([held, missed + 1, unknown - 1]);
      expect(await buttons()).toEqual(['came', 'none']);
      expect(await read('/no-shows')).toMatch(new RegExp(`value="${uris.held}"[\\s\\S]*data-answer="none"`));
      expect(await give('none', '/no-shows')).toContain('The answer was taken back.');
      expect(world.markOf(uris.held)).toBeNull();
      const before = await read(list);
      expect(before).toContain(uris.held);
      const after = await give('came', list);
      expect(after).toContain('Recorded: they came.');
      expect(buttonsIn(after)).toHaveLength(buttonsIn(before).length - 2);
      expect(await numbers()).toEqual([held + 1, missed, unknown - 1]);
      expect(await buttons()).toEqual(['no_show', 'none']);
      expect(await read(booking)).toMatch(/href="\/deliveries\/attendance\.confirmed-[0-9a-f]+">It was answered/);
      expect(dashboard.reported).toEqual([]);
    });

    it('have no buttons for a visitor who may only read, and none while ANSWERS is off', async () => {
      const [, , held = ''] = world.ended;
      for (const path of [list, '/no-shows', `/bookings/${idOf(held)}`]) {
        const { status, html } = await dashboard.reader.page(path);
        expect([path, status, buttonsIn(html)]).toEqual([path, 200, []]);
      }
      await using off = await openDashboard(world.open);
      expect(buttonsIn((await off.page(list)).html)).toEqual([]);
    });

    it('that are refused say why, and lead only to pages of the dashboard', async () => {
      const { uris } = world;
      const { status, html } = await dashboard.submit('/answers', { invitee: uris.upcoming, answer: 'came' });
      expect([status, html]).toEqual([409, expect.stringContaining('The meeting has not begun.')]);
      for (const back of ['https://elsewhere.example/x', '//elsewhere.example/x', 'javascript:alert(1)']) {
        const { headers } = await dashboard.submit('/answers', { invitee: uris.held, answer: 'came', back });
        expect(headers.get('location')).toMatch(/^\/(bookings|x)\?/);
      }
    });

    it.runIf(inject('chromiumPath'))('are given to a list by keys, and the list becomes shorter', async () => {
      await using server = await listen(dashboard.admin);
      await using visited = await visit(await openBrowser());
      const { page } = visited;
      await page.goto(server.url + (await loginLinkTo(dashboard.admin)));
      await page.goto(server.url + list);
      const rows = page.locator('tr[data-key]');
      const before = await rows.count();
      const first = await rows.first().getAttribute('data-key');
      await page.keyboard.press('j');
      await page.keyboard.press('y');
      await page.getByText('Recorded: they came.').waitFor();
      expect([await rows.count(), await rows.first().getAttribute('data-key')]).toEqual([
        before - 1,
        expect.not.stringMatching(first ?? ''),
      ]);
      // Only the row that has the focus is answered.
      await page.keyboard.press('n');
      expect(await rows.count()).toBe(before - 1);
      expect(visited.complaints).toEqual([]);
    });
  });

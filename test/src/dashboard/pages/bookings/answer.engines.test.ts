// Answers on the dashboard: the buttons of the booking, of the list of unconfirmed meetings and of the no-shows, without a script and by keys.
import { describe, expect, inject, it } from 'vitest';
import { openBrowser, visit } from '../../../../harness/browser.ts';
import { openAnswerWorld, type AnswerWorldOptions } from '../../../../harness/mirror/answer-world.ts';
import { listen, loginLinkTo } from '../../../../harness/mirror/api-app.ts';
import { openDashboard } from '../../../../harness/mirror/dashboard.ts';
import { openHome } from '../../../../harness/product.ts';
import { openTestSandbox } from '../../../../harness/sandbox.ts';
import { oneEngine, type TestStore } from '../../../../harness/stores.ts';

async function openWorld(fresh: () => Promise<TestStore>, options: AnswerWorldOptions = {}) {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await openAnswerWorld(fresh, options));
  const dashboard = stack.use(await openDashboard(world.open, world.options));
  const kept = stack.move();
  return { ...world, dashboard, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const idOf = (uri: string): string => uri.slice(uri.lastIndexOf('/') + 1);
const buttonsIn = (html: string) => [...html.matchAll(/data-answer="(\w+)"/g)].map(([, answer]) => answer);
const list = '/bookings?attendance=unconfirmed';

for (const engine of oneEngine)
  describe.runIf(engine.available)(`answers on the dashboard on ${engine.name}`, () => {
    it('are given by forms that lead back, and change what can be answered next', async () => {
      await using world = await openWorld(engine.fresh);
      const { dashboard, uris } = world;
      const booking = `/bookings/${idOf(uris.held)}`;
      const buttons = async (path: string) => buttonsIn((await dashboard.page(path)).html);
      const give = async (answer: string, back: string) => {
        const { status, headers } = await dashboard.submit('/answers', { invitee: uris.held, answer, back });
        const to = new URL(headers.get('location') ?? '', 'http://here');
        expect([status, to.pathname, to.searchParams.get('answered')]).toEqual([303, back.split('?')[0], answer]);
        return (await dashboard.page(to.pathname + to.search)).html;
      };
      expect(await buttons(booking)).toEqual(['came', 'no_show']);
      expect(await give('no_show', booking)).toContain('Recorded: a no-show, marked at the service.');
      expect(await buttons(booking)).toEqual(['came', 'none']);
      expect((await dashboard.page('/no-shows')).html).toMatch(
        new RegExp(`value="${uris.held}"[\\s\\S]*data-answer="none"`),
      );
      expect(await give('none', '/no-shows')).toContain('The answer was taken back.');
      expect(world.markOf(uris.held)).toBeNull();
      const before = (await dashboard.page(list)).html;
      expect(before).toContain(uris.held);
      const after = await give('came', list);
      expect(after).toContain('Recorded: they came.');
      expect(buttonsIn(after)).toHaveLength(buttonsIn(before).length - 2);
      expect(await buttons(booking)).toEqual(['no_show', 'none']);
      expect((await dashboard.page(booking)).html).toMatch(
        /href="\/deliveries\/attendance\.confirmed-[0-9a-f]+">It was answered/,
      );
      expect(dashboard.reported).toEqual([]);
    });

    it('have no buttons for a visitor who may only read, and none while ANSWERS is off', async () => {
      await using world = await openWorld(engine.fresh);
      await using off = await openWorld(engine.fresh, { ANSWERS: 'off' });
      for (const path of [list, '/no-shows', `/bookings/${idOf(world.uris.held)}`]) {
        const { status, html } = await world.dashboard.reader.page(path);
        expect([path, status, buttonsIn(html)]).toEqual([path, 200, []]);
      }
      expect(buttonsIn((await off.dashboard.page(list)).html)).toEqual([]);
      const refused = await world.dashboard.reader.submit('/answers', { invitee: world.uris.held, answer: 'no_show' });
      expect([refused.status, world.markOf(world.uris.held)]).toEqual([403, null]);
    });

    it('that are refused say why, and lead only to pages of the dashboard', async () => {
      await using world = await openWorld(engine.fresh);
      const { dashboard, uris } = world;
      const { status, html } = await dashboard.submit('/answers', { invitee: uris.upcoming, answer: 'came' });
      expect([status, html]).toEqual([409, expect.stringContaining('The meeting has not begun.')]);
      for (const back of ['https://elsewhere.example/x', '//elsewhere.example/x', 'javascript:alert(1)']) {
        const { headers } = await dashboard.submit('/answers', { invitee: uris.held, answer: 'came', back });
        expect(headers.get('location')).toMatch(/^\/(bookings|x)\?/);
      }
    });
  });

describe.runIf(inject('chromiumPath'))('a person in a browser', () => {
  it('answers a list by keys, and the list becomes shorter', async () => {
    const [{ fresh }] = oneEngine;
    await using world = await openWorld(fresh);
    await using server = await listen(world.dashboard.admin);
    await using visited = await visit(await openBrowser());
    const { page } = visited;
    await page.goto(server.url + (await loginLinkTo(world.dashboard.admin)));
    await page.goto(new URL(list, page.url()).href);
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

  it('books, lets the meeting end, answers, and sees the numbers change', async () => {
    const days = 3 * 86_400_000;
    await using sandbox = await openTestSandbox(
      { contacts: 0, bookings: 0, rateLimits: false },
      { realMs: () => Date.now() - days },
    );
    await using home = await openHome({
      ANSWERS: 'on',
      API_BASE_URL: sandbox.handles.base_url,
      API_TOKEN: sandbox.handles.tokens.owner,
      REPORT_TIMEZONE: 'UTC',
      // The clock of the service is three days behind when it sends.
      SIGNATURE_TOLERANCE_SECONDS: '0',
    });
    Object.assign(home.settings, { PUBLIC_URL: `http://127.0.0.1:${home.settings['PORT']}` });
    await home.open('start');
    expect(await home.run(['bootstrap'])).toMatchObject({ code: 0 });
    const start = Math.ceil((sandbox.service.clock.nowMs() + 86_400_000) / 86_400_000) * 86_400_000;
    const { status } = await sandbox.call('POST', '/invitees', {
      body: {
        event_type: sandbox.handles.event_types.solo,
        start_time: new Date(start).toISOString(),
        invitee: { email: 'ada@example.test', name: 'Ada Rossi', timezone: 'UTC' },
      },
    });
    expect(status).toBe(201);
    await sandbox.control('POST', '/clock', { advance: '3d' });

    await using visited = await visit(await openBrowser());
    const { page } = visited;
    const { out } = await home.run(['status', '--login']);
    await page.goto(out.trim());
    const numbers = new URL('/numbers', page.url()).href;
    const headline = async () => {
      await page.goto(numbers);
      return /\d+ held, \d+ missed, \d+ unknown/.exec(await page.locator('main').innerText())?.[0];
    };
    await expect.poll(headline, { timeout: 20_000 }).toBe('0 held, 0 missed, 1 unknown');
    await page.getByRole('link', { name: 'Answer the unknown one' }).click();
    await page.getByRole('button', { name: 'They came' }).click();
    await page.getByText('Recorded: they came.').waitFor();
    expect(await headline()).toBe('1 held, 0 missed, 0 unknown');
    await page.goto(new URL('/bookings', page.url()).href);
    await page.getByRole('link', { name: 'Ada Rossi' }).first().click();
    await page.getByRole('button', { name: 'No-show' }).click();
    await page.getByText('Recorded: a no-show').waitFor();
    expect(await headline()).toBe('0 held, 1 missed, 0 unknown');
    expect(
      sandbox.service.state.invitees
        .values()
        .filter(({ no_show }) => no_show !== null)
        .toArray(),
    ).toHaveLength(1);
    expect(visited.complaints).toEqual([]);
  });
});

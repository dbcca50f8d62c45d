// The script of the dashboard in a real browser: live updates that disturb no reader, keys, theme, copying, within the policy of the page.
import { EventEmitter, once } from 'node:events';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { listen, loginLinkTo, readToken } from '../../../harness/mirror/api-app.ts';
import { openDashboard } from '../../../harness/mirror/dashboard.ts';
import { openBrowser, visit, type Looks, type Visit } from '../../../harness/browser.ts';
import { contactDelivery } from '../../../harness/data/contact-deliveries.ts';
import { freshMemory, ingestBodies } from '../../../harness/stores.ts';

describe.runIf(inject('chromiumPath'))('the dashboard in a browser', () => {
  let browser: Browser;
  let dashboard: Awaited<ReturnType<typeof openDashboard>>;
  let server: Awaited<ReturnType<typeof listen>>;
  const visits: (Visit & { readonly expected?: RegExp | undefined })[] = [];
  /** Aborted while the server is away. */
  let away = new AbortController();
  let version = 0;
  let openStreams = 0;
  const streams = new EventEmitter();
  const countStream = (by: number) => streams.emit('changed', (openStreams += by));
  async function streamsAre(count: number): Promise<void> {
    while (openStreams !== count) await once(streams, 'changed');
  }

  beforeAll(async () => {
    dashboard = await openDashboard(freshMemory, { admin: { hostNames: ['slotstream.example'] } });
    await deliver(30);
    const { fetch } = dashboard.admin;
    server = await listen({
      fetch(request, env) {
        if (away.signal.aborted) return new Response('', { status: 503 });
        if (new URL(request.url).pathname !== '/api/feed/stream') return fetch(request, env);
        countStream(1);
        const signal = AbortSignal.any([request.signal, away.signal]);
        signal.addEventListener('abort', () => countStream(-1));
        return fetch(new Request(request, { signal }), env);
      },
    });
    browser = await openBrowser();
  });
  afterEach(async () => {
    const seen = visits.splice(0);
    const ports = seen.map(({ page }) => new URL(page.url()).port);
    await Promise.all(seen.map((each) => each[Symbol.asyncDispose]()));
    await streamsAre(0);
    const wrong = seen.flatMap(({ complaints, asked, expected }, index) => [
      ...complaints.filter((text) => !expected?.test(text)),
      ...asked.filter((address) => !address.startsWith('data:') && new URL(address).port !== ports[index]),
    ]);
    if (wrong.length > 0) throw new Error(`Complaints, or requests to another host:\n${wrong.join('\n')}`);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await dashboard[Symbol.asyncDispose]();
  });

  async function deliver(count: number): Promise<void> {
    const bodies = Array.from({ length: count }, () => contactDelivery({ id: 'one', version: (version += 1) }));
    await ingestBodies(dashboard.store, bodies);
    dashboard.tail.poke();
  }

  /** `expected`: what the browser itself reports about answers that are errors. */
  async function open(path = '/deliveries', looks: Looks & { readonly expected?: RegExp } = {}): Promise<Visit> {
    const { expected, ...rest } = looks;
    const visited = await visit(browser, rest);
    visits.push({ ...visited, expected });
    await visited.page.goto(server.url + (await loginLinkTo(dashboard.admin, path)));
    return visited;
  }
  const rows = (page: Page) => page.locator('tr[data-key]');
  const firstKey = async (page: Page): Promise<number> => Number(await rows(page).first().getAttribute('data-key'));
  const firstKeyIs = (page: Page, key: number) =>
    rows(page)
      .first()
      .and(page.locator(`[data-key="${key}"]`))
      .waitFor();
  const announced = (page: Page, text: string) => page.locator('.announcement', { hasText: text });
  const loginIsShown = (page: Page) => page.locator('[name="token"]').waitFor();

  it('has a script of at most 5 kB, compressed', async () => {
    const { html } = await dashboard.page('/deliveries');
    const script = /<script>(.*?)<\/script>/s.exec(html)?.[1] ?? '';
    expect(script).toContain('EventSource');
    expect(script).not.toMatch(/innerHTML|\beval\b|^\s*\/\//m);
    expect(gzipSync(script).length).toBeLessThanOrEqual(5 * 1024);
  });

  it('shows a delivery as soon as it is in the log, touches no other row, and misses nothing while the server is away', async () => {
    const { page } = await open('/deliveries', { expected: /503/ });
    const before = await firstKey(page);
    await page.evaluate('document.querySelector("tr[data-key]").isOld = true');
    await streamsAre(1);
    await deliver(2);
    await firstKeyIs(page, before + 2);
    expect(await rows(page).count()).toBe(20);
    expect(await page.evaluate(`document.querySelector('tr[data-key="${before}"]').isOld`)).toBe(true);
    away.abort();
    await announced(page, 'Not connected, trying again.').waitFor({ state: 'attached' });
    away = new AbortController();
    await deliver(3);
    await firstKeyIs(page, before + 5);
    await announced(page, 'Not connected').waitFor({ state: 'detached' });
  });

  it('keeps new rows behind a chip while the list is hovered, focused, scrolled or selected', async () => {
    const { page } = await open('/deliveries', { height: 500 });
    const ways: readonly (() => Promise<unknown>)[] = [
      () => rows(page).nth(3).hover(),
      () => page.keyboard.press('j'),
      () => page.evaluate('scrollTo(0, 400)'),
      () => page.evaluate('getSelection().selectAllChildren(document.querySelector("td"))'),
    ];
    const top = () => page.evaluate('document.querySelectorAll("tr[data-key]")[5].getBoundingClientRect().top');
    for (const [index, read] of ways.entries()) {
      const count = [12, 5, 1, 25][index] ?? 0;
      await page.mouse.move(0, 0);
      await page.reload();
      const before = await firstKey(page);
      await streamsAre(1);
      await read();
      const topBefore = await top();
      await deliver(count);
      await page.locator('.chip', { hasText: count > 20 ? /^20\+ new$/ : `${count} new` }).waitFor();
      expect([await firstKey(page), await top()]).toEqual([before, topBefore]);
      await page.locator('.chip').click();
      await firstKeyIs(page, before + count);
      expect(await page.locator('.chip').count()).toBe(0);
    }
  });

  it.each(['is paused, also after a reload', 'is in a hidden tab'])(
    'makes no request while it %s, and catches up',
    async (way) => {
      const visited = await open();
      const { page } = visited;
      const before = await firstKey(page);
      await streamsAre(1);
      const hide = (isHidden: boolean) =>
        page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
      const isPaused = way.startsWith('is paused');
      await (isPaused ? page.keyboard.press('r') : hide(true));
      await streamsAre(0);
      if (isPaused) {
        expect(await page.locator('[data-action="live"]').textContent()).toBe('Paused');
        await page.reload();
      }
      const asked = visited.asked.length;
      await deliver(2);
      await page.waitForTimeout(300);
      expect([visited.asked.length, openStreams, await firstKey(page)]).toEqual([asked, 0, before]);
      expect(await page.locator('.chip').count()).toBe(0);
      await (isPaused ? page.locator('[data-action="live"]').click() : hide(false));
      await page.mouse.move(0, 0);
      await firstKeyIs(page, before + 2);
      await streamsAre(1);
      if (isPaused) return;
      const stream = `${server.url}/api/feed/stream?include=none&after=${before + 2}`;
      expect(visited.asked.slice(asked)).toEqual([`${server.url}/deliveries`, stream]);
    },
  );

  it('continues a search that has found nothing yet, and counts what was searched', async () => {
    // Each part of a search takes as long as a search may take: the next answer continues it.
    let nowMs = 0;
    await using slow = await openDashboard(freshMemory, { clock: () => (nowMs += 1_000) });
    await ingestBodies(slow.store, [
      contactDelivery({ id: 'needle', version: 1 }),
      contactDelivery({ id: 'hay', version: 1 }),
    ]);
    await slow.store.db.updateTable('event_log').set({ seq: 1_900 }).where('seq', '=', 2).execute();
    await using server = await listen(slow.admin);
    const visited = await visit(browser, {});
    visits.push(visited);
    const { page, asked } = visited;
    await page.goto(server.url + (await loginLinkTo(slow.admin)));
    await page.goto(`${server.url}/deliveries?q=needle&source=any`);
    await rows(page).first().waitFor();
    expect(await firstKey(page)).toBe(1);
    expect(asked.filter((address) => address.includes('page_token')).length).toBe(3);
    expect(page.url()).toContain('page_token');
  });

  it('is used by keyboard alone', async () => {
    const { page } = await open();
    const focused = (what: string) => page.evaluate(`document.activeElement.${what}`);
    await page.keyboard.press('/');
    expect(await focused('tagName')).toBe('INPUT');
    await page.keyboard.type('jkrt?');
    expect(await focused('value')).toBe('jkrt?');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.url}/search?q=jkrt%3F`);
    await page.goBack();
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
    expect(await focused('dataset.key')).toBe(await rows(page).nth(1).getAttribute('data-key'));
    await page.keyboard.press('?');
    await page.locator('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'hidden' });
    const href = String(await focused('dataset.href'));
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.url}${href}`);
    await page.goBack();
    expect(await focused('dataset.href')).toBe(href);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.url}${href}`);
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.waitForURL(`${server.url}/deliveries`);
    await page.keyboard.press('Control+r');
    expect(await page.locator('[data-action="live"]').textContent()).toBe('Live');
  });

  it('has the theme of the system, or the one that was chosen, from the first paint on', async () => {
    const { page } = await open('/deliveries', { colorScheme: 'dark' });
    const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const dark = await paper();
    await page.keyboard.press('t');
    expect(await paper()).not.toBe(dark);
    await page.reload({ waitUntil: 'commit' });
    // The theme is set before the body exists, so before anything can be painted.
    await page.waitForSelector('body', { state: 'attached' });
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('light');
    for (const theme of ['dark', undefined]) {
      await page.keyboard.press('t');
      expect(await page.evaluate('document.documentElement.dataset.theme')).toBe(theme);
    }
  });

  it('logs in by the form, acts and copies on plain HTTP, and logs out', async () => {
    // An address that is not this machine, for which browsers neither have a clipboard nor say where a request comes from.
    const plain = server.url.replace('127.0.0.1', 'slotstream.example');
    const visited = await visit(browser);
    visits.push({ ...visited, expected: /401/ });
    const { page } = visited;
    await page.goto(`${plain}/deliveries?event=contact.updated`);
    await page.locator('[name="token"]').fill(readToken);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    expect(page.url()).toBe(`${plain}/deliveries?event=contact.updated`);
    expect(await page.evaluate('[isSecureContext, typeof navigator.clipboard]')).toEqual([false, 'undefined']);
    await page.evaluate(`(() => {
      const copyable = Object.assign(document.createElement('div'), { className: 'copyable' });
      const pre = Object.assign(document.createElement('pre'), { textContent: 'two\\nlines & <b>' });
      const button = Object.assign(document.createElement('button'), { id: 'copy' });
      button.dataset.copy = '';
      copyable.append(pre, button);
      document.querySelector('main').prepend(copyable);
      document.addEventListener('copy', () => { window.copied = getSelection().toString() || document.activeElement.value; });
    })()`);
    await page.locator('#copy').click();
    await announced(page, 'Copied.').waitFor({ state: 'attached' });
    expect(await page.evaluate('window.copied')).toBe('two\nlines & <b>');
    await page.getByText('Log out').click();
    await loginIsShown(page);
    expect((await page.context().cookies()).length).toBe(0);
  });

  it('says that the session has ended, and leads to the login', async () => {
    const { page } = await open('/deliveries', { expected: /401/ });
    await streamsAre(1);
    await page.context().clearCookies();
    await deliver(1);
    await announced(page, 'You are logged out. Log in again.').waitFor({ state: 'attached' });
    await streamsAre(0);
    await page.locator('.announcement a').click();
    await loginIsShown(page);
  });

  it('shows times and takes those of filters in the zone of the browser, and sends only the fields that are set', async () => {
    const { page } = await open('/deliveries', { timezoneId: 'America/New_York' });
    expect(await page.locator('tr time').first().textContent()).toMatch(/^\d+ \w+ 2025, \d\d:\d\d$/);
    expect(await page.locator('[data-zone]').first().textContent()).toBe('America/New_York');
    await page.locator('.filters [name=q]').fill('Ada');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=/);
    expect(new URL(page.url()).search).toBe('?q=Ada');
    await page.goto(`${server.url}/deliveries?min_received_at=2025-04-14T12:00:00.000000Z`);
    expect(await page.locator('[name=min_received_at]').inputValue()).toBe('2025-04-14T08:00');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL(/timezone=America%2FNew_York/);
    expect(new URL(page.url()).searchParams.get('min_received_at')).toBe('2025-04-14T08:00');
    expect(await page.locator('[name=min_received_at]').getAttribute('data-instant')).toBe(
      '2025-04-14T12:00:00.000000Z',
    );
  });

  it('without a script shows times in the zone of the reports, the tab of the page on a phone, and no button that needs one', async () => {
    const { page, asked } = await open('/deliveries', { width: 360, javaScriptEnabled: false });
    const { x = 0, width = 400 } = (await page.locator('nav [aria-current="page"]').boundingBox()) ?? {};
    expect([x > 0, x + width <= 360]).toEqual([true, true]);
    expect(await page.locator('[data-zone]').first().textContent()).toBe('Europe/Berlin');
    expect(await page.locator('tr time').first().textContent()).toMatch(/ UTC$/);
    expect(await page.locator('.needs-script:visible').count()).toBe(0);
    expect(asked.filter((address) => address.endsWith('/deliveries'))).toHaveLength(1);
  });
});

// The documentation as a real browser shows it: offline, within its policy, by keyboard, on any screen.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { listen, loginLinkTo } from '../../../harness/mirror/api-app.ts';
import { openBrowser, visit, type Looks, type Visit } from '../../../harness/browser.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { freshMemory, ingestBodies } from '../../../harness/stores.ts';
import { contactDelivery, contactUri } from '../../../harness/data/contact-deliveries.ts';

/** A foreign page on this machine: by one name it is another site, by the other another port of our host. */
async function openForeignPage(body: string) {
  const other = await listen({ fetch: () => new Response(body, { headers: { 'content-type': 'text/html' } }) });
  const [otherPort, otherSite] = [`${other.url}/`, `${other.url.replace('127.0.0.1', 'localhost')}/`];
  return { otherPort, otherSite, [Symbol.asyncDispose]: () => other[Symbol.asyncDispose]() };
}

describe.runIf(inject('chromiumPath'))('the documentation in a browser', () => {
  let browser: Browser;
  let api: Awaited<ReturnType<typeof openReadApi>>;
  let server: Awaited<ReturnType<typeof listen>>;
  beforeAll(async () => {
    api = await openReadApi(freshMemory);
    server = await listen(api.admin);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await api[Symbol.asyncDispose]();
  });

  async function loggedIn(looks: Looks = {}): Promise<Visit> {
    const visited = await visit(browser, looks);
    await visited.page.goto(server.url + (await loginLinkTo(api.admin)));
    return visited;
  }

  it('is where the login link leads, and its code is nowhere to be seen any more', async () => {
    await using visited = await loggedIn();
    expect(visited.page.url()).toBe(`${server.url}/docs`);
    expect(await visited.page.title()).toBe('Slotstream API');
    const [cookie] = await visited.page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    expect(await visited.page.evaluate('document.cookie')).toBe('');
    await visited.page.reload();
    expect(await visited.page.title()).toBe('Slotstream API');
  });

  it('asks for nothing beyond itself, and its policy stops nothing of its own', async () => {
    await using visited = await loggedIn();
    await visited.page.goto(`${server.url}/docs#schema-Delivery`);
    await visited.page.waitForLoadState('networkidle');
    expect(
      visited.asked.filter((address) => !address.startsWith(`${server.url}/`) && !address.startsWith('data:')),
    ).toEqual([]);
    expect(visited.complaints).toEqual([]);
  });

  it('shows every operation under its heading, with a command that has the token by name', async () => {
    await using visited = await loggedIn();
    for (const { path, method, tag } of api.operations) {
      const chapter = visited.page.locator('.chapter', {
        has: visited.page.locator('h2', { hasText: new RegExp(`^${tag}$`) }),
      });
      const shown = chapter.locator('details.operation').filter({
        has: visited.page.locator(`summary .method:text-is("${method}") + code:text-is("${path}")`),
      });
      expect([path, await shown.count()]).toEqual([path, 1]);
      expect(await shown.locator('pre').last().textContent()).toContain('Bearer $ADMIN_TOKEN');
    }
  });

  it('says beside a 400 that its title is the service’s own, where it is', async () => {
    await using visited = await loggedIn();
    const noteOf = (path: string) =>
      visited.page
        .locator('details.operation', { has: visited.page.locator(`summary code:text-is("${path}")`) })
        .locator('.errors', { hasText: '400' })
        .textContent();
    expect(await noteOf('/api/contacts')).toContain('Its title is the service’s own: “Internal Server Error”.');
    expect(await noteOf('/api/deliveries')).not.toContain('Internal Server Error');
  });

  it('is used by keyboard: a key to filter, Enter to open, links to what they name', async () => {
    await using visited = await loggedIn();
    const { page } = visited;
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.id')).toBe('filter');
    await page.keyboard.type('quarantine');
    const shown = page.locator('details.operation:visible');
    expect(await shown.locator('> summary .path').allTextContents()).toEqual(
      api.operations.filter(({ tag }) => tag === 'Quarantine').map(({ path }) => path),
    );
    await shown.first().locator('summary').focus();
    await page.keyboard.press('Enter');
    expect(await shown.first().getAttribute('open')).not.toBeNull();
    await shown.first().locator('a[href="#schema-Delivery"]').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('#schema-Delivery').getAttribute('open')).not.toBeNull();
  });

  it('is read without a script, and fits a narrow screen, in light and in dark', async () => {
    await using bare = await loggedIn({ javaScriptEnabled: false });
    expect(await bare.page.locator('details.operation').count()).toBeGreaterThan(api.operations.length);
    const papers = new Set<unknown>();
    for (const colorScheme of ['light', 'dark'] as const) {
      await using visited = await loggedIn({ width: 340, height: 700, colorScheme });
      await visited.page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
      expect(await visited.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(340);
      papers.add(await visited.page.evaluate('getComputedStyle(document.body).backgroundColor'));
    }
    expect(papers.size).toBe(2);
  });

  it('shows names as text: markup in them is never executed', async () => {
    const nasty = '<img src=x onerror="window.hit=1"></script><svg onload="window.hit=1">';
    await ingestBodies(api.store, [
      contactDelivery({ id: 'nasty', version: 0, more: { name: nasty, linkedin: 'javascript:window.hit=1' } }),
      JSON.stringify({ event: nasty, payload: { uri: contactUri('nasty') } }),
    ]);
    await using visited = await loggedIn();
    const { page } = visited;
    const uri = encodeURIComponent(contactUri('nasty'));
    for (const path of [
      '/api/deliveries',
      '/api/deliveries/1',
      '/api/quarantine',
      '/api/feed',
      `/api/why?uri=${uri}`,
    ]) {
      const answer = await page.goto(`${server.url}${path}`);
      expect([path, answer?.status()]).toEqual([path, 200]);
      expect(answer?.headers()['content-type']).toMatch(/^application\/json/);
      expect(await page.locator('body').textContent()).toContain('window.hit=1');
      expect(await page.evaluate('window.hit')).toBeUndefined();
      expect(await page.locator('img, svg').count()).toBe(0);
    }
    expect(visited.complaints).toEqual([]);
    const odd = await page.goto(`${server.url}/docs?${encodeURIComponent(nasty)}#${encodeURIComponent(nasty)}`);
    expect([odd?.status(), await page.evaluate('window.hit')]).toEqual([200, undefined]);
  });

  it('cannot be framed by another page', async () => {
    await using visited = await loggedIn();
    await using foreign = await openForeignPage(`<iframe src="${server.url}/docs"></iframe>`);
    await visited.page.goto(foreign.otherSite);
    await expect.poll(() => visited.complaints.join('\n')).toMatch(/frame-ancestors/);
    const [, frame] = visited.page.frames();
    expect(frame?.url()).not.toBe(`${server.url}/docs`);
  });

  it('a page of another site can neither act nor read with the session', async () => {
    await using visited = await loggedIn();
    await using foreign = await openForeignPage('Hello.');
    const { page } = visited;
    const asking = (path: string, how: object): Promise<unknown> =>
      page.evaluate(
        `fetch('${server.url}${path}', ${JSON.stringify({ credentials: 'include', ...how })}).then((answer) => answer.text(), () => 'stopped')`,
      );
    const refusals = async (origin: string): Promise<readonly string[]> => {
      await page.goto(origin);
      const before = api.admin.heard.refused.length;
      await asking('/api/deliveries/1/replay', { method: 'POST', mode: 'no-cors' });
      expect(await asking('/api/status', {})).toBe('stopped');
      return api.admin.heard.refused.slice(before);
    };
    expect(await refusals(foreign.otherSite)).toEqual(['unauthenticated', 'unauthenticated']);
    // Another port of the same host gets the cookie sent: here authentication rejects the request.
    expect(await refusals(foreign.otherPort)).toEqual(['cross_site', 'cross_site']);
    expect(api.heard.acted).toEqual([]);
  });

  it('tells a browser without a session how to get one, and lets in one that came by a link on another site', async () => {
    await using visited = await visit(browser);
    const { page } = visited;
    const answer = await page.goto(`${server.url}/docs`);
    expect([answer?.status(), await page.locator('pre').textContent()]).toEqual([
      401,
      './bin/slotstream status --login',
    ]);
    await using foreign = await openForeignPage(`<a href="${server.url}${await loginLinkTo(api.admin)}">log in</a>`);
    await page.goto(foreign.otherSite);
    await page.locator('a').click();
    await page.waitForURL(`${server.url}/**`);
    // The browser keeps a strict cookie back while the visit comes from another site: a page of ours goes on.
    await expect.poll(() => page.title()).toBe('Slotstream API');
  });
});

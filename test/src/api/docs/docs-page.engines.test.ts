// The documentation as a real browser shows it: offline, within its policy, by keyboard, on any screen; and what other sites can do there.
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { bearer, listen, loginLinkTo } from '../../../harness/mirror/api-app.ts';
import { openBrowser, visit, type Looks, type Visit } from '../../../harness/browser.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { freshMemory } from '../../../harness/stores.ts';
import { openedOnce } from '../../../harness/opened.ts';

const api = openedOnce(() => openReadApi(freshMemory));

/** A foreign page on this machine: by one name it is another site, by the other another port of our host. */
async function openForeignPage(body: string) {
  const other = await listen({ fetch: () => new Response(body, { headers: { 'content-type': 'text/html' } }) });
  const [otherPort, otherSite] = [`${other.url}/`, `${other.url.replace('127.0.0.1', 'localhost')}/`];
  return { otherPort, otherSite, [Symbol.asyncDispose]: () => other[Symbol.asyncDispose]() };
}

it('the documentation has every operation under its heading, with a command that has the token by name', async () => {
  const page = await (await api.admin.ask('/docs', { headers: bearer })).text();
  const chapters = page.split(/<h2[^>]*>/).slice(1);
  const operationAt = (tag: string, method: string, path: string) =>
    (chapters.find((text) => text.startsWith(`${tag}<`)) ?? '')
      .split('<details class="operation"')
      .filter((text) => text.includes(`">${method}</span>`) && text.includes(`>${path}</code>`));
  for (const { path, method, tag, conventions } of api.operations) {
    const [shown = '', ...more] = operationAt(tag, method, path);
    expect([path, more.length]).toEqual([path, 0]);
    expect(shown).toContain('Bearer $ADMIN_TOKEN');
    const isOfService = shown.includes('Its title is the service’s own: “Internal Server Error”.');
    expect([path, isOfService]).toEqual([path, conventions === 'service']);
  }
});

describe.runIf(inject('chromiumPath'))('the documentation in a browser', () => {
  let browser: Browser;
  const server = openedOnce(() => listen(api.admin));
  beforeAll(async () => {
    browser = await openBrowser();
  });

  async function loggedIn(looks: Looks = {}): Promise<Visit> {
    const visited = await visit(browser, looks);
    await visited.page.goto(server.url + (await loginLinkTo(api.admin)));
    return visited;
  }

  it('is where the login link leads, without its code, asks for nothing beyond itself, and is used by keyboard', async () => {
    await using visited = await loggedIn();
    const { page, asked, complaints } = visited;
    expect([page.url(), await page.title()]).toEqual([`${server.url}/docs`, 'Slotstream API']);
    expect((await page.context().cookies())[0]).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    expect(await page.evaluate('document.cookie')).toBe('');
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
    await page.locator('#schema-Delivery[open]').waitFor();
    const nasty = encodeURIComponent('<img src=x onerror="window.hit=1"></script><svg onload="window.hit=1">');
    await page.goto(`${server.url}/docs?${nasty}#${nasty}`);
    expect(await page.evaluate('window.hit')).toBeUndefined();
    expect(asked.filter((url) => !url.startsWith(`${server.url}/`) && !url.startsWith('data:'))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('is read without a script, and fits a narrow screen, in light and in dark', async () => {
    await using bare = await loggedIn({ javaScriptEnabled: false });
    expect(await bare.page.locator('details.operation').count()).toBeGreaterThan(api.operations.length);
    await using visited = await loggedIn({ width: 340, height: 700, colorScheme: 'light' });
    const { page } = visited;
    await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(340);
    const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await paper();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await paper()).not.toBe(light);
  });

  it('can neither be framed, nor used to act or read with the session, by a page of another site', async () => {
    await using visited = await loggedIn();
    const { page } = visited;
    await using foreign = await openForeignPage(`<iframe src="${server.url}/docs"></iframe>`);
    const framed = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await page.goto(foreign.otherSite);
    await framed;
    expect(page.frames()[1]?.url()).not.toBe(`${server.url}/docs`);
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
    await using empty = await openForeignPage('Hello.');
    expect(await refusals(empty.otherSite)).toEqual(['unauthenticated', 'unauthenticated']);
    // Another port of the same host gets the cookie sent: here authentication rejects the request.
    expect(await refusals(empty.otherPort)).toEqual(['cross_site', 'cross_site']);
    expect(api.heard.acted).toEqual([]);
  });

  it('lets in a browser that came by a link on another site', async () => {
    await using visited = await visit(browser);
    const { page } = visited;
    await using foreign = await openForeignPage(`<a href="${server.url}${await loginLinkTo(api.admin)}">log in</a>`);
    await page.goto(foreign.otherSite);
    await page.locator('a').click();
    // The browser keeps a strict cookie back while the visit comes from another site: a page of ours goes on.
    await page.locator('details.operation').first().waitFor();
    expect(await page.title()).toBe('Slotstream API');
  });
});

// How a real browser gets in, and what pages of other sites can do with its session.
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { listen, loginLinkTo } from '../../../harness/mirror/api-app.ts';
import { openBrowser, visit, type Visit } from '../../../harness/browser.ts';
import { openDashboard } from '../../../harness/mirror/dashboard.ts';
import { freshMemory } from '../../../harness/stores.ts';
import { openedOnce } from '../../../harness/opened.ts';

const api = openedOnce(() => openDashboard(freshMemory));

/** A foreign page on this machine: by one name it is another site, by the other another port of our host. */
async function openForeignPage(body: string) {
  const other = await listen({ fetch: () => new Response(body, { headers: { 'content-type': 'text/html' } }) });
  const [otherPort, otherSite] = [`${other.url}/`, `${other.url.replace('127.0.0.1', 'localhost')}/`];
  return { otherPort, otherSite, [Symbol.asyncDispose]: () => other[Symbol.asyncDispose]() };
}

describe.runIf(inject('chromiumPath'))('the session of a browser', () => {
  let browser: Browser;
  const server = openedOnce(() => listen(api.admin));
  beforeAll(async () => {
    browser = await openBrowser();
  });

  async function loggedIn(): Promise<Visit> {
    const visited = await visit(browser);
    await visited.page.goto(server.url + (await loginLinkTo(api.admin, '/tables')));
    return visited;
  }

  it('begins where the login link leads, without its code, and no script has its cookie', async () => {
    await using visited = await loggedIn();
    const { page } = visited;
    expect([page.url(), await page.title()]).toEqual([`${server.url}/tables`, 'Tables · Slotstream']);
    expect((await page.context().cookies())[0]).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    expect(await page.evaluate('document.cookie')).toBe('');
  });

  it('can neither be framed, nor used to act or read, by a page of another site', async () => {
    await using visited = await loggedIn();
    const { page } = visited;
    await using foreign = await openForeignPage(`<iframe src="${server.url}/tables"></iframe>`);
    const framed = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await page.goto(foreign.otherSite);
    await framed;
    expect(page.frames()[1]?.url()).not.toBe(`${server.url}/tables`);
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

  it('begins in a browser that came by a link on another site', async () => {
    await using visited = await visit(browser);
    const { page } = visited;
    const link = server.url + (await loginLinkTo(api.admin, '/tables'));
    await using foreign = await openForeignPage(`<a href="${link}">log in</a>`);
    await page.goto(foreign.otherSite);
    await page.locator('a').click();
    // The browser keeps a strict cookie back while the visit comes from another site: a page of ours goes on.
    await page.getByRole('heading', { level: 1, name: 'Tables' }).waitFor();
    expect(await page.title()).toBe('Tables · Slotstream');
  });
});

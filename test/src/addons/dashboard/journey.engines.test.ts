// What a person wants to know, asked in a real browser: who works at a company, which meetings come in which order, who missed meetings of
// whom, as a file for a spreadsheet; and the way there and back.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { openBrowser, visit } from '../../../harness/browser.ts';
import { fillReadWorld } from '../../../harness/data/read-world.ts';
import { listen, loginLinkTo } from '../../../harness/mirror/api-app.ts';
import { openDashboard } from '../../../harness/mirror/dashboard.ts';
import { freshSqlite } from '../../../harness/stores.ts';

async function openWorld() {
  await using stack = new AsyncDisposableStack();
  const dashboard = stack.use(await openDashboard(freshSqlite));
  await fillReadWorld(dashboard.store);
  const server = stack.use(await listen({ fetch: dashboard.admin.fetch }));
  const kept = stack.move();
  const visitor = async (path: string, javaScriptEnabled = true) => {
    const { page } = kept.use(await visit(await openBrowser(), { javaScriptEnabled }));
    await page.goto(server.url + (await loginLinkTo(dashboard.admin, '/')));
    await page.goto(new URL(path, page.url()).href);
    return page;
  };
  return { visitor, dashboard, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const cells = async (page: Page, column: string): Promise<readonly string[]> =>
  (await page.locator(`main tbody td[data-label="${column}"]`).allTextContents()).map((text) => text.trim());
const pathOf = (page: Page): string => decodeURIComponent(page.url().replace(/^https?:\/\/[^/]+/, ''));

describe.runIf(inject('chromiumPath')).each([true, false])('a person with a browser, scripts %s', (isScripted) => {
  it('finds a person by company, and what is known of them', async () => {
    await using world = await openWorld();
    const page = await world.visitor('/', isScripted);
    await page.locator('header [name="q"]').fill('acme');
    await page.locator('header [name="q"]').press('Enter');
    await page.locator('main a', { hasText: 'Guest A' }).first().click();
    await page.waitForURL(/\/contacts\/a$/);
    expect(await page.locator('h1').textContent()).toContain('Guest A');
  });

  it('sorts bookings by their start, and keeps the order when a filter is added', async () => {
    await using world = await openWorld();
    const page = await world.visitor('/bookings', isScripted);
    await page.locator('th a', { hasText: 'Starts' }).click();
    await page.waitForURL(/order=start_time\.desc/);
    await page.locator('main [name="q"]').fill('guest');
    await page.locator('main [name="q"]').press('Enter');
    await page.waitForURL(/q=guest/);
    expect(new URL(page.url()).searchParams.getAll('order')).toEqual(['start_time.desc']);
    expect(await page.locator('main tbody tr').count()).toBeGreaterThan(1);
    expect(await page.locator('th[aria-sort="descending"]').textContent()).toContain('Starts');
  });

  it('sorts, filters, groups and counts, takes the result along as CSV, and sends the link', async () => {
    await using world = await openWorld();
    const page = await world.visitor('/tables/bookings?select=invitee_name,start_time,outcome&limit=1000', isScripted);
    await page.locator('th a', { hasText: 'start_time' }).click();
    await page.waitForURL(/order=start_time\.desc/);
    const starts = (await page
      .locator('main tbody tr time')
      .evaluateAll((all) => all.map((one) => one.getAttribute('datetime')))) as string[];
    expect(starts.length).toBeGreaterThan(5);
    expect(starts).toEqual(starts.toSorted().toReversed());

    const lastLine = page.locator('[name$=".column"]').last();
    const line = String(await lastLine.getAttribute('name')).replace('.column', '');
    await lastLine.selectOption('outcome');
    await page.locator(`[name="${line}.operator"]`).selectOption('eq');
    await page.locator(`[name="${line}.value"]`).fill('no_show');
    await page.locator('main form button').first().click();
    await page.waitForURL(/outcome=eq\.no_show/);
    expect(new Set(await cells(page, 'outcome'))).toEqual(new Set(['no_show']));

    const question =
      'outcome=eq.no_show&start_time=gte.2025-01-01&start_time=lt.2025-02-01&select=host_name,count()&order=count.desc';
    await page.goto(new URL(`/tables/bookings?${question}`, page.url()).href);
    const counts = (await cells(page, 'count')).map(Number);
    const { body } = await world.dashboard.get(`/api/tables/bookings?${question}`);
    expect(counts).toEqual(body.collection.map(({ count }: { count: number }) => count));

    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('a', { hasText: 'Download as CSV' }).click(),
    ]);
    const lines = (await readFile(await file.path(), 'utf8')).trim().split(/\r?\n/);
    expect(lines[0]).toBe('host_name,count');
    expect(lines.slice(1).map((row) => Number(row.split(',').at(-1)))).toEqual(counts);

    const colleague = await world.visitor(pathOf(page), isScripted);
    expect(await cells(colleague, 'count')).toEqual(await cells(page, 'count'));
  });

  it('opens a record, follows what it refers to, and comes back to where it was', async () => {
    await using world = await openWorld();
    const list = '/tables/invitees?select=uri,event_uri,created_at&order=created_at.desc';
    const page = await world.visitor(list, isScripted);
    const row = page.locator('main tbody tr').nth(2);
    const key = await row.getAttribute('data-key');
    await row.locator('a').first().click();
    await page.waitForURL(/\/tables\/invitees\/.+/);
    const record = pathOf(page);
    await page.locator('main a[href^="/tables/scheduled_events/"]').first().click();
    await page.waitForURL(/\/tables\/scheduled_events\/.+/);
    // And from the meeting to those who booked it.
    expect(await page.locator('main').textContent()).toContain('invitees');
    await page.goBack();
    expect(pathOf(page)).toBe(record);
    await page.goBack();
    expect(pathOf(page)).toBe(list);
    expect(await page.locator('main tbody tr').nth(2).getAttribute('data-key')).toBe(key);
  });
});

// The documentation of the sandbox as a real browser shows it: offline, within its policy, by keyboard, on any screen.
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { controls } from '#src/sandbox/controls/control-routes.ts';
import { openBrowser, visit } from '../../../harness/browser.ts';
import { openForSuite, operations } from '../../../harness/sandbox.ts';

describe.runIf(inject('chromiumPath'))('the documentation of the sandbox in a browser', () => {
  let browser: Browser;
  const sandbox = openForSuite();
  const address = () => `${sandbox.handles.base_url}/_sandbox/docs`;
  beforeAll(async () => {
    browser = await openBrowser();
  });

  it('is used by keyboard, asks for nothing beyond itself, and shows no text of its address', async () => {
    await using visited = await visit(browser);
    const { page, asked, complaints } = visited;
    await page.goto(address());
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.id')).toBe('filter');
    await page.keyboard.type('/contacts/custom_field_definitions');
    const shown = page.locator('details.operation:visible');
    expect(await shown.locator('> summary .path').allTextContents()).toEqual(
      operations.map(({ path }) => path).filter((path) => path.startsWith('/contacts/custom_field_definitions')),
    );
    await shown.first().locator('summary').focus();
    await page.keyboard.press('Enter');
    expect(await shown.first().getAttribute('open')).not.toBeNull();
    const schema = shown.first().locator('a[href^="#schema-"]').first();
    const id = await schema.getAttribute('href');
    await schema.focus();
    await page.keyboard.press('Enter');
    await page.locator(`${id}[open]`).waitFor();
    const nasty = encodeURIComponent('<img src=x onerror="window.hit=1"></script><svg onload="window.hit=1">');
    await page.goto(`${address()}?${nasty}#${nasty}`);
    expect(await page.evaluate('window.hit')).toBeUndefined();
    const { origin } = new URL(address());
    expect(asked.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('is read without a script, and fits a narrow screen, in light and in dark', async () => {
    await using bare = await visit(browser, { javaScriptEnabled: false });
    await bare.page.goto(address());
    const shown = await bare.page.locator('details.operation').count();
    expect(shown).toBeGreaterThan(operations.length + controls.length);
    await using visited = await visit(browser, { width: 340, height: 700, colorScheme: 'light' });
    const { page } = visited;
    await page.goto(address());
    await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(340);
    const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await paper();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await paper()).not.toBe(light);
  });
});

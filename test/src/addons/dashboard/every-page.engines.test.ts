// Every page of the running dashboard in a real browser, on a mirror whose every text was written by an attacker: nothing runs, nothing is
// loaded from elsewhere, nothing is in the way of people with disabilities, nothing is wider than a phone, and no cell is printed over another.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openBrowser, visit, type Visit } from '../../../harness/browser.ts';
import { browserTexts, hugeNumber } from '../../../harness/data/hostile.ts';
import { hostileBodies } from '../../../harness/data/hostile-bodies.ts';
import { listen } from '../../../harness/mirror/api-app.ts';
import { findPages } from '../../../harness/mirror/every-page.ts';
import { openSender } from '../../../harness/mirror/sender.ts';
import { until } from '../../../harness/ports.ts';
import { openHome, type Home } from '../../../harness/product.ts';
import { ask } from '../../../oracle/deliveries.ts';

describe.runIf(inject('chromiumPath'))('every page of the dashboard', () => {
  let home: Home;
  let browser: Browser;
  /** Addresses that links and forms lead to, up to two of each page; and the pages to which none leads. */
  let found: Awaited<ReturnType<typeof findPages>>;

  beforeAll(async () => {
    home = await openHome();
    const product = await home.open('start');
    const sender = openSender({ url: product.webhook, key: home.signingKey, retries: true });
    const bodies = hostileBodies(new Date());
    await sender.send(bodies);
    sender.close();
    const logged = async () => (await ask(home.store, 'select count(*) as entries from event_log'))[0]?.['entries'];
    await until(async () => (await logged()) === bodies.length, 'every delivery is in the log');
    for (const statement of hostileRows) await ask(home.store, statement);
    const read = async (address: string) => (await product.admin(address, { accept: 'text/html' })).text();
    found = await findPages(read, { perPage: 2 });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await home?.[Symbol.asyncDispose]();
  });

  async function logIn(): Promise<Visit> {
    const visited = await visit(browser, { colorScheme: 'light' });
    await visited.page.goto((await home.run(['status', '--login'])).out.trim());
    return visited;
  }

  it('has a session at a name of its own, which no other port of the machine gets', async () => {
    await using visited = await logIn();
    const { page } = visited;
    const own = page.url();
    expect(new URL(own).hostname).toMatch(/^slotstream-[0-9a-f]{32}\.localhost$/);
    const cookies: unknown[] = [];
    await using other = await listen({
      fetch({ headers }) {
        cookies.push(headers.get('cookie'));
        return new Response('Hello.');
      },
    });
    for (const url of [other.url, other.url.replace('127.0.0.1', 'localhost')]) await page.goto(url);
    expect(new Set(cookies)).toEqual(new Set([null]));
    expect((await page.goto(own))?.status()).toBe(200);
  });

  // One visit, because most of the time goes into loading pages.
  it('shows hostile text as text, asks nothing of another host, has no serious barrier in either colours, fits a phone, and keeps each text in its cell', async () => {
    // To the address of a submission only alerts link; it leads to its row.
    expect(found.missing.filter((path) => path !== '/routing/:uuid')).toEqual([]);
    await using visited = await logIn();
    const { page, asked, complaints } = visited;
    const { origin } = new URL(page.url());
    const before = asked.length;
    const faults: string[] = [];
    const known = new Set<string>();
    let everything = '';
    for (const address of [...found.addresses, ...tablePages]) {
      const answer = await page.goto(origin + address);
      const check = async (script: string) =>
        faults.push(...(await page.evaluate<readonly string[]>(script)).map((fault) => `${address}: ${fault}`));
      // An address with control characters is no filter, and subscriptions cannot be created without a service.
      if (![200, 400, 409].includes(answer?.status() ?? 0)) faults.push(`${address} ${answer?.status()}`);
      await check(attacks);
      everything += String(await page.evaluate('document.body.textContent'));
      await check(fullCells);
      await page.setViewportSize({ width: 360, height: 740 });
      await check(fullCells);
      await check("document.documentElement.scrollWidth > 360 ? ['wider than a phone'] : []");
      await page.setViewportSize({ width: 1280, height: 900 });
      // Only a component that no page before had can be a barrier.
      const components = (await page.evaluate<readonly string[]>(componentsShown)).filter((one) => !known.has(one));
      if (components.length === 0) continue;
      for (const component of components) known.add(component);
      await page.evaluate(oneRowOfEachKind);
      await page.evaluate(axe);
      await check(barriers());
      // Only contrast depends on the colours.
      await page.emulateMedia({ colorScheme: 'dark' });
      await check(barriers("runOnly: ['color-contrast']"));
      await page.emulateMedia({ colorScheme: 'light' });
    }
    expect(faults).toEqual([]);
    expect(complaints.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
    expect(
      asked.slice(before).filter((address) => !address.startsWith(`${origin}/`) && !address.startsWith('data:')),
    ).toEqual([]);
    // The pages have met them; NUL and half a character are replaced on their way.
    expect(browserTexts.filter((text) => text.isWellFormed() && !everything.includes(text))).toEqual([]);
    expect(everything.includes(hugeNumber)).toBe(true);
  });
});

/** Besides those that are found: all columns of what strangers write, a group, and refused questions. */
const tablePages: readonly string[] = [
  ...['invitees', 'contacts', 'event_log', 'meeting_recaps', 'users', 'alerts'].map(
    (name) => `/tables/${name}?select=*`,
  ),
  '/tables/invitees?select=name,status,count()&or=(name.neq.x,name.is.null)',
  `/tables/users?name=${encodeURIComponent(`eq.${browserTexts[1]}`)}`,
  `/tables/users?name=${encodeURIComponent(browserTexts[1] ?? '')}&select=${encodeURIComponent(browserTexts[1] ?? '')}`,
];

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Evaluated in the page: what an attacker has achieved. */
const attacks = `[
  ...(window.attacked === undefined ? [] : ['a script of the attacker ran']),
  ...(document.scripts.length === 1 ? [] : ['there is another script']),
  ...[...document.querySelectorAll('img, iframe, object, embed, base, [srcdoc]')].map((one) => one.outerHTML.slice(0, 200)),
  ...[...document.querySelectorAll('*')].flatMap((one) => [...one.attributes])
    .filter(({ name }) => name.startsWith('on') || name === 'style').map(({ name }) => 'attribute ' + name),
  ...[...document.querySelectorAll('[href], [action], [formaction]')]
    .map((one) => one.href?.baseVal ?? one.href ?? one.action).filter((link) => !/^(https?:|data:image\\/svg|\\/(?!\\/))/.test(link)),
]`;

/** Evaluated in the page: cells whose text, or name on a phone, does not fit into them. */
const fullCells = `[...document.querySelectorAll('td')]
  .filter((cell) => cell.scrollWidth > cell.clientWidth + 1 || cell.scrollHeight > cell.clientHeight + 1)
  .slice(0, 3).map((cell) => innerWidth + ' px: a text leaves its cell: ' + cell.outerHTML.slice(0, 150))`;

/** Evaluated in the page: its elements by name and class. */
const componentsShown = `[...new Set([...document.querySelectorAll('body *')]
  .map((one) => one.tagName + '.' + one.getAttribute('class')))]`;

/** Evaluated in the page: removes rows that have the same elements as one before. */
const oneRowOfEachKind = `{
  const kinds = new Set();
  for (const row of document.querySelectorAll('tr, li')) {
    const kind = [row, ...row.querySelectorAll('*')].map((one) => one.tagName + '.' + one.getAttribute('class')).join();
    if (kinds.has(kind)) row.remove();
    kinds.add(kind);
  }
}`;

/** Evaluated in the page. */
const barriers = (only = '') => `axe
  .run(document, { resultTypes: ['violations'], preload: false, ${only} })
  .then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html, failureSummary }) => id + ' ' + html.slice(0, 150) + ' ' + failureSummary)))`;

/** What does not come by webhook: hosts and subscriptions of the service, readers of the feed, alerts. */
const hostile = `'${browserTexts[1]}'`;
const hostileRows: readonly string[] = [
  `insert into users (uri, name, email) values ('https://api.scheduling.test/users/1', ${hostile}, ${hostile})`,
  `insert into feed_consumers (name, position, updated_at) values (${hostile}, 1, '2026-01-01T00:00:00.000000Z')`,
  `insert into webhook_subscriptions (uri, callback_url, state, scope, creator, events, checked_at) values
    ('https://api.scheduling.test/webhook_subscriptions/1', 'javascript:window.attacked=1', 'disabled', 'organization', 'https://api.scheduling.test/users/1', json_array(${hostile}), '2026-01-01T00:00:00.000000Z')`,
  `insert into alerts (id, rule, subject_uri, state, channel, last_error, fact, detail, attempts, episode, occurred_at, due_at, next_at, created_at, updated_at)
    select 'hostile', ${hostile}, 'javascript:window.attacked=1', 'failed', 'slack', ${hostile}, ${hostile}, ${hostile}, 1, 0, at, at, at, at, at
    from (select '2026-01-01T00:00:00.000000Z' as at)`,
];

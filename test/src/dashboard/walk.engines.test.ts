// The dashboard of a running product, used by a person in a browser: a session at a name of its own, and replaying everything in
// quarantine. Live updates, keys and the login form are script.engines.test.ts.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openBrowser, visit, type Visit } from '../../harness/browser.ts';
import { contactDelivery, contactUri } from '../../harness/data/contact-deliveries.ts';
import { listen } from '../../harness/mirror/api-app.ts';
import { openSender, type Sender } from '../../harness/mirror/sender.ts';
import { until } from '../../harness/ports.ts';
import { openHome, type Home } from '../../harness/product.ts';
import { ask } from '../../oracle/deliveries.ts';

describe.runIf(inject('chromiumPath'))('a person in a browser', () => {
  let home: Home;
  let browser: Browser;
  let sender: Sender;
  let origin: string;
  const contacts = 45;

  beforeAll(async () => {
    home = await openHome();
    const product = await home.open('start');
    origin = new URL((await product.admin('/api/status')).url).origin;
    sender = openSender({ url: product.webhook, key: home.signingKey, retries: true });
    await sender.send([
      ...Array.from({ length: contacts }, (_, n) => contactDelivery({ id: `c${n}`, version: 0 })),
      JSON.stringify({ event: 'contact.merged', payload: { uri: contactUri('c1') } }),
      '{"event": "contact.updated", no JSON',
    ]);
    await entriesAre(contacts + 2);
    browser = await openBrowser();
  });
  afterAll(async () => {
    sender?.close();
    await home?.[Symbol.asyncDispose]();
  });

  const countOf = async (where: string): Promise<number> =>
    Number((await ask(home.store, `select count(*) as entries from event_log where ${where}`))[0]?.['entries']);
  const entriesAre = (count: number) => until(async () => (await countOf('true')) === count, `${count} entries`);

  async function loggedIn(path: string): Promise<Visit> {
    const visited = await visit(browser);
    const { out } = await home.run(['status', '--login']);
    await visited.page.goto(out.trim().replace('/?', `${path}?`));
    return visited;
  }

  it('has a session at a name of its own, which no other port of the machine gets', async () => {
    await using visited = await loggedIn('/');
    const { page } = visited;
    const { hostname, port } = new URL(page.url());
    expect([hostname, port]).toEqual([
      expect.stringMatching(/^slotstream-[0-9a-f]{32}\.localhost$/),
      new URL(origin).port,
    ]);
    const cookies: unknown[] = [];
    await using other = await listen({
      fetch({ headers }) {
        cookies.push(headers.get('cookie'));
        return new Response('Hello.');
      },
    });
    for (const url of [other.url, other.url.replace('127.0.0.1', 'localhost')]) await page.goto(url);
    expect(new Set(cookies)).toEqual(new Set([null]));
    expect((await page.goto(`http://${hostname}:${port}/deliveries`))?.status()).toBe(200);
  });

  it('replays everything in quarantine, also what is not on the page', async () => {
    // As an older version that could not read them would have left them.
    const old = "event = 'contact.created' and subject_uri like '%/contacts/c%'";
    await ask(
      home.store,
      `update event_log set outcome = 'quarantined', reason = 'Then.', changes = null where ${old}`,
    );
    await ask(home.store, "delete from contacts where uri like '%/contacts/c%'");
    await using visited = await loggedIn('/deliveries');
    const { page, complaints } = visited;
    await page.getByText('More filters').click();
    await page.locator('[name=outcome]').selectOption('quarantined');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('link', { name: 'Then.' }).first().click();
    await page.getByRole('link', { name: /everything that matches/ }).click();
    await page.getByRole('heading', { name: `Replay ${contacts} deliveries?` }).waitFor();
    expect(await countOf("reason = 'Then.'")).toBe(contacts);
    await page.getByRole('button', { name: `Replay ${contacts} deliveries` }).click();
    await page.getByRole('heading', { name: 'The replay is done' }).waitFor();
    expect(await countOf("reason = 'Then.'")).toBe(0);
    expect(await page.locator('main').innerText()).toMatch(new RegExp(`${contacts} deliveries replayed`));
    await page.goto(new URL('/mirror/actions', page.url()).href);
    expect(await page.locator('main').innerText()).toMatch(/Replay deliveries\s+done.*45 looked at, 45 changed/);
    expect(complaints).toEqual([]);
  });
});

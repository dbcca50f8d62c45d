// `slotstream reconcile` as a person types it: what it says, and how it ends.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { updateContact } from '#src/sandbox/world/contacts/contacts.ts';
import { ask } from '../../../oracle/deliveries.ts';
import { openHome, type Home } from '../../../harness/product.ts';
import { openTestSandbox, type TestSandbox } from '../../../harness/sandbox.ts';

let sandbox: TestSandbox;
let home: Home;
const open = new AsyncDisposableStack();
beforeAll(async () => {
  sandbox = open.use(await openTestSandbox({ contacts: 25, bookings: 3, rateLimits: false }));
  const api = { API_BASE_URL: sandbox.handles.base_url, API_TOKEN: sandbox.handles.tokens.owner };
  home = open.use(await openHome(api));
});
afterAll(() => open.disposeAsync());

function someone() {
  const [contact] = sandbox.service.state.contacts.get(sandbox.handles.organization)?.values() ?? [];
  if (contact === undefined) throw new Error('no contact');
  return contact;
}

const lastFull = async () => JSON.parse((await home.run(['status', '--json'])).out).reconcile.full as object;

// Each finds what the one before has repaired.
describe('reconcile', { shuffle: false }, () => {
  it('names what is missing and ends with 3; repaired, it ends with 0, and then there is nothing left', async () => {
    const looked = await home.run(['reconcile']);
    expect(looked.code).toBe(3);
    expect(looked.out).toMatch(/^missing contact http/m);
    expect(looked.out).toMatch(/\d+ records compared, \d+ differ\.\n/);
    expect(looked.out).toMatch(/^ {2}contact: \d+ missing$/m);
    expect(looked.out).toMatch(/→ To repair: \S+bin\/slotstream reconcile --repair/);

    const repaired = await home.run(['reconcile', '--repair']);
    expect(repaired.code).toBe(0);
    expect(repaired.out).toMatch(/\d+ differed and were repaired\./);
    // What a mirror has not had yet is no drift.
    expect(await lastFull()).toMatchObject({ drift: {} });
    const again = await home.run(['reconcile']);
    expect([again.code, again.out]).toEqual([0, expect.stringMatching(/^\d+ records compared, nothing differs\.\n/)]);
    expect(again.out).toContain('! subscriptions: not compared. PUBLIC_URL is not set');
  });

  it('says by --json what differs, a line each, and then the whole, without a person', async () => {
    updateContact(sandbox.service, someone(), { company: 'Canary Holdings', city: 'Tallinn' });
    const { code, out, err } = await home.run(['reconcile', '--recent', '--json']);
    expect(code).toBe(3);
    const [drift, report] = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(drift).toEqual({
      how: 'different',
      kind: 'contact',
      uri: someone().uri,
      fields: ['city', 'company', 'updated_at'],
    });
    expect(report).toMatchObject({ scope: 'recent', repaired: false, drift: { contact: { different: 1 } } });
    expect(out + err).not.toContain('Canary');
    expect((await home.run(['reconcile', '--recent', '--repair'])).code).toBe(0);
    const status = await home.run(['status', '--json']);
    expect(JSON.parse(status.out)).toMatchObject({ reconcile: { recent: { drift: { contact: { different: 1 } } } } });
  });

  it('counts by column and lists twenty rows; --json lists all of them', async () => {
    const contacts = [...(sandbox.service.state.contacts.get(sandbox.handles.organization)?.values() ?? [])];
    for (const [index, contact] of contacts.slice(0, 23).entries())
      updateContact(sandbox.service, contact, index < 3 ? { company: 'A', city: 'B' } : { company: 'A' });
    const lines = (await home.run(['reconcile'])).out.split('\n');
    expect(lines.filter((line) => line.startsWith('different contact http'))).toHaveLength(20);
    expect(lines).toContain('… 3 more (--json lists all)');
    expect(lines).toContain('  contact: 23 different');
    expect(lines).toContain('  different by column: company 23, updated_at 23, city 3');
    const { out } = await home.run(['reconcile', '--json', '--repair']);
    expect(out.trim().split('\n')).toHaveLength(23 + 1);
  });

  it('reports dates for which the service sends no webhook apart: they are no drift, and are repaired', async () => {
    await using busy = await openTestSandbox({ contacts: 10, bookings: 10, rateLimits: false });
    const { base_url: API_BASE_URL, tokens } = busy.handles;
    await using mirror = await openHome({ API_BASE_URL, API_TOKEN: tokens.owner });
    expect((await mirror.run(['backfill'])).code).toBe(0);
    // What was the next meeting of a contact becomes the last one.
    await busy.control('POST', '/clock', { advance: '60d' });
    const newer = /no webhook was missed\.\n\d+ contacts? ha(s|ve) newer meeting dates, which is normal/;
    for (const options of [[], ['--repair']])
      expect(await mirror.run(['reconcile', ...options])).toMatchObject({ code: 0, out: expect.stringMatching(newer) });
    expect((await mirror.run(['reconcile'])).out).not.toContain('meeting dates');
  });

  it('makes a lost subscription again first, then repairs what was missed meanwhile, and notes nothing more', async () => {
    const aim = { PUBLIC_URL: 'https://127.0.0.1:1' };
    expect((await home.run(['bootstrap', '--anyway'], aim)).code).toBe(0);
    expect((await home.run(['reconcile', '--repair'], aim)).code).toBe(0);
    const [lost] = sandbox.service.state.subscriptions.values();
    await sandbox.control('POST', '/subscriptions/disable', { uri: lost?.uri });
    const contact = someone();
    expect((await sandbox.call('DELETE', contact.uri)).status).toBe(204);
    const { code, out } = await home.run(['reconcile', '--repair'], aim);
    expect(out).toContain(`extra contact ${contact.uri}`);
    expect(out).toContain('1 lost subscription was recreated.');
    expect(code).toBe(0);
    expect(await ask(home.store, "select key from key_values where key = 'gap'")).toEqual([]);
  });

  it('says that it was stopped, and ends with 3', async () => {
    const asked = Promise.withResolvers<void>();
    const silent = createServer(() => asked.resolve()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    await using waiting = await openHome({ API_BASE_URL: `http://127.0.0.1:${port}`, API_TOKEN: 'a-token' });
    await using running = waiting.openVerb(['reconcile']);
    await asked.promise;
    expect(await running.signal('SIGINT')).toBe(3);
    expect(running.err()).toBe('Stopped before everything was compared. Run it again to compare the rest.\n');
    silent.close();
  });
});

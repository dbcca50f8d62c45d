// `slotstream bootstrap` as an operator runs it: exit codes, a real receiver, against the sandbox.
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../harness/moments.ts';
import { ask } from '../../../oracle/deliveries.ts';
import { contactDelivery } from '../../../harness/data/contact-deliveries.ts';
import { freePort } from '../../../harness/ports.ts';
import { openHome, type Home, type Settings } from '../../../harness/product.ts';
import { registered, subscriptionsIn } from '../../../harness/sandbox/bootstrapper.ts';
import { openTestSandbox } from '../../../harness/sandbox.ts';
import { openSender } from '../../../harness/mirror/sender.ts';
import { openedAnew } from '../../../harness/opened.ts';

/** Keys then come from the file. */
const noKeys = { SIGNING_KEYS: undefined } as unknown as Settings;

const sandbox = openedAnew(() => openTestSandbox({ contacts: 1, bookings: 1, rateLimits: false }));

/** Nothing answers there: clients do not even connect to these ports. */
const nowhere = 'https://127.0.0.1:1';
const settled = (more: Settings = {}): Settings => ({
  API_BASE_URL: sandbox.handles.base_url,
  API_TOKEN: sandbox.handles.tokens.owner,
  PUBLIC_URL: nowhere,
  ...more,
});
const keysOf = ({ dataDir }: Home): readonly string[] =>
  readFileSync(join(dataDir, 'signing-keys'), 'utf8').trim().split('\n');
const stored = () => [...sandbox.service.state.subscriptions.values()];

describe('bootstrap, as a verb', () => {
  it('shows the plan and changes nothing, then carries it out as it counted, then has nothing to do (A34)', async () => {
    await using home = await openHome({ ...settled(), ...noKeys }, { isNew: true });
    const planned = await home.run(['bootstrap', '--plan']);
    expect(planned).toMatchObject({ code: 3, err: '' });
    expect(planned.out).toContain('Plan: 4 to create, 1 if the service offers it, 0 to delete, 0 to keep.');
    expect(planned.out).toMatch(
      /^ {2}\+ create +bookings and no-shows +invitee\.\*, invitee_no_show\.\* +organization$/m,
    );
    expect([stored(), readdirSync(home.dataDir)]).toEqual([[], []]);

    const done = await home.run(['bootstrap', '--anyway']);
    expect(done).toMatchObject({ code: 0, err: expect.stringMatching(/^[^\n]*made a new, empty mirror[^\n]*\n$/) });
    expect(done.out).toContain('Done: 4 created, 1 not offered by the service.');
    expect(done.out).toMatch(
      /^ {2}= not offered +event types +event_type\.\* +organization {2}\(the service does not offer it, or the token lacks event_types:read; backfill and reconcile provide event types\)$/m,
    );
    expect(done.out).toMatch(
      /^Note: recaps arrive for 1 of 5 members\. For the others: docs\/configuration\.md#oauth$/m,
    );
    expect(subscriptionsIn(sandbox)).toEqual(registered);
    expect(statSync(join(home.dataDir, 'signing-keys')).mode & 0o777).toBe(0o600);
    expect(stored().map(({ signingKey }) => signingKey)).toEqual(registered.map(() => keysOf(home)[0]));
    const rows = await ask(home.store, 'select uri, state, events, checked_at from webhook_subscriptions');
    expect(rows.map(({ uri }) => uri).toSorted()).toEqual(
      stored()
        .map(({ uri }) => uri)
        .toSorted(),
    );
    expect(rows.every(({ checked_at: at, state }) => typeof at === 'string' && state === 'active')).toBe(true);

    const again = await home.run(['bootstrap', '--plan', '--json']);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.out)).toMatchObject({ pending: false, summary: { keep: 4, create: 0, refused: 1 } });
    const before = stored();
    expect(await home.run(['bootstrap', '--anyway'])).toMatchObject({ code: 0 });
    expect(stored()).toEqual(before);
    expect(home.output()).not.toContain(keysOf(home)[0]);
    expect(home.output()).not.toContain(sandbox.handles.tokens.owner);
  });

  it('says at once why the service cannot be reached, or that the path is wrong, and leaves nothing behind', async () => {
    const API_BASE_URL = `http://127.0.0.1:${await freePort()}`;
    await using home = await openHome({ ...settled({ API_BASE_URL }), ...noKeys }, { isNew: true });
    const hint = '→ Check API_BASE_URL and the network, or try again later.\n';
    for (const verb of [['bootstrap'], ['bootstrap', '--plan'], ['backfill']])
      expect(await home.run(verb)).toMatchObject({
        code: 1,
        err: `✗ Cannot reach ${API_BASE_URL} (connection refused).\n${hint}`,
      });
    const wrong = await home.run(['bootstrap'], { API_BASE_URL: `${sandbox.handles.base_url}/api/v2` });
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('→ Check the path of API_BASE_URL.')]);
    expect(readdirSync(home.dataDir)).toEqual([]);
  });

  it('gives the same answer on every machine about what the service does not offer, also in the dashboard', async () => {
    await using home = await openHome(settled());
    await using other = await openHome({ ...settled(), SIGNING_KEYS: home.signingKey, DATABASE_URL: home.store });
    const product = await other.open('start');
    const page = async () =>
      (await product.admin('/mirror/subscriptions?compare=true', { accept: 'text/html' })).text();
    expect(await page()).toContain('Plan: 4 to create, 1 if the service offers it, 0 to delete, 0 to keep.');
    expect(stored()).toEqual([]);
    expect((await home.run(['bootstrap', '--anyway'])).code).toBe(0);
    const elsewhere = await other.run(['bootstrap', '--plan']);
    expect([elsewhere.code, elsewhere.out]).toEqual([0, expect.stringContaining('Nothing to do: 4 subscriptions')]);
    expect(await page()).toContain('Nothing to do: 4 subscriptions');
    expect(await page()).not.toContain(home.signingKey);
    expect(readdirSync(home.dataDir).filter((name) => name.includes('refused'))).toEqual([]);
  });

  it('refuses the token of another organization, and changes nothing', async () => {
    await using home = await openHome({ ...settled(), ...noKeys });
    expect((await home.run(['bootstrap', '--anyway'])).code).toBe(0);
    const before = [stored(), keysOf(home)];
    const other = { API_TOKEN: sandbox.handles.tokens.enterprise };
    for (const args of [['--plan'], [], ['--rotate-key'], ['--prune']]) {
      const { code, err } = await home.run(['bootstrap', ...args], other);
      expect([code, err]).toEqual([
        2,
        expect.stringMatching(/The mirror belongs to .*the token to .*Nothing was compared or changed/),
      ]);
    }
    expect([stored(), keysOf(home)]).toEqual(before);
  });

  it('removes our subscriptions and no others, and shows that first', async () => {
    await using home = await openHome(settled());
    expect((await home.run(['bootstrap', '--anyway'])).code).toBe(0);
    await using neighbour = await openHome(settled({ PUBLIC_URL: 'https://127.0.0.1:7' }));
    expect((await neighbour.run(['bootstrap', '--anyway'])).code).toBe(0);
    const wrong = await home.run(['bootstrap', '--remove', '--rotate-key']);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('cannot be combined')]);
    const planned = await home.run(['bootstrap', '--remove', '--plan']);
    expect([planned.code, planned.out]).toEqual([3, expect.stringContaining('4 to delete, 0 to keep.')]);
    expect(stored()).toHaveLength(8);

    const removed = await home.run(['bootstrap', '--remove']);
    expect([removed.code, removed.out]).toEqual([0, expect.stringContaining('Done: 4 deleted')]);
    const over = 'For this organization, the service does not call https://127.0.0.1:1/webhooks any more.';
    expect([removed.out, planned.out]).toEqual([expect.stringContaining(over), expect.not.stringContaining(over)]);
    expect(stored().map(({ callback_url: url }) => new URL(url).host)).toEqual(registered.map(() => '127.0.0.1:7'));
    const again = await home.run(['bootstrap', '--remove', '--plan']);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('no subscription calls this callback')]);
    expect(JSON.parse((await home.run(['bootstrap', '--remove', '--json'])).out)).toMatchObject({
      complete: true,
      summary: { deleted: 0 },
    });
    expect(await ask(home.store, 'select uri from webhook_subscriptions')).toEqual([]);
  });

  it('reports what a missing scope excludes, registers the rest, and exits with 3', async () => {
    const scopes = ['users:read', 'organizations:read', 'webhooks:write', 'contacts:read'] as const;
    const token = sandbox.tokens.personal('poor', { user: sandbox.handles.users.owner, scopes });
    await using home = await openHome(settled({ API_TOKEN: token }));
    const { code, out } = await home.run(['bootstrap', '--anyway']);
    expect(code).toBe(3);
    expect(out).toMatch(/^ {2}! refused +routing form submissions +routing_form_submission\.created +organization$/m);
    expect(out).toContain('Not complete: 1 created, 1 not offered by the service. Not registered: ');
    expect(subscriptionsIn(sandbox)).toEqual(['organization active contact']);
  });

  it('leaves exactly the planned subscriptions when two run at once, and one key', async () => {
    await using home = await openHome({ ...settled(), ...noKeys });
    await sandbox.control('POST', '/faults', { latency_ms: 60 });
    const both = await Promise.all([home.run(['bootstrap', '--anyway']), home.run(['bootstrap', '--anyway'])]);
    expect(both.map(({ code, err }) => (code === 0 ? 0 : err))).toEqual([0, 0]);
    expect(subscriptionsIn(sandbox)).toEqual(registered);
    expect(keysOf(home)).toHaveLength(1);
  });

  it('generates no key while active subscriptions use another one', async () => {
    await using first = await openHome({ ...settled(), ...noKeys });
    expect((await first.run(['bootstrap', '--anyway'])).code).toBe(0);
    const before = stored();
    await using second = await openHome({ ...settled(), ...noKeys });
    for (const args of [['bootstrap', '--plan'], ['bootstrap']]) {
      const { code, err } = await second.run(args);
      expect([code, err]).toEqual([2, expect.stringContaining('4 active subscriptions already deliver to')]);
      expect(err).toMatch(/Copy the receivers' file signing-keys .* SIGNING_KEYS .* bootstrap --rotate-key/);
    }
    expect([stored(), existsSync(join(second.dataDir, 'signing-keys'))]).toEqual([before, false]);
    expect((await second.run(['bootstrap', '--anyway', '--rotate-key'])).code).toBe(0);
    expect(stored().map(({ signingKey }) => signingKey)).toEqual(registered.map(() => keysOf(second)[0]));
  });

  it('runs one of two concurrent rotations first, so that neither deletes the subscriptions of the other', async () => {
    await using home = await openHome({ ...settled(), ...noKeys });
    await home.run(['bootstrap', '--anyway']);
    const both = await Promise.all([
      home.run(['bootstrap', '--anyway', '--rotate-key']),
      home.run(['bootstrap', '--anyway', '--rotate-key']),
    ]);
    expect(both.map(({ code }) => code)).toContain(0);
    expect(subscriptionsIn(sandbox)).toEqual(registered);
    expect((await home.run(['bootstrap', '--plan'])).code).toBe(0);
    expect(new Set(stored().map(({ signingKey }) => signingKey))).toEqual(new Set([keysOf(home)[0]]));
  });

  it('stops on a signal while the service does not answer, and says that created subscriptions remain', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    await using home = await openHome(settled({ API_BASE_URL: `http://127.0.0.1:${port}` }), { isNew: true });
    const begun = once(silent, 'request');
    await using running = home.openVerb(['bootstrap']);
    await begun;
    expect(await running.signal('SIGINT')).toBe(1);
    expect(running.err()).toContain('Stopped. Subscriptions created so far remain');
    silent.closeAllConnections();
    silent.close();
  });
});

it('rotating the key rejects no delivery: both keys verify while old deliveries can still arrive', async () => {
  await using home = await openHome({ ...settled(), ...noKeys });
  const product = await home.open('start');
  const aim = { PUBLIC_URL: product.url };
  expect((await home.run(['bootstrap'], aim)).code).toBe(0);
  const [old = ''] = keysOf(home);
  await tellOfContact('before');

  const enough = new AbortController();
  const living = sandbox.live(5, enough.signal);
  const rotated = await home.run(['bootstrap', '--rotate-key'], aim);
  enough.abort();
  await living;
  expect(rotated.code).toBe(0);
  const removable = /The old signing key can be removed after \d{4}-\d\d-\d\dT[\d:]+Z/;
  expect(rotated.out).toMatch(removable);
  const [fresh, ...others] = keysOf(home);
  expect([fresh === old, others]).toEqual([false, [old]]);
  expect(stored().map(({ signingKey }) => signingKey)).toEqual(registered.map(() => fresh));
  await tellOfContact('after');
  await sandbox.dispatcher.settled();
  const { attempts } = sandbox.dispatcher;
  expect([...new Set(attempts.map(({ status }) => status))]).toEqual([202]);
  // The same fact goes to the old and to the new subscription, and is one entry.
  const count = "select count(*) as n from event_log where source = 'webhook'";
  const bodies = new Set(attempts.map(({ body }) => body.replace(/"created_by":"[^"]*"/, '')));
  expect(bodies.size).toBeGreaterThan(1);
  await eventually(async () => (await ask(home.store, count))[0]?.['n']).toBe(bodies.size);

  const sender = openSender({ url: product.webhook, key: old });
  await sender.send([contactDelivery({ id: 'late', version: 1 })]);
  sender.close();
  expect(sender.accepted()).toBe(1);
  // A subscription that is created later does not move the time.
  expect((await home.run(['settings', '--apply'], { ...aim, EVENTS: 'contact.created' })).code).toBe(0);
  expect((await home.run(['bootstrap'], aim)).code).toBe(0);
  expect((await home.run(['settings', '--apply'], { ...aim, EVENTS: 'all' })).code).toBe(0);
  const later = await home.run(['bootstrap'], aim);
  expect(removable.exec(later.out)?.[0]).toBe(removable.exec(rotated.out)?.[0]);
  for (const key of keysOf(home)) expect(home.output()).not.toContain(key);
});

async function tellOfContact(name: string): Promise<void> {
  const body = { name, emails: [{ email: `${name}@example.com`, is_primary: true }] };
  expect((await sandbox.call('POST', '/contacts', { body })).status).toBe(201);
}

// `slotstream bootstrap` as an operator runs it: processes, exit codes, a real receiver, against the sandbox.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { ask } from '../../../oracle/deliveries.ts';
import { until } from '../../../harness/ports.ts';
import { openHome, type Home, type Settings } from '../../../harness/product.ts';
import { startRedis } from '../../../harness/redis.ts';
import { subscriptionsIn } from '../../../harness/sandbox/bootstrapper.ts';
import { openTestSandbox, type TestSandbox } from '../../../harness/sandbox.ts';
import { openSender } from '../../../harness/mirror/sender.ts';

/** Keys then come from the file. */
const noKeys = { SIGNING_KEYS: undefined } as unknown as Settings;
const main = 'organization active contact,invitee,invitee_no_show,routing_form_submission';
const recaps = 'user active meeting_recap';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await openTestSandbox({ contacts: 1, bookings: 1, rateLimits: false });
});
afterEach(() => sandbox[Symbol.asyncDispose]());

const settled = (more: Settings = {}): Settings => ({
  API_BASE_URL: sandbox.handles.base_url,
  API_TOKEN: sandbox.handles.tokens.owner,
  PUBLIC_URL: 'https://hooks.example.com',
  ...more,
});
const keysOf = ({ dataDir }: Home): readonly string[] =>
  readFileSync(join(dataDir, 'signing-keys'), 'utf8').trim().split('\n');
const watchLease = "select value from key_values where key = 'lease watch'";
const stored = () => [...sandbox.service.state.subscriptions.values()];

describe('bootstrap, as a verb', () => {
  it('shows the plan and changes nothing, then carries it out, then has nothing to do', async () => {
    await using home = await openHome({ ...settled(), ...noKeys }, { isNew: true });
    const planned = await home.run(['bootstrap', '--plan']);
    expect(planned).toMatchObject({ code: 3, err: expect.stringMatching(/^[^\n]*made a new, empty mirror[^\n]*\n$/) });
    expect(planned.out).toContain('Plan: 3 to create, 0 to replace, 0 to delete, 0 to keep.');
    expect(planned.out).toMatch(/\+ create +organization +contact\.\*, invitee\.\*/);
    expect([stored(), existsSync(join(home.dataDir, 'signing-keys'))]).toEqual([[], false]);

    const done = await home.run(['bootstrap']);
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toContain('Done: 2 created, 0 deleted, 0 unchanged.');
    expect(done.out.match(/event_type.*/g)).toEqual([
      'event_type webhooks. Only backfill and reconcile provide changes of event types.',
    ]);
    expect(done.out).toContain('Recaps of 4 of 5 members will be missing');
    expect(subscriptionsIn(sandbox)).toEqual([main, recaps]);
    expect(statSync(join(home.dataDir, 'signing-keys')).mode & 0o777).toBe(0o600);
    expect(stored().map(({ signingKey }) => signingKey)).toEqual([keysOf(home)[0], keysOf(home)[0]]);
    const rows = await ask(home.store, 'select uri, state, events, checked_at from webhook_subscriptions');
    expect(rows.map(({ uri }) => uri).toSorted()).toEqual(
      stored()
        .map(({ uri }) => uri)
        .toSorted(),
    );
    expect(rows.every(({ checked_at: at, state }) => typeof at === 'string' && state === 'active')).toBe(true);

    const again = await home.run(['bootstrap', '--plan', '--json']);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.out)).toMatchObject({ pending: false, summary: { keep: 2, create: 0, refused: 1 } });
    const before = stored();
    expect(await home.run(['bootstrap'])).toMatchObject({ code: 0 });
    expect(stored()).toEqual(before);
    expect(home.output()).not.toContain(keysOf(home)[0]);
    expect(home.output()).not.toContain(sandbox.handles.tokens.owner);
  });

  it('refuses the token of another organization, and changes nothing', async () => {
    await using home = await openHome({ ...settled(), ...noKeys });
    expect((await home.run(['bootstrap'])).code).toBe(0);
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

  it('removes our subscriptions and no others, shows that first, and the watch does not create them again', async () => {
    await using home = await openHome({ ...settled(), WATCH_EVERY: '1s' });
    expect((await home.run(['bootstrap'])).code).toBe(0);
    const elsewhere = { PUBLIC_URL: 'https://elsewhere.example.com' };
    await using neighbour = await openHome({ ...settled(elsewhere) });
    expect((await neighbour.run(['bootstrap'])).code).toBe(0);
    expect(stored()).toHaveLength(4);

    const wrong = await home.run(['bootstrap', '--remove', '--rotate-key']);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('cannot be combined')]);
    const planned = await home.run(['bootstrap', '--remove', '--plan']);
    expect([planned.code, planned.out]).toEqual([3, expect.stringContaining('2 to delete, 0 to keep.')]);
    expect(JSON.parse((await home.run(['bootstrap', '--remove', '--plan', '--json'])).out)).toMatchObject({
      pending: true,
      summary: { delete: 2, create: 0 },
    });
    expect(stored()).toHaveLength(4);

    const removed = await home.run(['bootstrap', '--remove']);
    expect([removed.code, removed.out]).toEqual([0, expect.stringContaining('Done: 0 created, 2 deleted')]);
    expect(removed.out).toContain(
      'For this organization, the service does not call https://hooks.example.com/webhooks any more.',
    );
    expect(planned.out).not.toContain('any more');
    expect(stored().map(({ callback_url: url }) => new URL(url).host)).toEqual(
      Array.from({ length: 2 }, () => 'elsewhere.example.com'),
    );
    const again = await home.run(['bootstrap', '--remove', '--plan']);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('no subscription calls this callback')]);
    expect(JSON.parse((await home.run(['bootstrap', '--remove', '--json'])).out)).toMatchObject({
      complete: true,
      summary: { deleted: 0 },
    });
    expect(await ask(home.store, 'select uri from webhook_subscriptions')).toEqual([]);

    const product = await home.open('start');
    await until(
      async () => /ran_ms\W+[1-9]/.test(JSON.stringify(await ask(home.store, watchLease))),
      'the watch has run',
    );
    expect(stored()).toHaveLength(2);
    expect(await product.term()).toBe(0);
  });

  it('reports missing settings with exit code 2 before it calls the service', async () => {
    await using home = await openHome(settled());
    const without = (name: string): Settings => ({ [name]: undefined }) as unknown as Settings;
    const publicUrl = await home.run(['bootstrap'], without('PUBLIC_URL'));
    expect(publicUrl.code).toBe(2);
    expect(publicUrl.err).toContain('PUBLIC_URL=https://hooks.example.com');
    expect((await home.run(['bootstrap'], without('API_BASE_URL'))).code).toBe(2);
    const rotation = await home.run(['bootstrap', '--rotate-key']);
    expect(rotation.code).toBe(2);
    expect(rotation.err).toContain('SIGNING_KEYS=<new>,<old>');
    expect(stored()).toEqual([]);
  });

  it('reports what a missing scope excludes, registers the rest, and exits with 3', async () => {
    const scopes = ['webhooks:write', 'contacts:read', 'meeting_recaps:read'] as const;
    const token = sandbox.tokens.personal('poor', { user: sandbox.handles.users.owner, scopes });
    await using home = await openHome(settled({ API_TOKEN: token }));
    const { code, out } = await home.run(['bootstrap']);
    expect(code).toBe(3);
    expect(out).toContain('the token lacks the scopes scheduled_events:read, routing_forms:read');
    expect(out).toContain('Missing in the mirror: bookings, cancellations and no-shows; routing form submissions.');
    expect(subscriptionsIn(sandbox)).toEqual(['organization active contact', recaps]);
  });

  it('reports a missing role and a missing plan, and exits with 3', async () => {
    await using home = await openHome(settled());
    const member = await home.run(['bootstrap'], { API_TOKEN: sandbox.handles.tokens.member });
    expect(member.code).toBe(3);
    expect(member.out).toContain('Use the token of an owner or administrator of the organization');
    expect(subscriptionsIn(sandbox)).toEqual([recaps]);
    await using other = await openHome(settled());
    const free = await other.run(['bootstrap', '--json'], { API_TOKEN: sandbox.handles.tokens.free_plan });
    expect(free.code).toBe(3);
    expect(JSON.parse(free.out)).toMatchObject({ complete: false, missing: [{ cause: 'permission' }, {}, {}] });
  });

  it('leaves exactly the planned subscriptions when two run at once, and one key', async () => {
    await using home = await openHome({ ...settled(), ...noKeys });
    await sandbox.control('POST', '/faults', { latency_ms: 60 });
    const both = await Promise.all([home.runProcess(['bootstrap']), home.runProcess(['bootstrap'])]);
    expect(both.map(({ code, err }) => (code === 0 ? 0 : err))).toEqual([0, 0]);
    expect(subscriptionsIn(sandbox)).toEqual([main, recaps]);
    expect(keysOf(home)).toHaveLength(1);
    const third = { EVENTS: 'contact.created,invitee.created,meeting_recap.created' };
    const changed = await Promise.all([
      home.run(['bootstrap', '--prune'], third),
      home.run(['bootstrap', '--prune'], third),
    ]);
    expect(changed.map(({ code }) => code)).toEqual([0, 0]);
    expect(stored().map(({ events }) => [...events].toSorted().join())).toEqual(
      expect.arrayContaining(['contact.created,invitee.created', 'meeting_recap.created']),
    );
    expect(stored()).toHaveLength(2);
    expect((await home.run(['bootstrap', '--plan'], third)).code).toBe(0);
  });

  it('generates no key while active subscriptions use another one', async () => {
    await using first = await openHome({ ...settled(), ...noKeys });
    expect((await first.run(['bootstrap'])).code).toBe(0);
    const before = stored();
    await using second = await openHome({ ...settled(), ...noKeys });
    for (const args of [['bootstrap', '--plan'], ['bootstrap']]) {
      const { code, err } = await second.run(args);
      expect([code, err]).toEqual([2, expect.stringContaining('2 active subscriptions already deliver to')]);
      expect(err).toMatch(/Copy the receivers' file signing-keys .* SIGNING_KEYS .* bootstrap --rotate-key/);
    }
    expect([stored(), existsSync(join(second.dataDir, 'signing-keys'))]).toEqual([before, false]);
    expect((await second.run(['bootstrap', '--rotate-key'])).code).toBe(0);
    expect(stored().map(({ signingKey }) => signingKey)).toEqual([keysOf(second)[0], keysOf(second)[0]]);
  });

  it('runs one of two concurrent rotations first, so that neither deletes the subscriptions of the other', async () => {
    await using home = await openHome({ ...settled(), ...noKeys });
    await home.run(['bootstrap']);
    const both = await Promise.all([
      home.runProcess(['bootstrap', '--rotate-key']),
      home.runProcess(['bootstrap', '--rotate-key']),
    ]);
    expect(both.map(({ code }) => code)).toContain(0);
    expect(subscriptionsIn(sandbox)).toEqual([main, recaps]);
    expect((await home.run(['bootstrap', '--plan'])).code).toBe(0);
    expect(new Set(stored().map(({ signingKey }) => signingKey))).toEqual(new Set([keysOf(home)[0]]));
  });

  it('stops on a signal while the service does not answer, and says that created subscriptions remain', async () => {
    await using home = await openHome(settled(), { isNew: true });
    await sandbox.control('POST', '/faults', { latency_ms: 600_000 });
    await using running = home.spawn(['bootstrap']);
    await until(() => existsSync(join(home.dataDir, 'mirror.db')), 'it has begun');
    expect(await running.signal('SIGINT')).toBe(1);
    expect(running.err()).toContain('Stopped. Subscriptions created so far remain');
  });

  it('registers for users who logged in, with the key of the application', async () => {
    await using home = await openHome(settled({ ...noApiToken, ...application() }));
    for (const user of [sandbox.handles.users.owner, sandbox.handles.users.member]) await logIn(home, user);
    const { code, out } = await home.run(['bootstrap']);
    expect(out).toContain('Recaps of 3 of 5 members will be missing');
    expect(code).toBe(0);
    expect(subscriptionsIn(sandbox)).toEqual([main, recaps, recaps]);
    expect(new Set(stored().map(({ signingKey }) => signingKey))).toEqual(new Set([home.signingKey]));
    const keyless = await home.run(['bootstrap'], noKeys);
    expect([keyless.code, keyless.err]).toEqual([2, expect.stringContaining('the one key of the application')]);
  });
});

const noApiToken = { API_TOKEN: undefined } as unknown as Settings;
const application = (): Settings => {
  const { client_id: id, client_secret: secret } = sandbox.handles.oauth;
  return { AUTH_URL: sandbox.handles.auth_url, OAUTH_CLIENT_ID: id, OAUTH_CLIENT_SECRET: secret };
};

/** As the user would in a browser. */
async function logIn(home: Home, user: string): Promise<void> {
  await using login = home.openVerb(['login']);
  await until(() => login.err().includes('/oauth/authorize'), 'the address to open is shown');
  const url = new URL(/https?:\/\/\S+\/oauth\/authorize\S*/.exec(login.err())?.[0] ?? '');
  url.searchParams.set('prompt', 'none');
  url.searchParams.set('login_hint', user);
  await (await fetch(url)).text();
  await until(() => login.out().includes('logged in'), `${user} is logged in`);
}

describe.runIf(inject('redisUrl'))('rotating the key', () => {
  it('rejects no delivery: both keys verify while old deliveries can still arrive', async () => {
    await using redis = await startRedis();
    await using home = await openHome({ ...settled(), ...noKeys, QUEUE_URL: redis.url });
    const product = await home.open('start');
    const aim = { PUBLIC_URL: product.url };
    expect((await home.run(['bootstrap'], aim)).code).toBe(0);
    const [old = ''] = keysOf(home);
    await tellOfContact('before');

    const enough = new AbortController();
    const living = sandbox.live(50, enough.signal);
    const rotated = await home.run(['bootstrap', '--rotate-key'], aim);
    enough.abort();
    await living;
    expect(rotated.code).toBe(0);
    const removable = /The old signing key can be removed after \d{4}-\d\d-\d\dT[\d:]+Z/;
    expect(rotated.out).toMatch(removable);
    const [fresh, ...others] = keysOf(home);
    expect([fresh === old, others]).toEqual([false, [old]]);
    expect(stored().map(({ signingKey }) => signingKey)).toEqual([fresh, fresh]);
    await tellOfContact('after');
    await sandbox.dispatcher.settled();
    const { attempts } = sandbox.dispatcher;
    expect([...new Set(attempts.map(({ status }) => status))]).toEqual([202]);
    // The same fact goes to the old and to the new subscription, and is one entry.
    const count = "select count(*) as n from event_log where source = 'webhook'";
    const bodies = new Set(attempts.map(({ body }) => body.replace(/"created_by":"[^"]*"/, '')));
    expect(bodies.size).toBeGreaterThan(1);
    await expect.poll(async () => (await ask(home.store, count))[0]?.['n']).toBe(bodies.size);

    const sender = openSender({ url: product.webhook, key: old });
    await sender.send([
      JSON.stringify({
        event: 'contact.deleted',
        created_at: '2025-01-01T00:00:00Z',
        payload: { uri: 'https://x.example.com/contacts/1' },
      }),
    ]);
    sender.close();
    expect(sender.accepted()).toBe(1);
    // A subscription that is created later does not move the time.
    expect((await home.run(['bootstrap'], { ...aim, EVENTS: 'contact.created' })).code).toBe(0);
    const later = await home.run(['bootstrap'], aim);
    expect(removable.exec(later.out)?.[0]).toBe(removable.exec(rotated.out)?.[0]);
    for (const key of keysOf(home)) expect(home.output()).not.toContain(key);
  });
});

async function tellOfContact(name: string): Promise<void> {
  const body = { name, emails: [{ email: `${name}@example.com`, is_primary: true }] };
  expect((await sandbox.call('POST', '/contacts', { body })).status).toBe(201);
}

/** Every status that any attempt was answered with. */

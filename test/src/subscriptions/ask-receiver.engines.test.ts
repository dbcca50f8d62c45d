// `bootstrap` beside receivers and strangers: it registers only where our receiver answers, and says who did otherwise.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { ask } from '../../oracle/deliveries.ts';
import { freePort, openServer } from '../../harness/ports.ts';
import { openHome, type Settings } from '../../harness/product.ts';
import { startRedis } from '../../harness/redis.ts';
import { registered, subscriptionsIn } from '../../harness/sandbox/bootstrapper.ts';
import { openTestSandbox } from '../../harness/sandbox.ts';
import { openedAnew } from '../../harness/opened.ts';

const sandbox = openedAnew(() => openTestSandbox({ contacts: 1, bookings: 1, rateLimits: false }));
const keysInFile = { SIGNING_KEYS: undefined } as unknown as Settings;

const account = (more: Settings = {}): Settings => ({
  API_BASE_URL: sandbox.handles.base_url,
  API_TOKEN: sandbox.handles.tokens.owner,
  ...more,
});

async function openStranger(status: number) {
  let asked = 0;
  const server = await openServer((_, answer) => {
    asked += 1;
    answer.writeHead(status).end('<h1>Buy this domain</h1>');
  });
  return { ...server, asked: () => asked };
}

describe('bootstrap', () => {
  it('registers where our receiver answers, which stores nothing of the probe (A25)', async () => {
    await using home = await openHome(account());
    const product = await home.open('start');
    const aim = { PUBLIC_URL: product.url };
    const planned = await home.run(['bootstrap', '--plan'], aim);
    expect([planned.code, planned.out]).toEqual([
      3,
      expect.stringContaining(`Note: your receiver answers at ${product.url}/webhooks.`),
    ]);
    expect(subscriptionsIn(sandbox)).toEqual([]);
    expect((await home.run(['bootstrap'], aim)).code).toBe(0);
    expect(subscriptionsIn(sandbox)).toEqual(registered);
    expect(await ask(home.store, 'select seq from event_log')).toEqual([]);
    expect(product.output()).not.toContain('self_test');
    expect(home.output()).not.toContain(home.signingKey);
  });

  it.each([200, 404])(
    'registers nothing where a stranger answers %s, also with --anyway, and makes no key (A25)',
    async (status) => {
      await using stranger = await openStranger(status);
      await using home = await openHome({ ...account({ PUBLIC_URL: stranger.url }), ...keysInFile });
      const what = `Someone else answered at ${stranger.url}/webhooks: this is not the receiver: it answers ${status} and does not prove that it has the signing key.`;
      const refused = {
        code: 3,
        out: '',
        err: expect.stringMatching(
          /^✗ Someone else .* Nothing was registered\.\n→ Check the spelling of PUBLIC_URL\..* --anyway does not help here\.\n$/,
        ),
      };
      for (const args of [[], ['--anyway'], ['--rotate-key', '--anyway'], ['--json']]) {
        const ran = await home.run(['bootstrap', ...args]);
        expect(ran).toMatchObject(refused);
        expect(ran.err).toContain(what);
      }
      expect(stranger.asked()).toBe(4);
      expect(await home.run(['bootstrap', '--plan'])).toMatchObject({
        code: 3,
        out: expect.stringContaining(`! ${what}`),
      });
      expect([subscriptionsIn(sandbox), existsSync(join(home.dataDir, 'signing-keys'))]).toEqual([[], false]);
    },
  );

  it('says that nothing answered and how to look from outside, and registers with --anyway (A25)', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    await using home = await openHome(account({ PUBLIC_URL: url }));
    const nothing = `Nothing answered at ${url}/webhooks (connection refused).`;
    const { code, out, err } = await home.run(['bootstrap']);
    expect([code, out, err]).toEqual([
      3,
      '',
      expect.stringContaining(`✗ ${nothing} Nothing was registered.\n→ Start the receiver`),
    ]);
    expect(err).toContain(`curl -i -X POST ${url}/webhooks`);
    expect(err).toContain('./bin/slotstream bootstrap --anyway');
    const planned = await home.run(['bootstrap', '--plan', '--json']);
    expect(planned.code).toBe(3);
    const { notes } = JSON.parse(planned.out) as { notes: readonly string[] };
    expect(notes).toContainEqual(expect.stringContaining(nothing));
    expect(subscriptionsIn(sandbox)).toEqual([]);

    const done = await home.run(['bootstrap', '--anyway']);
    expect([done.code, done.out]).toEqual([
      0,
      expect.stringContaining(`! ${nothing} It was registered all the same (--anyway).`),
    ]);
    expect(subscriptionsIn(sandbox)).toEqual(registered);
    // What is registered is not asked again, and needs no option.
    const again = await home.run(['bootstrap']);
    expect([again.code, again.out]).toEqual([0, expect.not.stringContaining('Nothing answered')]);
  });

  it('tells another mirror of Slotstream, which has other keys, from ours (A25)', async () => {
    await using other = await openHome(account());
    const product = await other.open('start');
    await using home = await openHome(account({ PUBLIC_URL: product.url }));
    const { code, err } = await home.run(['bootstrap', '--anyway']);
    expect([code, err]).toEqual([
      3,
      expect.stringContaining('the receiver rejects our signing key, or its clock is wrong'),
    ]);
    expect(err).toContain('--anyway does not help here.');
    expect(subscriptionsIn(sandbox)).toEqual([]);
  });

  it('deletes subscriptions without asking who answers (A25)', async () => {
    await using stranger = await openStranger(200);
    await using home = await openHome(account({ PUBLIC_URL: stranger.url }));
    for (const args of [['--remove', '--plan'], ['--remove']])
      expect((await home.run(['bootstrap', ...args])).code).toBe(0);
    expect(stranger.asked()).toBe(0);
    expect(await home.run(['bootstrap', '--remove', '--anyway'])).toMatchObject({ code: 2 });
  });
});

describe('a rotation', () => {
  it('with --rotate-key asks with the old key, which receivers have, and makes no new one for a stranger (A25)', async () => {
    await using home = await openHome({ ...account(), ...keysInFile });
    const product = await home.open('start');
    const keys = () => readFileSync(join(home.dataDir, 'signing-keys'), 'utf8').trim().split('\n');
    expect((await home.run(['bootstrap'], { PUBLIC_URL: product.url })).code).toBe(0);
    const before = keys();
    await using stranger = await openStranger(200);
    expect((await home.run(['bootstrap', '--rotate-key'], { PUBLIC_URL: stranger.url })).code).toBe(3);
    expect([before.length, keys()]).toEqual([1, before]);
    expect((await home.run(['bootstrap', '--rotate-key'], { PUBLIC_URL: product.url })).code).toBe(0);
    expect(keys()).toEqual([expect.any(String), ...before]);
    expect(subscriptionsIn(sandbox)).toEqual(registered);
  });

  it('with two SIGNING_KEYS asks with the first, and registers nothing while the receiver has only the second (A25)', async () => {
    const [fresh, old] = ['the-new-signing-key-of-the-mirror', 'the-old-signing-key-of-the-mirror'];
    await using home = await openHome(account({ SIGNING_KEYS: old }));
    const product = await home.open('start');
    const aim = { PUBLIC_URL: product.url, SIGNING_KEYS: `${fresh},${old}` };
    const early = await home.run(['bootstrap'], aim);
    expect([early.code, early.err]).toEqual([3, expect.stringContaining('rejects our signing key')]);
    expect(subscriptionsIn(sandbox)).toEqual([]);
    await product.term();
    await home.open('start', { settings: aim });
    expect((await home.run(['bootstrap'], aim)).code).toBe(0);
    expect(subscriptionsIn(sandbox)).toEqual(registered);
  });
});

describe.runIf(Boolean(inject('redisUrl')))('a receiver with ALLOW_UNSIGNED and no key', () => {
  it('can prove nothing: bootstrap says so, and registers with --anyway only where ALLOW_UNSIGNED is set too (A25)', async () => {
    await using redis = await startRedis();
    await using home = await openHome({ ...account({ QUEUE_URL: redis.url, ALLOW_UNSIGNED: 'true' }), ...keysInFile });
    const product = await home.open('receive');
    const aim = { PUBLIC_URL: product.url };
    const unproven = `The receiver at ${product.url}/webhooks verifies nothing (ALLOW_UNSIGNED), so it cannot prove that it is yours.`;
    const { code, err } = await home.run(['bootstrap'], aim);
    expect([code, err]).toEqual([3, expect.stringContaining(`✗ ${unproven} Nothing was registered.`)]);
    expect(err).toContain('bootstrap --anyway');
    const strict = await home.run(['bootstrap', '--anyway'], { ...aim, ALLOW_UNSIGNED: 'false' });
    expect([strict.code, strict.err]).toEqual([3, expect.stringContaining('remove ALLOW_UNSIGNED')]);
    expect(subscriptionsIn(sandbox)).toEqual([]);
    expect((await home.run(['bootstrap', '--anyway'], aim)).code).toBe(0);
    expect(subscriptionsIn(sandbox)).toEqual(registered);
  });
});

// `start --tunnel` with tunnels of our own: processes that behave, and processes that do not.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLiveActivity } from '#src/sandbox/live.ts';
import { openTunnel } from '#src/cli/tunnel.ts';
import { openStore } from '#src/store/open-store.ts';
import { until } from '../../harness/ports.ts';
import { openHome } from '../../harness/product.ts';
import { openTestSandbox, type TestSandbox } from '../../harness/sandbox.ts';
import { rowsOf } from '../../harness/stores.ts';

const folder = mkdtempSync(join(tmpdir(), 'slotstream-tunnel-'));
const fake = (mode: string): string =>
  `${process.execPath} ${join(import.meta.dirname, 'fake-tunnel.mjs')} ${folder} ${mode}`;
const trusted = tls.getCACertificates('default');

beforeAll(() => {
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...names, ...files], {
    stdio: 'ignore',
  });
  tls.setDefaultCACertificates([...trusted, readFileSync(join(folder, 'cert.pem'), 'utf8')]);
});
afterAll(() => {
  tls.setDefaultCACertificates([...trusted]);
  rmSync(folder, { recursive: true, force: true });
});

interface Started {
  readonly pid: number;
  readonly env: Readonly<Record<string, string>>;
}
const started = (): Started => JSON.parse(readFileSync(join(folder, 'environment'), 'utf8')) as Started;

/** One that has ended may wait for its parent, which has ended too. */
const isRunning = (pid: number): boolean => {
  try {
    return !/^\d+ \([^)]*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};
const ended = (pid: number) => until(() => !isRunning(pid), 'the process of the tunnel has ended');

const signal = new AbortController().signal;
const open = (mode: string) => openTunnel({ command: fake(mode), env: { PORT: '1' }, signal, waitMs: 2_000 });

describe('a tunnel', () => {
  it('that prints an address twice has the first one without a path, and ends with everything it started', async () => {
    const tunnel = await open('twice');
    expect(tunnel.url).toMatch(/^https:\/\/localhost:\d+$/);
    const { pid } = started();
    expect(isRunning(pid)).toBe(true);
    await tunnel[Symbol.asyncDispose]();
    await ended(pid);
    expect(tunnel.ended.aborted).toBe(true);
  });

  it.each([
    ['silent', /printed no https:\/\/ address within 2 seconds\. Its last line: INF Thank you/],
    ['dying', /ended without an https:\/\/ address\. Its last line: ERR no such account/],
  ])('that is %s is an error with its last line, and ends', async (mode, message) => {
    await expect(open(mode)).rejects.toThrow(message);
    await ended(started().pid);
  });

  it('that is not installed is an error with another command', async () => {
    const missing = openTunnel({ command: 'no-such-tunnel --url x', env: {}, signal });
    await expect(missing).rejects.toMatchObject({ message: /no-such-tunnel.*ended/, hint: /ngrok http \$PORT/ });
  });

  it('is not waited for after a stop signal', async () => {
    const stopping = AbortSignal.timeout(300);
    const waiting = openTunnel({ command: fake('silent'), env: { PORT: '1' }, signal: stopping });
    await expect(waiting).rejects.toThrow('Stopped before the tunnel had an address.');
  });
});

const subscriptions = async (sandbox: TestSandbox): Promise<readonly { readonly callback_url: string }[]> =>
  ((await sandbox.control('GET', '/state')).body as { webhook_subscriptions: { callback_url: string }[] })
    .webhook_subscriptions;

const openAccount = () => openTestSandbox({ contacts: 5, bookings: 3, rateLimits: false, eventTypes: true });
const accountOf = ({ handles }: TestSandbox) => ({ API_BASE_URL: handles.base_url, API_TOKEN: handles.tokens.owner });

describe('start --tunnel', () => {
  it('that is stopped while it waits for its test delivery says that nothing was registered (A21)', async () => {
    await using sandbox = await openAccount();
    await using home = await openHome(accountOf(sandbox));
    await using running = home.openVerb(['start', `--tunnel=${fake('late')}`]);
    await until(() => running.err().includes('dashboard, API and metrics at'), 'it serves');
    expect(await running.signal('SIGTERM')).toBe(1);
    expect(running.err()).toContain('Stopped before anything was registered.');
    expect(running.err()).not.toContain('LOG_LEVEL=debug');
    expect(await subscriptions(sandbox)).toEqual([]);
    await ended(started().pid);
  });

  it('waits until a delivery arrives, registers, copies, receives, and leaves nothing behind', async () => {
    await using sandbox = await openAccount();
    const secondNames = { SIGNING_KEY: 'never-passed', AWS_ENDPOINT_URL: 'https://s3.example.test' };
    const ofTunnel = { NGROK_AUTHTOKEN: 'its own', https_proxy: 'http://proxy.example.test' };
    await using home = await openHome({ ...accountOf(sandbox), ...secondNames, ...ofTunnel });
    await using running = home.openVerb(['start', `--tunnel=${fake('late')}`]);
    await until(() => running.out().includes('organization_memberships  complete'), 'what exists was copied');
    const { pid, env } = started();
    expect(running.err()).toMatch(
      /The tunnel leads from https:\/\/localhost:\d+ to port \d+\. Its operator can read every delivery\./,
    );
    // (N5)
    const passed = Object.keys(env).filter((name) => name in home.settings);
    expect(passed.toSorted()).toEqual(['NGROK_AUTHTOKEN', 'PATH', 'PORT', 'https_proxy']);
    const [first] = await subscriptions(sandbox);
    expect(first?.callback_url).toMatch(/^https:\/\/localhost:\d+\/webhooks\?s=/);

    const { service, handles } = sandbox;
    const act = createLiveActivity({ service, organization: handles.organization, report: () => {} });
    for (let times = 0; times < 5; times += 1) act();
    await using store = await openStore({ report: () => {} }, home.store);
    await until(
      async () => (await rowsOf(store, 'event_log')).some(({ source }) => source === 'webhook'),
      'a delivery arrived',
    );

    expect(await running.signal('SIGINT')).toBe(0);
    expect(await subscriptions(sandbox)).toEqual([]);
    await ended(pid);
  });

  it('ends with an error when the tunnel dies, and removes its subscriptions', async () => {
    await using sandbox = await openAccount();
    await using home = await openHome(accountOf(sandbox));
    const ran = home.run(['start', `--tunnel=${fake('good')}`]);
    await until(async () => (await subscriptions(sandbox)).length > 0, 'it is registered');
    const [{ callback_url: url } = { callback_url: '' }] = await subscriptions(sandbox);
    await fetch(new URL('/die', url)).catch(() => undefined);
    const { code, err } = await ran;
    expect([code, err]).toEqual([1, expect.stringContaining('✗ The tunnel has ended')]);
    expect(await subscriptions(sandbox)).toEqual([]);
  });

  it('refuses beside subscriptions of another address, unless asked', async () => {
    await using sandbox = await openAccount();
    await using home = await openHome(accountOf(sandbox));
    const other = { PUBLIC_URL: 'https://127.0.0.1:1' };
    expect((await home.run(['bootstrap', '--anyway'], other)).code).toBe(0);
    const before = await subscriptions(sandbox);
    const { code, err } = await home.run(['start', `--tunnel=${fake('good')}`]);
    expect([code, err]).toEqual([1, expect.stringContaining('✗ The service already delivers to https://127.0.0.1:1.')]);
    expect(err).toContain('PUBLIC_URL=https://127.0.0.1:1 ./bin/slotstream bootstrap --remove');
    expect(await subscriptions(sandbox)).toEqual(before);

    await using running = home.openVerb(['start', `--tunnel=${fake('good')}`, '--beside']);
    await until(async () => (await subscriptions(sandbox)).length > before.length, 'it is registered beside them');
    await running.signal('SIGINT');
    expect(await subscriptions(sandbox)).toEqual(before);
  });
});

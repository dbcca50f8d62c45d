// Stored logins: the file, who may change it, and tokens that renew themselves once.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '#src/config/load.ts';
import { openSession } from '#src/upstream/oauth/session.ts';
import { readLogins, withLogins, type Login } from '#src/upstream/oauth/token-file.ts';
import { openUpstream, defaultNeeds, openUserUpstreams } from '#src/upstream/clients.ts';
import { openedAnew } from '../../../harness/opened.ts';
import { openClient } from '../../../harness/sandbox/oauth-client.ts';
import { openTestSandbox, type TestSandbox } from '../../../harness/sandbox.ts';
import { failureOf } from '../../../harness/sandbox/api-clients.ts';

let dataDir: string;
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), 'slotstream-logins-'))));
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const path = () => join(dataDir, 'oauth-tokens.json');
const hourMs = 3_600_000;

const login = (more: Partial<Login> = {}): Login => ({
  user: 'https://api.example.test/users/1',
  name: 'Ada',
  organization: null,
  scopes: ['contacts:read'],
  clientId: 'slotstream',
  authUrl: 'https://auth.example.test',
  loggedInAt: '2026-11-15T12:00:00.000Z',
  accessToken: 'access-1',
  refreshToken: 'refresh-1',
  expiresAtMs: Date.now() + hourMs,
  ...more,
});

const save = (one: Login) => withLogins(defaultNeeds, { dataDir }, async (_, keep) => keep(one));

describe('the file of logins', () => {
  it('is unchanged when a change fails', async () => {
    await save(login());
    const before = readFileSync(path(), 'utf8');
    await expect(withLogins(defaultNeeds, { dataDir }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(readFileSync(path(), 'utf8')).toBe(before);
    await save(login({ accessToken: 'access-2' }));
  });

  it('loses none of many concurrent changes', async () => {
    const users = Array.from({ length: 20 }, (_, n) => `https://api.example.test/users/${n}`);
    await Promise.all(users.map((user) => save(login({ user }))));
    expect(new Set(readLogins(dataDir).map(({ user }) => user))).toEqual(new Set(users));
  });

  it.each(['', '{', '{"version":2,"logins":[]}', '{"version":1,"logins":[{"accessToken":"access-secret"}]}'])(
    'that is invalid is reported without quoting it (%s)',
    async (text) => {
      writeFileSync(path(), text);
      const error = await failureOf(async () => readLogins(dataDir));
      expect(error).toMatchObject({ code: 'config', hint: expect.stringContaining('./bin/slotstream login') });
      expect(JSON.stringify(error) + String(error)).not.toContain('access-secret');
    },
  );
});

describe('a login', () => {
  /** A sandbox, a login in it, and a clock that stands beside the sandbox's. */
  async function openWorld() {
    const sandbox = await openTestSandbox({ contacts: 1, bookings: 0, rateLimits: false });
    const { client_id, client_secret } = sandbox.handles.oauth;
    const client = openClient(sandbox);
    const { back } = await client.approve({ client_id });
    const { body } = await client.exchange(back?.code, { client_id, client_secret });
    let refreshes = 0;
    const world = {
      ...defaultNeeds,
      nowMs: () => sandbox.service.clock.nowMs(),
      fetch: (async (input: URL, init?: RequestInit) => {
        if (String(input).endsWith('/oauth/token')) refreshes += 1;
        return fetch(input, init);
      }) as typeof fetch,
    };
    const application = { clientId: client_id, clientSecret: client_secret, authUrl: sandbox.handles.auth_url };
    const input = { dataDir, application, user: sandbox.handles.users.owner };
    const { access_token: accessToken, refresh_token: refreshToken } = body;
    const expiresAtMs = world.nowMs() + 2 * hourMs;
    const { authUrl } = application;
    await save(login({ user: input.user, clientId: client_id, authUrl, accessToken, refreshToken, expiresAtMs }));
    return {
      sandbox,
      world,
      input,
      body,
      refreshes: () => refreshes,
      revoke: () => client.revoke(body.refresh_token, { client_id, client_secret }),
      [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
    };
  }
  const opened = openedAnew(openWorld);
  const works = async (sandbox: TestSandbox, token: string) =>
    (await sandbox.call('GET', '/users/me', { token })).status === 200;

  it('uses its access token until shortly before its expiry', async () => {
    const { sandbox, world, input, body } = opened;
    const session = openSession(world, input);
    expect(await session.current()).toBe(body.access_token);
    await sandbox.control('POST', '/clock', { advance: '118m' });
    expect(await session.current()).toBe(body.access_token);
    await sandbox.control('POST', '/clock', { advance: '70s' });
    const next = await session.current();
    expect(next).not.toBe(body.access_token);
    expect(await works(sandbox, next)).toBe(true);
    expect(readLogins(dataDir)[0]).toMatchObject({ accessToken: next });
    expect(readLogins(dataDir)[0]?.refreshToken).not.toBe(body.refresh_token);
  });

  it('is renewed once, however many callers and processes need it at the same time', async () => {
    const { sandbox, world, input, body, refreshes } = opened;
    const child = fileURLToPath(new URL('./session-child.ts', import.meta.url));
    const children = [1, 2].map(() => fork(child, [JSON.stringify(input), String(body.access_token)]));
    const others = children.map(async (one) => ((await once(one, 'message')) as [string])[0]);
    const sessions = Array.from({ length: 5 }, () => openSession(world, input));
    const renewed = sessions.flatMap((one) => [one.renewed(body.access_token), one.renewed(body.access_token)]);
    const tokens = new Set(await Promise.all([...renewed, ...others]));
    expect(tokens.size).toBe(1);
    expect(refreshes()).toBeLessThanOrEqual(1);
    expect(await works(sandbox, [...tokens][0] ?? '')).toBe(true);
  });

  it('is not lost when the authorization server is down; when revoked, it asks to log in again, with no token in the error', async () => {
    const { world, input, body, revoke } = opened;
    const failing = (async () => new Response('', { status: 503 })) as typeof fetch;
    const down = { ...world, sleep: async () => undefined, fetch: failing };
    const unavailable = await failureOf(() => openSession(down, input).renewed(body.access_token));
    expect(unavailable).toMatchObject({ code: 'service_unavailable' });
    await revoke();
    const error = await failureOf(() => openSession(world, input).renewed(body.access_token));
    expect(error).toMatchObject({ code: 'refused', hint: 'Log in again: ./bin/slotstream login' });
    expect(String(error)).not.toContain(body.refresh_token);
  });

  it('does not keep an aborted caller waiting, neither for the lock nor for the server', async () => {
    const { world, input, body } = opened;
    const stop = new AbortController();
    const held = Promise.withResolvers<void>();
    const holding = withLogins(defaultNeeds, { dataDir }, () => held.promise);
    const locked = openSession(world, input).renewed(body.access_token, stop.signal);
    stop.abort();
    await expect(locked).rejects.toMatchObject({ name: 'AbortError' });
    held.resolve();
    await holding;

    const silent = new AbortController();
    const deaf = ((_url: URL, init?: RequestInit) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
        silent.abort();
      })) as typeof fetch;
    const session = openSession({ ...world, fetch: deaf }, input);
    await expect(session.renewed(body.access_token, silent.signal)).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('is saved when the caller that renews it is aborted after the refresh token was sent', async () => {
    const { sandbox, world, input, body } = opened;
    const stop = new AbortController();
    const stopping = ((url: URL, init?: RequestInit) => {
      if (String(url).endsWith('/oauth/token')) stop.abort();
      return world.fetch(url, init);
    }) as typeof fetch;
    const token = await openSession({ ...world, fetch: stopping }, input).renewed(body.access_token, stop.signal);
    expect(readLogins(dataDir)[0]).toMatchObject({ accessToken: token });
    expect(await works(sandbox, token ?? '')).toBe(true);
  });
});

describe('the client of the configuration', () => {
  const oauth = { clientId: 'slotstream', clientSecret: '', authUrl: 'https://auth.example.test' };
  const { api: none } = loadConfig({ API_BASE_URL: 'https://api.example.test' });
  const api = { ...none, oauth };
  const keyOf = async (config: Parameters<typeof openUpstream>[0]) => {
    let key: string | null = null;
    const look = (async (_: URL, init?: RequestInit) => {
      key = new Headers(init?.headers).get('authorization');
      return new Response(null, { status: 204 });
    }) as typeof fetch;
    await openUpstream(config, { fetch: look }).call({ method: 'DELETE', path: '/contacts/1' });
    return key;
  };

  it('uses the personal token when there is one, otherwise the first login or that of USER_URI', async () => {
    await save(login());
    await save(login({ user: 'https://api.example.test/users/2', accessToken: 'access-2' }));
    await save(login({ user: 'https://api.example.test/users/3', accessToken: 'access-3', clientId: 'another' }));
    expect(await keyOf({ dataDir, api: { ...api, token: 'pat' } })).toBe('Bearer pat');
    expect(await keyOf({ dataDir, api })).toBe('Bearer access-1');
    const userUri = 'https://api.example.test/users/2';
    expect(await keyOf({ dataDir, api: { ...api, userUri } })).toBe('Bearer access-2');
    expect(openUserUpstreams({ dataDir, api }).map(({ user }) => user.slice(-1))).toEqual(['1', '2']);
    expect(openUserUpstreams({ dataDir, api: { ...api, oauth: undefined } })).toEqual([]);
  });

  it('asks for a login when there is none', () => {
    expect(() => openUpstream({ dataDir, api })).toThrow(/logged in/);
    expect(() => openUpstream({ dataDir, api: { ...api, userUri: 'https://api.example.test/users/9' } })).toThrow(
      /users\/9/,
    );
  });
});

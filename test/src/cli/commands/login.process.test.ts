// `slotstream login` as a person types it: the browser is played by the test.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openHome, type Home, type RunningVerb } from '../../../harness/product.ts';
import { until } from '../../../harness/ports.ts';
import { openTestSandbox, type TestSandbox } from '../../../harness/sandbox.ts';

let sandbox: TestSandbox;
let home: Home;
beforeAll(async () => void (sandbox = await openTestSandbox({ contacts: 2, bookings: 0 })));
afterAll(() => sandbox[Symbol.asyncDispose]());
beforeEach(async () => {
  const { base_url, auth_url, oauth } = sandbox.handles;
  const opened = await openHome({
    API_BASE_URL: base_url,
    AUTH_URL: auth_url,
    OAUTH_CLIENT_ID: oauth.client_id,
    OAUTH_CLIENT_SECRET: oauth.client_secret,
    EVENTS: 'contact.created,meeting_recap.created',
  });
  home = opened;
  return () => opened[Symbol.asyncDispose]();
});

/** The address that a running `login` shows. */
async function addressOf(verb: RunningVerb): Promise<URL> {
  await until(() => verb.err().includes('Waiting for the browser'), 'the address is shown');
  return new URL(/http\S+\/oauth\/authorize\S+/.exec(verb.err())?.[0] ?? '');
}

/** A browser whose user says yes, and is sent back. */
async function approve(url: URL, user: string): Promise<Response> {
  const asked = new URL(url);
  asked.searchParams.set('prompt', 'none');
  asked.searchParams.set('login_hint', user);
  return fetch(asked);
}

async function logIn(user: string, verb = home.openVerb(['login'])): Promise<RunningVerb> {
  const page = await approve(await addressOf(verb), user);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('You are logged in');
  await until(() => verb.out().includes('\n'), 'it says who is logged in');
  return verb;
}

const file = () => join(home.dataDir, 'oauth-tokens.json');

describe('login', () => {
  it('stores what the user granted, readable by the owner only, and shows no token', async () => {
    const { owner } = sandbox.handles.users;
    await using verb = await logIn(owner, home.spawn(['login', '--json']));
    const scopes = ['contacts:read', 'webhooks:write', 'meeting_recaps:read'];
    expect(JSON.parse(verb.out())).toEqual({ user: owner, organization: sandbox.handles.organization, scopes });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const [stored] = JSON.parse(readFileSync(file(), 'utf8')).logins;
    expect(home.output()).not.toContain(stored.accessToken);
    expect(home.output()).not.toContain(stored.refreshToken);
    expect((await sandbox.call('GET', '/contacts', { token: stored.accessToken })).status).toBe(200);
  });

  it('uses PKCE and requests only the scopes that the chosen kinds require', async () => {
    await using verb = home.openVerb(['login']);
    const { searchParams } = await addressOf(verb);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{32}$/),
      scope: 'contacts:read webhooks:write meeting_recaps:read',
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
    });
  });

  it('stores one entry per user, also after a second login; --list shows them', async () => {
    const { owner, member } = sandbox.handles.users;
    for (const user of [owner, member, owner]) await (await logIn(user))[Symbol.asyncDispose]();
    const { code, out } = await home.run(['login', '--list', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out).map(({ user }: { user: string }) => user)).toEqual([owner, member]);
    const shown = await home.run(['login', '--list']);
    expect(shown.out).toContain(owner);
    expect(shown.out).toContain(member);
  });

  it('ignores answers that are not its own: a wrong state, another issuer, another path', async () => {
    await using verb = home.openVerb(['login']);
    const url = await addressOf(verb);
    const back = new URL(url.searchParams.get('redirect_uri') ?? '');
    const state = url.searchParams.get('state') ?? '';
    const visit = async (path: string, parameters: Record<string, string>) =>
      (await fetch(new URL(`${path}?${new URLSearchParams(parameters)}`, back))).status;
    const iss = sandbox.handles.auth_url;
    expect(await visit('/callback', { code: 'x', iss })).toBe(400);
    expect(await visit('/callback', { code: 'x', iss, state: `${state}x` })).toBe(400);
    expect(await visit('/callback', { code: 'x', iss: 'https://evil.test', state })).toBe(400);
    expect(await visit('/callback', { code: 'x', state })).toBe(400);
    expect(await visit('/favicon.ico', { code: 'x', iss, state })).toBe(404);
    expect((await approve(url, sandbox.handles.users.owner)).status).toBe(200);
    await until(() => verb.out().includes('is logged in'), 'the right one is taken');
  });

  it('reports that the user denied access', async () => {
    await using verb = home.openVerb(['login']);
    const url = await addressOf(verb);
    const back = new URL(url.searchParams.get('redirect_uri') ?? '');
    const parameters = {
      error: 'access_denied',
      iss: sandbox.handles.auth_url,
      state: url.searchParams.get('state') ?? '',
    };
    expect((await fetch(`${back}?${new URLSearchParams(parameters)}`)).status).toBe(200);
    await until(() => verb.err().includes('access_denied'), 'it says so');
    expect((await home.run(['login', '--list'])).out).toContain('No user is logged in');
  });

  it('stops on a signal, and says so', async () => {
    await using verb = home.spawn(['login']);
    await addressOf(verb);
    expect(await verb.signal('SIGINT')).toBe(1);
    expect(verb.err()).toContain('→');
  });

  it('says which settings are missing, or wrong', async () => {
    const blank = { OAUTH_CLIENT_ID: '', OAUTH_CLIENT_SECRET: '', AUTH_URL: '' };
    const missing = await home.run(['login'], blank);
    expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('OAUTH_CLIENT_ID') });
    const wrong = await home.run(['login'], { AUTH_URL: `${sandbox.handles.base_url}/users` });
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('AUTH_URL') });
  });

  it('says that the secret of the application is wrong, without showing it', async () => {
    const other = await openHome({ ...home.settings, OAUTH_CLIENT_SECRET: 'a-wrong-secret', DATA_DIR: home.dataDir });
    await using verb = other.openVerb(['login']);
    await approve(await addressOf(verb), sandbox.handles.users.owner);
    await until(() => verb.err().includes('invalid_client'), 'it says so');
    expect(verb.err()).toContain('OAUTH_CLIENT_SECRET');
    expect(verb.err()).not.toContain('a-wrong-secret');
    await other[Symbol.asyncDispose]();
  });
});

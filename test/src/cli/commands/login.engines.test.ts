// `slotstream login` as a person types it: the test is the browser.
import { readFileSync, statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openHome, type Home, type RunningVerb } from '../../../harness/product.ts';
import { freePort, until } from '../../../harness/ports.ts';
import { openTestSandbox } from '../../../harness/sandbox.ts';
import { openSplitService, type SplitAnswers } from '../../../harness/sandbox/split-service.ts';
import { openedOnce } from '../../../harness/opened.ts';

const events = { EVENTS: 'contact.created,meeting_recap.created' };
const sandbox = openedOnce(() => openTestSandbox({ contacts: 2, bookings: 0 }));
let home: Home;
beforeEach(async () => {
  const { base_url, auth_url, oauth } = sandbox.handles;
  const opened = await openHome({
    API_BASE_URL: base_url,
    AUTH_URL: auth_url,
    OAUTH_CLIENT_ID: oauth.client_id,
    OAUTH_CLIENT_SECRET: oauth.client_secret,
    ...events,
  });
  home = opened;
  return () => opened[Symbol.asyncDispose]();
});

/** The address that a running `login` shows. */
async function addressOf(verb: RunningVerb): Promise<URL> {
  await until(() => /Waiting for the browser|Paste/.test(verb.err()), 'the address is shown');
  return new URL(/http\S+\/authorize\S+/.exec(verb.err())?.[0] ?? '');
}

/** A browser whose user says yes, and is sent back; `manual` stops it on its way. */
async function approve(url: URL, user: string, redirect: 'follow' | 'manual' = 'follow'): Promise<Response> {
  const asked = new URL(url);
  asked.searchParams.set('prompt', 'none');
  asked.searchParams.set('login_hint', user);
  return fetch(asked, { redirect });
}

async function logIn(user: string, verb = home.openVerb(['login'])): Promise<RunningVerb> {
  const page = await approve(await addressOf(verb), user);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('You are logged in');
  await until(() => verb.out().includes('\n'), 'it says who is logged in');
  return verb;
}

/** A redirect with these parameters, and the state of the request. */
function redirectOf({ searchParams }: URL, parameters: Record<string, string>): URL {
  const back = new URL(searchParams.get('redirect_uri') ?? '');
  const all = { state: searchParams.get('state') ?? '', iss: sandbox.handles.auth_url, ...parameters };
  back.search = String(new URLSearchParams(all));
  return back;
}

const storedIn = ({ dataDir }: Home) => JSON.parse(readFileSync(join(dataDir, 'oauth-tokens.json'), 'utf8')).logins;

describe('login', () => {
  it('stores what the user granted, readable by the owner only, and shows no token', async () => {
    const { owner } = sandbox.handles.users;
    await using verb = await logIn(owner, home.openVerb(['login', '--json']));
    const scopes = ['contacts:read', 'webhooks:write', 'meeting_recaps:read', 'users:read', 'organizations:read'];
    expect(JSON.parse(verb.out())).toEqual({
      user: owner,
      organization: sandbox.handles.organization,
      scopes: expect.toSatisfy((granted: string[]) => granted.toSorted().join() === scopes.toSorted().join()),
      refused_scopes: [],
    });
    expect(statSync(join(home.dataDir, 'oauth-tokens.json')).mode & 0o777).toBe(0o600);
    const [stored] = storedIn(home);
    expect(home.output()).not.toContain(stored.accessToken);
    expect(home.output()).not.toContain(stored.refreshToken);
    expect((await sandbox.call('GET', '/contacts', { token: stored.accessToken })).status).toBe(200);
  });

  it('stores one entry per user, also after a second login; --list shows them', async () => {
    const { owner, member } = sandbox.handles.users;
    for (const user of [owner, member, owner]) await (await logIn(user))[Symbol.asyncDispose]();
    const { code, out } = await home.run(['login', '--list', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out).map(({ user }: { user: string }) => user)).toEqual([owner, member]);
    expect((await home.run(['login', '--list'])).out).toContain(member);
  });

  it('ignores answers that are not its own: a wrong state, another issuer, another path; in IPv4 and IPv6', async () => {
    await using verb = home.openVerb(['login']);
    const url = await addressOf(verb);
    const state = url.searchParams.get('state') ?? '';
    const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
    for (const host of ['127.0.0.1', ...(hasIpv6 ? ['[::1]'] : [])]) {
      const visit = async (parameters: Record<string, string>, path = '/callback') => {
        const back = redirectOf(url, { code: 'x', ...parameters });
        back.host = `${host}:${back.port}`;
        back.pathname = path;
        return (await fetch(back)).status;
      };
      expect(await visit({ state: '' })).toBe(400);
      expect(await visit({ state: `${state}x` })).toBe(400);
      expect(await visit({ iss: 'https://evil.test' })).toBe(400);
      expect(await visit({ iss: '' })).toBe(400);
      expect(await visit({}, '/favicon.ico')).toBe(404);
    }
    expect((await approve(url, sandbox.handles.users.owner)).status).toBe(200);
    await until(() => verb.out().includes('is logged in'), 'the right one is taken');
  });

  it('uses PKCE, and reports that the user denied access, or that the application lacks a scope', async () => {
    for (const [error, hint] of [
      ['access_denied', 'allow it'],
      ['invalid_scope', 'users:read'],
    ] as const) {
      await using verb = home.openVerb(['login']);
      const url = await addressOf(verb);
      expect(Object.fromEntries(url.searchParams)).toMatchObject({
        response_type: 'code',
        code_challenge_method: 'S256',
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        state: expect.stringMatching(/^[\w-]{43}$/),
      });
      expect((await fetch(redirectOf(url, { error }))).status).toBe(200);
      await until(() => verb.err().includes(`(${error})`), 'it says so');
      expect(verb.err().split('→')[1]).toContain(hint);
    }
    expect((await home.run(['login', '--list'])).out).toContain('No user is logged in');
  });
});

describe('login --redirect-uri', () => {
  /** Registered for the application of the sandbox. */
  const redirectUri = 'https://app.example.test/oauth/callback';
  const pasting = ['login', '--redirect-uri', redirectUri];
  const locationFor = async (url: URL) =>
    (await approve(url, sandbox.handles.users.owner, 'manual')).headers.get('location') ?? '';

  it('takes the pasted address from standard input, explains a wrong one, and shows no secret', async () => {
    await using verb = home.openVerb(pasting);
    const url = await addressOf(verb);
    expect(url.searchParams.get('redirect_uri')).toBe(redirectUri);
    const location = await locationFor(url);
    const code = new URL(location).searchParams.get('code') ?? '';
    const wrong = [
      ['', 'state'],
      [code, 'redirect URI'],
      [location.replace('app.example.test', 'evil.test'), 'redirect URI'],
      [location.replace('/oauth/', '/other/'), 'redirect URI'],
      [location.replace(/^https/, 'http'), 'redirect URI'],
      [location.replace(/&state=[^&]+/, ''), 'state'],
      [location.replace('state=', 'state=x'), 'state'],
      [location.replace(/iss=.*/, 'iss=https%3A%2F%2Fevil.test'), 'issuer'],
      [`${location}&state=again`, 'state'],
    ] as const;
    for (const [index, [text, reason]] of wrong.entries()) {
      verb.input.write(`${text}\n`);
      await until(() => verb.err().split('✗').length === index + 2, 'it is explained');
      expect(verb.err().split('✗').at(-1)).toContain(reason);
    }
    verb.input.write(`  ${location}  \n`);
    await until(() => verb.out().includes('is logged in'), 'the right one is taken');
    const [{ accessToken, refreshToken }] = storedIn(home);
    for (const secret of [code, accessToken, refreshToken, sandbox.handles.oauth.client_secret])
      expect(home.output()).not.toContain(secret);
  });

  it('reports a pasted refusal, the end of the input, and a signal', async () => {
    const outcomes = [
      [
        (verb: RunningVerb, url: URL) => verb.input.write(`${redirectOf(url, { error: 'access_denied' })}\n`),
        'access_denied',
      ],
      [(verb: RunningVerb) => verb.input.end('not an address'), 'The input ended'],
      [(verb: RunningVerb) => verb.signal('SIGTERM'), 'stopped'],
    ] as const;
    for (const [act, reason] of outcomes) {
      await using verb = home.openVerb(pasting);
      const url = await addressOf(verb);
      void act(verb, url);
      await until(() => verb.err().includes(reason), 'it says so');
    }
    expect((await home.run(['login', '--list'])).out).toContain('No user is logged in');
  });

  it('listens there when it is an http address of this machine, with any path or none', async () => {
    for (const path of ['/other/path', '']) {
      const uri = `http://localhost:${await freePort()}${path}`;
      await using verb = home.openVerb(['login', '--redirect-uri', uri]);
      expect((await addressOf(verb)).searchParams.get('redirect_uri')).toBe(uri);
      await logIn(sandbox.handles.users.owner, verb);
    }
  });

  it.each([
    [['http://app.example.test/callback'], 'https address'],
    [['https://me:secret@app.example.test/callback'], 'https address'],
    [['callback'], 'https address'],
    [[redirectUri, '--port', '8123'], '--port and --redirect-uri'],
  ])('refuses %s', async (given, reason) => {
    const { code, err } = await home.run(['login', '--redirect-uri', ...given]);
    expect([code, err]).toEqual([2, expect.stringContaining(reason)]);
  });
});

describe('at a service whose endpoints are at another origin than its metadata, login', () => {
  async function logInAt(answers: SplitAnswers) {
    await using service = await openSplitService(answers);
    await using there = await openHome({ ...service.settings, ...events });
    await using verb = there.openVerb(['login']);
    const url = await addressOf(verb);
    const back = redirectOf(url, { code: 'a-code', iss: service.settings.AUTH_URL });
    await fetch(back);
    await until(() => `${verb.out()}${verb.err()}`.includes('→') || verb.out() !== '', 'it has ended');
    expect(there.output()).not.toMatch(/oat_split|ort_split|split-secret|a-code/);
    return { url, out: verb.out(), err: verb.err() };
  }

  it('succeeds, and requests every scope, also where the metadata names the scopes of another interface', async () => {
    const all = await logInAt({ metadata: { scopes_supported: ['mcp:scheduling:read'] } });
    expect(all.url.searchParams.get('scope')).toBe(
      'users:read organizations:read contacts:read webhooks:write meeting_recaps:read',
    );
    expect(all.out).toContain('Ada is logged in');
    expect(all.err).not.toContain('not granted');
    // Scopes that are not those of the service are not judged.
    expect((await logInAt({ scope: 'default' })).err).not.toContain('not granted');
  });

  it('says which scopes were not granted, and what that costs', async () => {
    const { out, err } = await logInAt({ scope: 'contacts:read users:read' });
    expect(out).toContain('Ada is logged in (contacts:read, users:read).');
    expect(err).toContain('! webhooks:write was not granted. It is needed for: registering for webhooks');
    expect(err).toContain('! meeting_recaps:read was not granted. It is needed for: meeting recaps and who spoke.');
    expect(err).toContain('! organizations:read was not granted. It is needed for: users and their roles');
    expect(err).not.toContain('! contacts:read');
    expect(err).toContain('settings of the OAuth application');
  });
});

it('login at a server without PKCE is refused', async () => {
  await using service = await openSplitService({ metadata: { code_challenge_methods_supported: ['plain'] } });
  expect(await home.run(['login'], service.settings)).toMatchObject({
    code: 1,
    err: expect.stringContaining('PKCE'),
  });
});

// The authorization server as a client meets it: what is refused, where the refusal goes, and what becomes of its tokens. What it grants
// is in test/conformance/authentication.test.ts.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { introspectionAnswer } from '#schemas/oauth.ts';
import { callback, challengeOf, openClient } from '../../../harness/sandbox/oauth-client.ts';
import { openForSuite, type Answer } from '../../../harness/sandbox.ts';

let client: ReturnType<typeof openClient>;
const sandbox = openForSuite({ rateLimits: false, contacts: 1, bookings: 1 }, async (opened) => {
  client = openClient(opened);
});

const refused = (error: string, status = 400) => ({ status, body: { error, error_description: expect.any(String) } });
const basic = (text: string) => ({ headers: { authorization: `Basic ${Buffer.from(text).toString('base64')}` } });
const statuses = async (...answers: readonly Promise<Answer>[]): Promise<readonly number[]> =>
  (await Promise.all(answers)).map(({ status }) => status).toSorted();

describe('the authorization endpoint', () => {
  it.each([
    ['no client', { client_id: undefined }],
    ['an unknown client', { client_id: 'unknown' }],
    ['a name of Object.prototype', { client_id: '__proto__' }],
    ['no address', { redirect_uri: undefined }],
    ['what is no address', { redirect_uri: 'callback' }],
    ['a strange host', { redirect_uri: 'https://evil.example.test/callback' }],
    ['a host that begins like this machine', { redirect_uri: 'http://127.0.0.1.evil.example.test/' }],
    ['a user name that looks like this machine', { redirect_uri: 'http://127.0.0.1:80@evil.example.test/' }],
    ['credentials in the address', { redirect_uri: 'http://me:secret@127.0.0.1/' }],
    ['a fragment', { redirect_uri: `${callback}#here` }],
    ['a backslash', { redirect_uri: 'http://127.0.0.1\\@evil.example.test/' }],
    ['a line break', { redirect_uri: 'http://127.0.0.1/\r\nX-Header: 1' }],
    ['a script', { redirect_uri: 'javascript:alert(1)//127.0.0.1' }],
    ["another client's address", { redirect_uri: 'https://app.example.test/oauth/callback' }],
    ['a value without end', { state: 'x'.repeat(5000) }],
  ])('shows a page, and sends nothing on, for %s', async (_, bent) => {
    for (const send of [client.approve, client.choose]) {
      const turn = await send({ user: sandbox.handles.users.owner, ...bent });
      expect(turn).toMatchObject({ status: 400, back: undefined });
      expect(turn.headers.get('content-type')).toContain('text/html');
    }
  });

  it.each([
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_request', { response_type: undefined }],
    ['invalid_request', { code_challenge: 'short' }],
    ['invalid_scope', { scope: 'contacts:read everything' }],
    ['invalid_scope', { scope: 'constructor' }],
    ['login_required', { login_hint: undefined }],
    ['login_required', { login_hint: 'unknown@example.test' }],
  ])('sends %s back to the client, with its state, for %j', async (error, bent) => {
    const { status, back } = await client.approve(bent);
    const iss = sandbox.handles.auth_url;
    expect([status, back]).toEqual([302, { error, error_description: expect.any(String), state: 'as sent', iss }]);
  });

  it('knows a user by address, in any letter case, and by URI', async () => {
    const { email, uri } = (await sandbox.call('GET', sandbox.handles.users.member)).body.resource;
    for (const login_hint of [email.toUpperCase(), uri])
      expect((await client.signIn({ login_hint })).body.owner).toBe(uri);
  });
});

describe('the consent page', () => {
  it('shows every user as a button, with role and plan, the hinted one first, and runs and loads nothing', async () => {
    const { member, owner } = sandbox.handles.users;
    const { status, headers, text } = await client.ask({ login_hint: member });
    expect(status).toBe(200);
    for (const { uri, name, email } of sandbox.service.state.users.values())
      for (const words of [`<button name="user" value="${uri}">`, name, email]) expect(text).toContain(words);
    for (const words of ['owner', 'Northwind · teams plan', 'on trial']) expect(text).toContain(words);
    expect(text.indexOf(`value="${member}"`)).toBeLessThan(text.indexOf(`value="${owner}"`));
    expect(text).not.toMatch(/<script|<img|<link|\son\w+=/i);
    const style = /<style>([^]*)<\/style>/.exec(text)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self' http://127.0.0.1:8123; frame-ancestors 'none'; base-uri 'none'`,
    );
    expect([headers.get('cache-control'), headers.get('x-frame-options')]).toEqual(['no-store', 'DENY']);
  });

  it('writes what it was sent as text, never as markup', async () => {
    const { text } = await client.ask({ state: '"><script>alert(1)</script>', login_hint: "<b>'&" });
    expect(text).not.toMatch(/<script|<b>/);
    expect(text).toContain('&lt;script&gt;');
  });

  it('informs the client when the user refuses, or is unknown', async () => {
    expect((await client.choose({ deny: 'yes' })).back).toMatchObject({ error: 'access_denied', state: 'as sent' });
    for (const user of ['unknown', undefined])
      expect((await client.choose({ user })).back).toMatchObject({ error: 'invalid_request' });
  });
});

describe('the token endpoint', () => {
  it('refuses a code from elsewhere, for elsewhere, or without its proof, as RFC 6749 words it', async () => {
    for (const [bent, error] of [
      [{ code: 'forged' }, 'invalid_grant'],
      [{ redirect_uri: undefined }, 'invalid_request'],
      [{ code_verifier: undefined }, 'invalid_request'],
      [{ code: undefined }, 'invalid_request'],
      [{ grant_type: undefined }, 'invalid_request'],
      [{ grant_type: 'password' }, 'unsupported_grant_type'],
      [{ client_id: undefined }, 'invalid_request'],
    ] as const) {
      const { back } = await client.approve();
      const answer = await client.exchange(back?.code, bent);
      expect({ bent, ...answer }).toMatchObject({ bent, ...refused(error) });
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
    // It hashes right, but has a forbidden form.
    const { back } = await client.approve({ code_challenge: challengeOf('short') });
    expect(await client.exchange(back?.code, { code_verifier: 'short' })).toMatchObject(refused('invalid_grant'));
  });

  it('knows the client with a secret by Basic', async () => {
    const { client_id, client_secret } = sandbox.handles.oauth;
    const { back } = await client.approve({ client_id });
    const header = basic(`${client_id}:${client_secret}`);
    const { body } = await client.exchange(back?.code, { client_id: undefined }, header);
    expect(await client.works(body.access_token)).toBe(true);
  });

  it('refuses an unknown client, a wrong secret, and a secret left out, with 401', async () => {
    const { client_id, client_secret } = sandbox.handles.oauth;
    const nameless = { client_id: undefined };
    for (const answer of [
      await client.exchange('any', { client_id: 'unknown' }),
      await client.exchange('any', { client_id }),
      await client.exchange('any', { client_id, client_secret: 'wrong' }),
      await client.exchange('any', { client_id: 'slotstream', client_secret }),
      await client.exchange('any', nameless, basic(`${client_id}:wrong`)),
      await client.exchange('any', nameless, basic('no colon')),
      await client.exchange('any', nameless, { headers: { authorization: 'Bearer x' } }),
      await client.revoke('any', { client_id, client_secret: 'wrong' }),
    ]) {
      expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
      expect(answer.headers.get('www-authenticate')).toContain('Basic');
    }
    const twice = await client.exchange('any', { client_id, client_secret }, basic(`${client_id}:${client_secret}`));
    expect(twice).toMatchObject(refused('invalid_request'));
  });

  it('gives one pair for one code, and for one refresh token, when two ask at once', async () => {
    const code = (await client.approve()).back?.code;
    expect(await statuses(client.exchange(code), client.exchange(code))).toEqual([200, 400]);
    const { refresh_token } = (await client.signIn()).body;
    expect(await statuses(client.refresh(refresh_token), client.refresh(refresh_token))).toEqual([200, 400]);
  });

  it('does not let another client, or a wrong verifier, spend a code, nor another client revoke what it gave', async () => {
    const { back } = await client.approve();
    const other = sandbox.handles.oauth;
    for (const bent of [other, { code_verifier: 'x'.repeat(43) }])
      expect(await client.exchange(back?.code, bent)).toMatchObject(refused('invalid_grant'));
    const { body } = await client.exchange(back?.code);
    await client.exchange(back?.code, other);
    expect(await client.works(body.access_token)).toBe(true);
  });
});

describe('a refresh token', () => {
  it('narrows scopes for one access token, and never widens them', async () => {
    const { body } = await client.signIn({ scope: 'contacts:write groups' });
    const narrow = await client.refresh(body.refresh_token, { scope: 'contacts:read' });
    expect(narrow.body.scope).toBe('contacts:read');
    const wider = await client.refresh(narrow.body.refresh_token, { scope: 'webhooks:write' });
    expect(wider).toMatchObject(refused('invalid_scope'));
    expect((await client.refresh(narrow.body.refresh_token)).body.scope).toBe('contacts:write groups');
  });

  it('ends after a year without use, and a code after a minute', async () => {
    const { back } = await client.approve();
    const { body } = await client.signIn();
    sandbox.service.clock.advance(60_000);
    expect(await client.exchange(back?.code)).toMatchObject(refused('invalid_grant'));
    sandbox.service.clock.advance(365 * 24 * 3_600_000);
    expect(await client.refresh(body.refresh_token)).toMatchObject(refused('invalid_grant'));
  });
});

it('the introspection of a token tells its client whether it is active, for whom and until when', async () => {
  const { users, organization, oauth, tokens } = sandbox.handles;
  const scope = 'contacts:read groups';
  const { body } = await client.signIn({ login_hint: users.admin, scope });
  const known = {
    active: true,
    scope,
    client_id: 'slotstream',
    token_type: 'Bearer',
    owner: users.admin,
    organization,
  };
  const now = Math.floor(sandbox.service.clock.nowMs() / 1000);
  for (const [token, seconds] of [
    [body.access_token, 7200],
    [body.refresh_token, 365 * 86_400],
  ]) {
    const answer = await client.introspect(token);
    expect(introspectionAnswer.parse(answer.body)).toEqual({
      ...known,
      exp: expect.any(Number),
      iat: expect.any(Number),
    });
    expect(answer.body.exp - answer.body.iat).toBe(seconds);
    expect(Math.abs(answer.body.iat - now)).toBeLessThan(60);
  }
  const inactive = { status: 200, body: { active: false } };
  for (const token of ['nothing', tokens.owner]) expect(await client.introspect(token)).toMatchObject(inactive);
  expect(await client.introspect(body.access_token, oauth)).toMatchObject(inactive);
  // Asking about a used refresh token does not end what followed it.
  const next = await client.refresh(body.refresh_token);
  expect(await client.introspect(body.refresh_token)).toMatchObject(inactive);
  expect(await client.introspect(next.body.refresh_token)).toMatchObject({ body: { active: true } });
  sandbox.service.clock.advance(7_200_000);
  expect(await client.introspect(next.body.access_token)).toMatchObject(inactive);
  expect(await client.introspect(undefined)).toMatchObject({ status: 400 });
});

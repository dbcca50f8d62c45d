// The authorization server as a client meets it: what is refused, where the refusal goes, and what stops working afterwards.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { tokenAnswer } from '#schemas/oauth.ts';
import { callback, challengeOf, openClient, verifier } from '../../../harness/sandbox/oauth-client.ts';
import { openForSuite } from '../../../harness/sandbox/suite.ts';

let client: ReturnType<typeof openClient>;
const sandbox = openForSuite({ rateLimits: false }, async (opened) => {
  client = openClient(opened);
});

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

  it('shows a page when a parameter is given twice', async () => {
    const url = `${sandbox.handles.base_url}/oauth/authorize?client_id=slotstream&client_id=slotstream`;
    expect((await fetch(url)).status).toBe(400);
  });

  it.each([
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_request', { response_type: undefined }],
    ['invalid_request', { code_challenge: undefined }],
    ['invalid_request', { code_challenge_method: undefined }],
    ['invalid_request', { code_challenge_method: 'plain', code_challenge: verifier }],
    ['invalid_request', { code_challenge: 'short' }],
    ['invalid_scope', { scope: 'contacts:read everything' }],
    ['invalid_scope', { scope: 'constructor' }],
    ['login_required', { login_hint: undefined }],
    ['login_required', { login_hint: 'unknown@example.test' }],
  ])('sends %s back to the client, with its state, for %j', async (error, bent) => {
    const { status, back } = await client.approve(bent);
    expect(status).toBe(302);
    expect(back).toEqual({
      error,
      error_description: expect.any(String),
      state: 'as sent',
      iss: sandbox.handles.auth_url,
    });
  });

  it('leaves state out when none was sent, and keeps the query of the address', async () => {
    const { back } = await client.approve({ state: undefined, redirect_uri: `${callback}?tab=1` });
    expect(back).toEqual({ tab: '1', code: expect.any(String), iss: sandbox.handles.auth_url });
  });

  it.each(['http://127.0.0.1:1/', 'http://localhost:65535/a/b', 'http://[::1]:9000/cb', 'http://127.0.0.1/'])(
    'takes any port of this machine: %s',
    async (redirect_uri) => {
      const { back } = await client.approve({ redirect_uri });
      expect(await client.exchange(back?.code, { redirect_uri })).toMatchObject({ status: 200 });
    },
  );

  it('takes a registered address of the client it is registered for', async () => {
    const redirect_uri = 'https://app.example.test/oauth/callback';
    const { client_id } = sandbox.handles.oauth;
    expect((await client.approve({ client_id, redirect_uri })).back).toHaveProperty('code');
    expect(await client.approve({ client_id, redirect_uri: `${redirect_uri}/` })).toMatchObject({ status: 400 });
  });

  it('knows a user by address, in any letter case, and by URI', async () => {
    const { body } = await sandbox.call('GET', sandbox.handles.users.member);
    for (const login_hint of [body.resource.email.toUpperCase(), body.resource.uri])
      expect((await client.signIn({ login_hint })).body.owner).toBe(body.resource.uri);
  });
});

describe('the consent page', () => {
  it('shows every user as a button, with role and plan, and runs and loads nothing', async () => {
    const { status, headers, text } = await client.ask();
    expect(status).toBe(200);
    for (const { uri, name, email } of sandbox.service.state.users.values()) {
      expect(text).toContain(`<button name="user" value="${uri}">`);
      expect(text).toContain(name);
      expect(text).toContain(email);
    }
    for (const words of ['owner', 'admin', 'Northwind · teams plan', 'Free Harbor · free plan', 'on trial'])
      expect(text).toContain(words);
    expect(text).not.toMatch(/<script|<img|<link|\son\w+=/i);
    const style = /<style>([^]*)<\/style>/.exec(text)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self' http://127.0.0.1:8123; frame-ancestors 'none'; base-uri 'none'`,
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-frame-options')).toBe('DENY');
  });

  it('writes what it was sent as text, never as markup', async () => {
    const { text } = await client.ask({ state: '"><script>alert(1)</script>', login_hint: "<b>'&" });
    expect(text).not.toContain('<script');
    expect(text).not.toContain('<b>');
    expect(text).toContain('&lt;script&gt;');
  });

  it('informs the client when the user refuses, or is unknown', async () => {
    expect((await client.choose({ deny: 'yes' })).back).toMatchObject({ error: 'access_denied', state: 'as sent' });
    expect((await client.choose({ user: 'unknown' })).back).toMatchObject({ error: 'invalid_request' });
    expect((await client.choose()).back).toMatchObject({ error: 'invalid_request' });
  });

  it('puts the hinted user first', async () => {
    const { users } = sandbox.handles;
    const { text } = await client.ask({ login_hint: users.member });
    expect(text.indexOf(`value="${users.member}">`, text.indexOf('</details>'))).toBeLessThan(
      text.indexOf(`<button name="user" value="${users.owner}"`),
    );
    expect(text.split(`<button name="user" value="${users.member}"`)).toHaveLength(2);
  });
});

describe('the token endpoint', () => {
  it('refuses a code from elsewhere, for elsewhere, or without its proof, as RFC 6749 words it', async () => {
    const { client_id, client_secret } = sandbox.handles.oauth;
    for (const [bent, error] of [
      [{ code: 'forged' }, 'invalid_grant'],
      [{ redirect_uri: 'http://127.0.0.1:8123/other' }, 'invalid_grant'],
      [{ redirect_uri: undefined }, 'invalid_request'],
      [{ code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
      [{ code_verifier: 'short' }, 'invalid_grant'],
      [{ code_verifier: undefined }, 'invalid_request'],
      [{ client_id, client_secret }, 'invalid_grant'],
      [{ code: undefined }, 'invalid_request'],
      [{ grant_type: undefined }, 'invalid_request'],
      [{ grant_type: 'password' }, 'unsupported_grant_type'],
      [{ client_id: undefined }, 'invalid_request'],
    ] as const) {
      const { back } = await client.approve();
      const answer = await client.exchange(back?.code, bent);
      expect({ bent, ...answer }).toMatchObject({
        bent,
        status: 400,
        body: { error, error_description: expect.any(String) },
      });
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  });

  it('refuses a verifier that hashes right but has a forbidden form', async () => {
    const short = 'short';
    const { back } = await client.approve({ code_challenge: challengeOf(short) });
    expect(await client.exchange(back?.code, { code_verifier: short })).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });

  it('refuses an unknown client, a wrong secret, and a secret left out, with 401', async () => {
    const { client_id, client_secret } = sandbox.handles.oauth;
    const basic = (text: string) => ({ headers: { authorization: `Basic ${Buffer.from(text).toString('base64')}` } });
    const answers = [
      await client.exchange('any', { client_id: 'unknown' }),
      await client.exchange('any', { client_id }),
      await client.exchange('any', { client_id, client_secret: 'wrong' }),
      await client.exchange('any', { client_id: 'slotstream', client_secret }),
      await client.exchange('any', { client_id: undefined }, basic(`${client_id}:wrong`)),
      await client.exchange('any', { client_id: undefined }, basic('no colon')),
      await client.exchange('any', { client_id: undefined }, { headers: { authorization: 'Bearer x' } }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
      expect(answer.headers.get('www-authenticate')).toContain('Basic');
    }
    expect(
      await client.exchange('any', { client_id, client_secret }, basic(`${client_id}:${client_secret}`)),
    ).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it('knows the client with a secret by Basic and by the body', async () => {
    const { client_id, client_secret } = sandbox.handles.oauth;
    const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
    const one = await client.approve({ client_id });
    const byBasic = await client.exchange(one.back?.code, { client_id: undefined }, { headers: { authorization } });
    const two = await client.approve({ client_id });
    const byBody = await client.exchange(two.back?.code, { client_id, client_secret });
    for (const { status, body } of [byBasic, byBody]) {
      expect(status).toBe(200);
      expect(await client.works(body.access_token)).toBe(true);
    }
  });

  it('takes JSON too, and no other kind of body', async () => {
    const { back } = await client.approve();
    const request = {
      grant_type: 'authorization_code',
      client_id: 'slotstream',
      redirect_uri: callback,
      code_verifier: verifier,
      code: back?.code,
    };
    const json = { 'content-type': 'application/json' };
    const send = (body: string, headers: Record<string, string>) => client.post('/oauth/token', {}, { body, headers });
    const badly = { status: 400, body: { error: 'invalid_request' } };
    for (const body of ['{', '[]', 'null', '"text"', '{"grant_type":1}', '']) {
      expect(await send(body, json)).toMatchObject(badly);
    }
    expect(await send(JSON.stringify(request), { 'content-type': 'text/plain' })).toMatchObject(badly);
    expect(await send('code=a&code=b', { 'content-type': 'application/x-www-form-urlencoded' })).toMatchObject(badly);
    const { status, body } = await send(JSON.stringify(request), json);
    expect(status).toBe(200);
    expect(tokenAnswer.parse(body).owner).toBe(sandbox.handles.users.owner);
  });

  it('refuses a body without end', async () => {
    const { status } = await client.post('/oauth/token', { code: 'x'.repeat(2 * 1024 * 1024) });
    expect(status).toBe(400);
  });

  it('gives one pair for one code, when two ask at once', async () => {
    const { back } = await client.approve();
    const answers = await Promise.all([client.exchange(back?.code), client.exchange(back?.code)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  it('does not let another client, or a wrong verifier, spend a code', async () => {
    const { client_id, client_secret } = sandbox.handles.oauth;
    const { back } = await client.approve();
    expect(await client.exchange(back?.code, { client_id, client_secret })).toMatchObject({ status: 400 });
    expect(await client.exchange(back?.code, { code_verifier: 'x'.repeat(43) })).toMatchObject({ status: 400 });
    const { status, body } = await client.exchange(back?.code);
    expect(status).toBe(200);
    await client.exchange(back?.code, { client_id, client_secret });
    expect(await client.works(body.access_token)).toBe(true);
  });
});

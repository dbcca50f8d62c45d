// The authorization server: which metadata is believed, how the application authenticates, and what no error quotes.
import { describe, expect, it } from 'vitest';
import { metadataPath } from '#schemas/oauth.ts';
import { defaultNeeds } from '#src/upstream/clients.ts';
import { discover } from '#src/upstream/oauth/authorization-server.ts';
import { failureOf } from '../../../harness/sandbox/api-clients.ts';

const [refreshToken, clientSecret] = ['refresh-of_ours', 'secret-of_ours'];
const tokens = { access_token: 'access-of_ours', token_type: 'Bearer', refresh_token: null, expires_in: '60' };

interface Asked {
  readonly url: string;
  readonly headers: Headers;
  readonly body: URLSearchParams;
}

/** A network with these answers; any other address is 404. */
function openNetwork(answers: Readonly<Record<string, () => Response>>) {
  const asked: Asked[] = [];
  const needs = {
    ...defaultNeeds,
    sleep: async () => undefined,
    fetch: (async (url: URL, init?: RequestInit) => {
      const body = new URLSearchParams(init?.body instanceof URLSearchParams ? init.body : undefined);
      asked.push({ url: url.href, headers: new Headers(init?.headers), body });
      return answers[url.href]?.() ?? new Response('no', { status: 404 });
    }) as typeof fetch,
  };
  const open = (authUrl: string) => discover(needs, { clientId: 'client-of_ours', clientSecret, authUrl });
  return { asked, open };
}

const authUrl = 'https://service.test';
const tokenUrl = 'https://auth.service.test/token';
const metadataOf = (issuer: string, more: object = {}) => ({
  issuer,
  authorization_endpoint: 'https://auth.service.test/authorize',
  token_endpoint: tokenUrl,
  ...more,
});
const published = (more: object = {}) => ({
  [authUrl + metadataPath]: () => Response.json(metadataOf(authUrl, more)),
});

describe('the metadata', () => {
  it.each([
    ['below AUTH_URL', `/tenant${metadataPath}`, '/tenant'],
    ['where RFC 8414 puts it', `${metadataPath}/tenant`, '/tenant'],
    ['with a slash at the end of the issuer', `/tenant${metadataPath}`, '/tenant/'],
  ])('of an AUTH_URL with a path is found %s', async (_, path, issuer) => {
    const { open } = openNetwork({ [authUrl + path]: () => Response.json(metadataOf(authUrl + issuer)) });
    expect((await open(`${authUrl}/tenant`)).metadata.issuer).toBe(authUrl + issuer);
  });

  it.each([
    ['another issuer', { issuer: 'https://evil.test' }, 'https://evil.test'],
    ['a token endpoint without TLS', { token_endpoint: 'http://auth.service.test/token' }, 'https'],
    ['a page of the login without TLS', { authorization_endpoint: 'http://auth.service.test/authorize' }, 'https'],
    ['a script as an endpoint', { authorization_endpoint: 'javascript:alert(1)' }, 'https'],
    ['no token endpoint', { token_endpoint: undefined }, 'metadata'],
    ['methods that are no list', { token_endpoint_auth_methods_supported: 7 }, 'metadata'],
  ])('with %s is refused before a secret is sent', async (_, lie, reason) => {
    const { open, asked } = openNetwork(published(lie));
    expect(await failureOf(() => open(authUrl))).toMatchObject({
      code: 'refused',
      message: expect.stringContaining(reason),
      hint: expect.stringContaining('AUTH_URL'),
    });
    expect(asked).toHaveLength(1);
  });

  it('is read without TLS from this machine only', async () => {
    const { open, asked } = openNetwork({});
    expect(await failureOf(() => open('http://service.test'))).toMatchObject({ code: 'refused' });
    expect(asked).toEqual([]);
    const local = 'http://localhost:8123';
    const here = openNetwork({ [local + metadataPath]: () => Response.json(metadataOf(local)) });
    expect((await here.open(local)).metadata.issuer).toBe(local);
  });

  it.each([new Response('<html>'), Response.json([]), Response.json({}, { status: 403 })])(
    'that is none is reported (%#)',
    async (response) => {
      const { open } = openNetwork({ [authUrl + metadataPath]: () => response });
      const hint = expect.stringContaining('AUTH_URL');
      expect(await failureOf(() => open(authUrl))).toMatchObject({ code: 'refused', hint });
    },
  );
});

describe('the application', () => {
  const basic = `Basic ${btoa('client-of_ours:secret-of_ours')}`;
  const inBody = { client_id: 'client-of_ours', client_secret: clientSecret };

  it.each([
    ['by Basic, readable for servers that decode nothing, when no methods are published', undefined, basic, {}],
    ['by Basic where the body would do as well', ['client_secret_post', 'client_secret_basic'], basic, {}],
    ['in the body where only that is supported', ['client_secret_post'], null, inBody],
  ])('authenticates %s', async (_, methods, header, fields) => {
    const { open, asked } = openNetwork({
      ...published({ token_endpoint_auth_methods_supported: methods }),
      [tokenUrl]: () => Response.json(tokens),
    });
    await (await open(authUrl)).refresh(refreshToken, undefined);
    expect(asked[1]?.headers.get('authorization')).toBe(header);
    expect(Object.fromEntries(asked[1]?.body ?? [])).toMatchObject(fields);
    expect(asked[1]?.body.has('client_secret')).toBe(header === null);
  });
});

describe('the token endpoint', () => {
  const refreshWith = async (...answers: (() => Response)[]) => {
    const { open, asked } = openNetwork({
      ...published(),
      [tokenUrl]: () => (answers.length > 1 ? answers.shift() : answers[0])?.() ?? new Response(),
    });
    const server = await open(authUrl);
    const result = await server.refresh(refreshToken, undefined).catch((error: unknown) => error);
    return { result, sent: asked.length - 1 };
  };
  const quoting = { error_description: `${refreshToken} ${clientSecret} was used before` };
  const status = (code: number) => () => new Response('', { status: code });

  const unreasoned = { reason: '', message: expect.stringContaining('(400)') };
  const hinting = (reason: string, hint: string) => ({ reason, hint: expect.stringContaining(hint) });
  it.each([
    ['the reason', 400, { error: 'invalid_scope', ...quoting }, hinting('invalid_scope', 'Log in again')],
    ['a wrong secret', 401, { error: 'invalid_client' }, hinting('invalid_client', 'OAUTH_CLIENT_SECRET')],
    ['a secret as its reason', 400, { error: `no ${refreshToken}` }, unreasoned],
    ['no reason', 400, 'a page', unreasoned],
    ['tokens that are none', 200, { ...tokens, token_type: 7 }, { code: 'service_answer' }],
    ['tokens of another kind', 200, { ...tokens, token_type: 'mac' }, { code: 'service_answer' }],
  ])('that answers with %s is reported, and nothing secret is', async (_, code, body, error) => {
    const challenge = { 'www-authenticate': 'Basic realm="token"' };
    const { result } = await refreshWith(() => Response.json(body, { status: code, headers: challenge }));
    expect(result).toMatchObject(error);
    const { message, stack, cause } = result as Error;
    expect([message, stack, cause, JSON.stringify(result)].join()).not.toMatch(/of_ours/);
  });

  it('ends a login by rejecting its refresh token', async () => {
    const ended = () => Response.json({ error: 'invalid_grant', ...quoting }, { status: 400 });
    expect(await refreshWith(ended)).toEqual({ result: undefined, sent: 1 });
  });

  it('is asked again only when nothing can have been done', async () => {
    const good = () => Response.json(tokens);
    expect(await refreshWith(status(503), status(429), good)).toMatchObject({ result: { expires_in: 60 }, sent: 3 });
    expect(await refreshWith(status(500), good)).toMatchObject({ result: { code: 'service_unavailable' }, sent: 1 });
    expect(await refreshWith(status(503))).toMatchObject({ result: { code: 'service_unavailable' }, sent: 4 });
  });
});

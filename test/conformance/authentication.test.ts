// Conformance: authentication, scopes and the bodies of 401 and 403.
import { expect } from 'vitest';
import { apiScopes, everyScope, type ApiScope } from '#schemas/api-scope.ts';
import { authorizationServerMetadata, tokenAnswer } from '#schemas/oauth.ts';
import { operations, openTestSandbox, type Answer } from '../harness/sandbox.ts';
import { callback, openClient, verifier, type Bent } from '../harness/sandbox/oauth-client.ts';
import {
  answers,
  documentedBody,
  hookOf,
  isForAdministrators,
  lacking,
  strange,
  subscribingAsksFor,
  tokenWith,
  tryOperation,
} from './answers.ts';
import { openForRows, rows } from './rows.ts';

let client: ReturnType<typeof openClient>;
const sandbox = openForRows({ rateLimits: false, eventTypes: true }, async (opened) => {
  client = openClient(opened);
});

const granted = (...scopes: ApiScope[]): string => tokenWith(sandbox, scopes);

const sentBack = { code: expect.any(String), state: 'as sent' };

/** Every scope but this one is not enough, and this one alone is: what is then wrong is the request or nothing. */
async function demands(scope: ApiScope, requests: string): Promise<void> {
  const including = everyScope.filter((name) => (apiScopes[name].implies as readonly string[]).includes(scope));
  const others = everyScope.filter((name) => name !== scope && !including.includes(name));
  for (const request of requests.replaceAll('<uuid>', strange).split(', ')) {
    const [method = '', path = ''] = request.split(' ');
    await answers(tryOperation(sandbox, { method, path }, { token: granted(...others) }), 403, lacking(scope));
    const { status } = await tryOperation(sandbox, { method, path }, { token: granted(scope) });
    expect([200, 204, 400, 404]).toContain(status);
  }
}

const subscribe = (token: string, events: readonly string[]): Promise<Answer> =>
  sandbox.call('POST', '/webhook_subscriptions', { token, body: hookOf(sandbox, { events }) });

const demandedForEvents = (scope: ApiScope, events: string, more: object = {}): Promise<void> =>
  subscribingAsksFor(sandbox, scope, events.split(' '), more);

rows({
  'Authentication 1 | every endpoint requires an `Authorization` header carrying a bearer token': async () => {
    expect(operations.length).toBeGreaterThan(20);
    for (const operation of operations) await answers(tryOperation(sandbox, operation, { as: null }), 401);
  },
  'Authentication 1 | an OAuth 2.0 access token is accepted': async () => {
    const { body } = await client.signIn();
    await answers(sandbox.call('GET', '/contacts', { token: body.access_token }), 200);
  },
  'Authentication 1 | a personal access token is accepted': () =>
    answers(sandbox.call('GET', '/contacts', { token: sandbox.handles.tokens.owner }), 200),
  'Authentication 2 | each endpoint requires an authorization scope; a caller whose token lacks it receives 403 with the insufficient-scope body':
    async () => {
      for (const operation of operations) {
        expect(operation.scopes).toHaveLength(1);
        const answer = tryOperation(sandbox, operation, { as: 'no_scopes' });
        await answers(answer, 403, lacking(...operation.scopes));
      }
    },
  'Scope users:read | GET /users/me, GET /users/<id> | A14': () =>
    demands('users:read', `GET /users/me, GET ${sandbox.handles.users.member}`),
  'Scope organizations:read | an organization, its memberships and its invitations | A14': () => {
    const { organization } = sandbox.handles;
    const [membership] = sandbox.service.state.memberships.values();
    const paths = [organization, `${organization}/invitations`, '/organization_memberships', membership?.uri];
    return demands('organizations:read', paths.map((path) => `GET ${path}`).join(', '));
  },
  'Scope organizations:write | includes organizations:read | A14': () =>
    answers(sandbox.call('GET', sandbox.handles.organization, { token: granted('organizations:write') }), 200),
  'Scope organizations:write | POST /organizations/<uuid>/invitations': () =>
    demands('organizations:write', `POST ${sandbox.handles.organization}/invitations`),
  'Scope contacts:read | GET /contacts': () => demands('contacts:read', 'GET /contacts'),
  'Scope contacts:read | contact webhook events': () =>
    demandedForEvents('contacts:read', 'contact.created contact.updated contact.deleted'),
  'Scope contacts:write | create, update, delete contacts': () =>
    demands('contacts:write', 'POST /contacts, PATCH /contacts/<uuid>, DELETE /contacts/<uuid>'),
  'Scope contacts:write | implicitly includes contacts:read': async () => {
    await answers(sandbox.call('GET', '/contacts', { token: granted('contacts:write') }), 200);
    await answers(subscribe(granted('webhooks:write', 'contacts:write'), ['contact.created']), 201);
  },
  'Scope webhooks:write | POST /webhook_subscriptions': () => demands('webhooks:write', 'POST /webhook_subscriptions'),
  'Scope scheduled_events:read | invitee webhook events': () => {
    const events = 'invitee.created invitee.canceled invitee_no_show.created invitee_no_show.deleted';
    return demandedForEvents('scheduled_events:read', events);
  },
  'Scope scheduled_events:write | POST /invitees': () => demands('scheduled_events:write', 'POST /invitees'),
  'Scope scheduled_events:write | is not said to include scheduled_events:read': () => {
    const token = granted('webhooks:write', 'scheduled_events:write');
    return answers(subscribe(token, ['invitee.created']), 403, lacking('scheduled_events:read'));
  },
  'Scope event_types:read | event type webhook events': () =>
    demandedForEvents('event_types:read', 'event_type.created event_type.updated event_type.deleted'),
  'Scope routing_forms:read | routing form submission webhook event': () =>
    demandedForEvents('routing_forms:read', 'routing_form_submission.created'),
  'Scope meeting_recaps:read | read recaps and transcripts': () => {
    const one = 'GET /meeting_recaps/<uuid>';
    return demands('meeting_recaps:read', `GET /meeting_recaps, ${one}, ${one}/transcript`);
  },
  'Scope meeting_recaps:read | recap webhook events': () => {
    const events = 'meeting_recap.created meeting_recap.updated meeting_recap.deleted';
    return demandedForEvents('meeting_recaps:read', events, { scope: 'user', user: sandbox.handles.users.owner });
  },
  'Scope meeting_recaps:write | update and delete recaps': () =>
    demands('meeting_recaps:write', 'PATCH /meeting_recaps/<uuid>, DELETE /meeting_recaps/<uuid>'),
  'Scope meeting_recaps:write | implicitly includes meeting_recaps:read': async () => {
    const query = { organization: sandbox.handles.organization };
    await answers(sandbox.call('GET', '/meeting_recaps', { token: granted('meeting_recaps:write'), query }), 200);
  },
  'Scope groups | scope for the groups interface': () => {
    const { organization, group } = sandbox.handles;
    return demands('groups', `GET /groups?organization=${organization}, GET ${group}`);
  },
  'Authentication 3 | custom fields on contacts reuse contacts:read and contacts:write; no new scopes exist for them':
    async () => {
      const path = '/contacts/custom_field_definitions';
      await demands('contacts:read', `GET ${path}, GET ${path}/<uuid>`);
      expect(everyScope.filter((scope) => scope.includes('custom'))).toEqual([]);
    },
  'Authentication 4 | role-based permission: the same request can succeed for an administrator and fail with 403 for an ordinary user':
    () => isForAdministrators(sandbox, ['/event_types'], { organization: sandbox.handles.organization }),
  'Authentication 5 | plan-based permission: some endpoints return 403 for accounts on plans below the stated level':
    async () => {
      await answers(sandbox.call('GET', '/contacts', { as: 'free_plan' }), 403, { title: 'Permission Denied' });
      await answers(sandbox.call('GET', '/contacts', { as: 'enterprise' }), 200);
    },
  'Authentication 6 | an authorization server publishes its metadata at {auth_url}/.well-known/oauth-authorization-server':
    async () => {
      const { auth_url } = sandbox.handles;
      const { body } = await sandbox.call('GET', `${auth_url}/.well-known/oauth-authorization-server`, { as: null });
      expect(authorizationServerMetadata.parse(body).issuer).toBe(auth_url);
    },
  'Errors, 401 | caller cannot be authenticated: title `Internal Server Error`, message `The server encountered an unexpected condition that prevented it from fulfilling the request.`':
    async () => {
      sandbox.tokens.add('oat_old', { kind: 'oauth', user: sandbox.handles.users.owner, scopes: [], expiresMs: 0 });
      for (const authorization of ['Bearer unknown', 'Bearer oat_old', 'Basic b3duZXI6b3duZXI=', 'Bearer '])
        await answers(sandbox.call('GET', '/contacts', { as: null, headers: { authorization } }), 401, documentedBody);
    },
  "Errors, 403 | insufficient scope: title `Insufficient scope`, message `This operation requires the scopes listed in the 'required_scopes' array.`":
    () => answers(sandbox.call('GET', '/contacts', { as: 'no_scopes' }), 403, lacking('contacts:read')),
  'Errors, 403 | `required_scopes` (list of string, required) lists the missing scopes': () => {
    const events = ['contact.created', 'invitee.created', 'invitee.canceled', 'event_type.created'];
    const refused = lacking('scheduled_events:read', 'event_types:read');
    return answers(subscribe(granted('webhooks:write', 'contacts:read'), events), 403, refused);
  },
  'Errors, 403 | permission denied: title `Permission Denied`; message varies by endpoint': async () => {
    const { body } = await sandbox.call('GET', '/contacts', { as: 'member' });
    expect(body).toEqual({ title: 'Permission Denied', message: expect.any(String) });
  },
  'Authentication 6 | the metadata is that of RFC 8414: endpoints, grants, PKCE and scopes | A25': async () => {
    const { auth_url } = sandbox.handles;
    await answers(sandbox.call('GET', '/.well-known/oauth-authorization-server', { as: null }), 200, {
      issuer: auth_url,
      authorization_endpoint: `${auth_url}/oauth/authorize`,
      token_endpoint: `${auth_url}/oauth/token`,
      revocation_endpoint: `${auth_url}/oauth/revoke`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      scopes_supported: everyScope,
    });
  },
  'Authentication 7 | a user chosen on the authorization page sends the browser back with `code` and `state` | A25':
    async () => {
      const user = sandbox.handles.users.member;
      expect((await client.ask()).text).toContain(`value="${user}"`);
      expect(await client.choose({ user })).toMatchObject({ status: 302, back: sentBack });
    },
  'Authentication 7 | `login_hint` (an e-mail address or a user URI) with `prompt=none` is approved at once | A25':
    async () => expect(await client.approve()).toMatchObject({ status: 302, back: sentBack }),
  'Authentication 7 | the token endpoint gives an access token, a refresh token, their scope, the owner and the organization | A25':
    async () => {
      const { users, organization } = sandbox.handles;
      const scope = 'contacts:read groups';
      const { status, headers, body } = await client.signIn({ login_hint: users.admin, scope });
      const { access_token, refresh_token, created_at, ...rest } = tokenAnswer.parse(body);
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(rest).toEqual({ token_type: 'Bearer', expires_in: 7200, scope, owner: users.admin, organization });
      expect([typeof refresh_token, typeof created_at]).toEqual(['string', 'number']);
      const call = (path: string) => sandbox.call('GET', path, { token: access_token });
      await answers(call('/contacts'), 200);
      await answers(call('/meeting_recaps'), 403, lacking('meeting_recaps:read'));
    },
  'Authentication 7 | PKCE with S256 is required of a client without a secret | A25': async () => {
    for (const bent of [{ code_challenge: undefined }, { code_challenge_method: 'plain', code_challenge: verifier }])
      expect((await client.approve(bent)).back).toMatchObject({ error: 'invalid_request' });
    const { back } = await client.approve();
    await answers(client.exchange(back?.code, { code_verifier: 'x'.repeat(64) }), 400, { error: 'invalid_grant' });
  },
  'Authentication 7 | a client with a secret may do without PKCE, and is held to it once it asks | A25': async () => {
    const { client_id, client_secret } = sandbox.handles.oauth;
    const bare = { client_id, code_challenge: undefined, code_challenge_method: undefined };
    const exchange = async (asked: Bent, code_verifier?: string) => {
      const { back } = await client.approve({ client_id, ...asked });
      return client.exchange(back?.code, { client_id, client_secret, code_verifier });
    };
    await answers(exchange(bare), 200, { token_type: 'Bearer' });
    for (const refused of [exchange({}), exchange(bare, verifier)])
      await answers(refused, 400, { error: 'invalid_grant' });
    const half = await client.approve({ ...bare, code_challenge_method: 'S256' });
    expect(half.back).toMatchObject({ error: 'invalid_request' });
  },
  'Authentication 7 | the scope `default` asks for all scopes, and `offline_access` for nothing more | A25':
    async () => {
      const scopesOf = async (scope?: string): Promise<string> => (await client.signIn({ scope })).body.scope;
      const every = await scopesOf();
      expect(every.split(' ')).toHaveLength(everyScope.length);
      for (const scope of ['default', 'offline_access', 'default offline_access', 'default contacts:read'])
        expect(await scopesOf(scope)).toBe(every);
      expect(await scopesOf('contacts:read offline_access')).toBe('contacts:read');
      const { body } = await client.signIn({ scope: 'contacts:read' });
      const again = await client.refresh(body.refresh_token, { scope: 'default offline_access' });
      expect(again.body.scope).toBe('contacts:read');
    },
  'Authentication 7 | `redirect_uri` is a loopback address with any port, or registered | A25': async () => {
    expect((await client.approve({ redirect_uri: 'http://127.0.0.1:5/a' })).back).toHaveProperty('code');
    const elsewhere = await client.approve({ redirect_uri: 'https://elsewhere.example.test/' });
    expect(elsewhere).toMatchObject({ status: 400, back: undefined });
    const { back } = await client.approve();
    await answers(client.exchange(back?.code, { redirect_uri: `${callback}/` }), 400, { error: 'invalid_grant' });
  },
  'Authentication 7 | an access token lives 2 hours; a personal access token does not expire | A25': async () => {
    await using later = await openTestSandbox();
    const client = openClient(later);
    const { access_token: token, refresh_token } = (await client.signIn()).body;
    later.service.clock.advance(7199 * 1000);
    expect(await client.works(token)).toBe(true);
    later.service.clock.advance(1000);
    const expired = { details: [{ message: 'The token has expired.' }] };
    await answers(later.call('GET', '/users/me', { token }), 401, expired);
    await answers(client.refresh(refresh_token), 200);
    later.service.clock.advance(1000 * 24 * 3600 * 1000);
    await answers(later.call('GET', '/users/me'), 200);
  },
  'Authentication 7 | a code works once; a second use revokes what it gave | A25': async () => {
    const { back } = await client.approve();
    const { body } = await client.exchange(back?.code);
    const later = await client.refresh(body.refresh_token);
    const work = () => Promise.all([body, later.body].map(({ access_token }) => client.works(access_token)));
    expect(await work()).toEqual([true, true]);
    await answers(client.exchange(back?.code), 400, { error: 'invalid_grant' });
    expect(await work()).toEqual([false, false]);
  },
  'Authentication 7 | a refresh token works once and brings the next; a used one coming back revokes the whole family | A25':
    async () => {
      const first = await client.signIn();
      const second = await client.refresh(first.body.refresh_token);
      expect(second.body.refresh_token).not.toBe(first.body.refresh_token);
      expect(await client.works(second.body.access_token)).toBe(true);
      await answers(client.refresh(first.body.refresh_token), 400, { error: 'invalid_grant' });
      expect(await client.works(second.body.access_token)).toBe(false);
      await answers(client.refresh(second.body.refresh_token), 400);
    },
  'Authentication 7 | a token can be revoked; an unknown one is answered 200 too | A25': async () => {
    const { body } = await client.signIn();
    await answers(client.revoke(body.access_token), 200);
    expect(await client.works(body.access_token)).toBe(false);
    await answers(client.revoke('unknown'), 200);
  },
});

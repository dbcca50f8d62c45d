// The authorization server (A25): authorization code with PKCE, rotating refresh tokens, revocation, introspection and metadata.
import { Hono, type Context } from 'hono';
import { everyScope } from '#schemas/api-scope.ts';
import { metadataPath, type AuthorizationServerMetadata } from '#schemas/oauth.ts';
import type { UserResource } from '#schemas/resources/user.ts';
import type { Service, State } from '#src/sandbox/world/service.ts';
import { createCodes, createFamilies, type Tokens } from './tokens.ts';
import { chosenUser, readTrusted, readWish, silentUser } from './authorize.ts';
import { authenticateClient, createClients, type Client, type Clients } from './clients.ts';
import { consentPage, errorPage, pageHeaders } from './consent-page.ts';
import { introspection } from './introspection.ts';
import { demand, OAuthError, parametersOf, type Parameters } from './request.ts';
import { giveTokens, type TokenNeeds } from './token-endpoint.ts';

interface ServerNeeds extends TokenNeeds {
  readonly clients: Clients;
}

export function createAuthorizationServer({ service, tokens }: { service: Service; tokens: Tokens }): Hono {
  const { clock, options } = service;
  const needs: ServerNeeds = {
    service,
    clients: createClients(options.seed),
    codes: createCodes(clock),
    families: createFamilies(clock, tokens),
  };
  const revoke = (_: Client, parameters: Parameters): object => {
    needs.families.revoke(demand(parameters, 'token'));
    return {};
  };
  const introspect = (client: Client, parameters: Parameters): object =>
    introspection({ ...needs, tokens }, client, demand(parameters, 'token'));
  const app = new Hono();
  app.get(metadataPath, (context) => context.json(metadataOf(options.baseUrl)));
  app.get('/oauth/authorize', (context) => authorize(needs, context, silentUser));
  app.post('/oauth/authorize', (context) => authorize(needs, context, chosenUser));
  app.post('/oauth/token', (context) => answer(needs, context, (...call) => giveTokens(needs, ...call)));
  app.post('/oauth/revoke', (context) => answer(needs, context, revoke));
  app.post('/oauth/introspect', (context) => answer(needs, context, introspect));
  return app;
}

const metadataOf = (issuer: string): AuthorizationServerMetadata => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  scopes_supported: [...everyScope],
  authorization_response_iss_parameter_supported: true,
});

/** Without a user the page is shown. */
type ChooseUser = (state: State, parameters: Parameters) => UserResource | undefined;

async function authorize(needs: ServerNeeds, context: Context, choose: ChooseUser): Promise<Response> {
  const { clients, codes, service } = needs;
  try {
    const parameters = await parametersOf(context);
    const trusted = readTrusted(clients, parameters);
    const { client, redirectUri, target } = trusted;
    const goBack = (values: Readonly<Record<string, string>>): Response => {
      const state = parameters.get('state');
      const answered = { ...values, ...(state !== undefined && { state }), iss: service.options.baseUrl };
      const location = `${target.href}${target.search === '' ? '?' : '&'}${new URLSearchParams(answered)}`;
      return context.body(null, 302, { Location: location, 'Cache-Control': 'no-store' });
    };
    try {
      const wish = readWish(trusted, parameters);
      const user = choose(service.state, parameters);
      if (user !== undefined)
        return goBack({ code: codes.issue({ client: client.id, user: user.uri, redirectUri, ...wish }) });
      const page = consentPage({ state: service.state, trusted, wish, parameters });
      return await context.html(page, 200, pageHeaders(target));
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      return goBack({ ...error.body });
    }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return context.html(errorPage(error), 400, pageHeaders());
  }
}

/** Authenticates the client first; the response is never cached. */
async function answer(
  { clients }: ServerNeeds,
  context: Context,
  run: (client: Client, parameters: Parameters) => object,
): Promise<Response> {
  context.header('Cache-Control', 'no-store');
  context.header('Pragma', 'no-cache');
  try {
    const parameters = await parametersOf(context);
    const client = authenticateClient(clients, context.req.header('authorization'), parameters);
    return context.json(run(client, parameters));
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const isUnknownClient = error.code === 'invalid_client';
    if (isUnknownClient) context.header('WWW-Authenticate', 'Basic realm="token"');
    return context.json(error.body, isUnknownClient ? 401 : 400);
  }
}

// The authorization server (A25): authorization code with PKCE, rotating refresh tokens, revocation and metadata.
import { Hono, type Context } from 'hono';
import type { UserResource } from '#schemas/resources/user.ts';
import { metadataPath, type AuthorizationServerMetadata } from '#schemas/oauth.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import { chosenUser, readTrusted, readWish, returnAddress, silentUser } from './authorize.ts';
import { authenticateClient, createClients, type Client, type Clients } from './clients.ts';
import { createCodes } from './codes.ts';
import { consentPage, errorPage, pageHeaders } from './consent-page.ts';
import { createFamilies } from './refresh-token-families.ts';
import { OAuthError } from './oauth-error.ts';
import { bodyParameters, demand, queryParameters, type Parameters } from './parameters.ts';
import { everyScope } from '#schemas/api-scope.ts';
import { giveTokens, type TokenNeeds } from './token-endpoint.ts';
import type { Tokens } from './tokens.ts';

interface ServerNeeds extends TokenNeeds {
  readonly clients: Clients;
}

export function createAuthorizationServer({ service, tokens }: { service: Service; tokens: Tokens }): Hono {
  const { clock, options, state } = service;
  const needs: ServerNeeds = {
    service,
    clients: createClients(options.seed),
    codes: createCodes(clock),
    families: createFamilies(clock, tokens),
  };
  const app = new Hono();
  app.get(metadataPath, (context) => context.json(metadataOf(options.baseUrl)));
  app.get('/oauth/authorize', (context) =>
    authorize(needs, context, { read: queryParameters, choose: (parameters) => silentUser(state, parameters) }),
  );
  app.post('/oauth/authorize', (context) =>
    authorize(needs, context, { read: bodyParameters, choose: (parameters) => chosenUser(state, parameters) }),
  );
  app.post('/oauth/token', (context) =>
    answer(needs, context, (client, parameters) => giveTokens(needs, client, parameters)),
  );
  app.post('/oauth/revoke', (context) =>
    answer(needs, context, (_, parameters) => {
      needs.families.revoke(demand(parameters, 'token'));
      return {};
    }),
  );
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

interface Asking {
  read(context: Context): Parameters | Promise<Parameters>;
  /** Undefined: the page is shown. */
  choose(parameters: Parameters): UserResource | undefined;
}

async function authorize(needs: ServerNeeds, context: Context, { read, choose }: Asking): Promise<Response> {
  const { clients, codes, service } = needs;
  try {
    const parameters = await read(context);
    const trusted = readTrusted(clients, parameters);
    const goBack = (values: Readonly<Record<string, string>>): Response => {
      const from = { state: parameters.get('state'), issuer: service.options.baseUrl };
      return context.body(null, 302, { Location: returnAddress(trusted, values, from), 'Cache-Control': 'no-store' });
    };
    try {
      const wish = readWish(trusted, parameters);
      const user = choose(parameters);
      if (user === undefined) {
        const consent = { state: service.state, trusted, wish, parameters };
        return await context.html(consentPage(consent), 200, pageHeaders(trusted.target));
      }
      const { client, redirectUri } = trusted;
      return goBack({ code: codes.issue({ client: client.id, user: user.uri, redirectUri, ...wish }) });
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
    const parameters = await bodyParameters(context);
    const authorization = context.req.header('authorization');
    return context.json(run(authenticateClient(clients, { authorization, parameters }), parameters));
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    if (error.status === 401) context.header('WWW-Authenticate', 'Basic realm="token"');
    return context.json(error.body, error.status);
  }
}

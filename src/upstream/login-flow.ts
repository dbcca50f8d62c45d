// The whole login: authorize in the browser, read the user, store the login.
import { SlotstreamError } from '#src/base/errors.ts';
import { createClient } from './client.ts';
import { retryBudgets } from './retry-budgets.ts';
import { getCurrentUser } from './endpoints.ts';
import { authorize, type LoginNeeds } from '#src/upstream/oauth/authorize.ts';
import { grantedLogin, withLogins, type Login } from '#src/upstream/oauth/token-file.ts';
import { baseUrlOf, bearerToken, type UpstreamConfig } from './clients.ts';

export interface LogInInput {
  /** The requested scopes; the person may grant fewer. */
  readonly scopes: readonly string[];
  readonly port: number;
  readonly signal: AbortSignal;
}

/** Logging in again replaces the login of the same user. */
export async function logIn(needs: LoginNeeds, config: UpstreamConfig, input: LogInInput): Promise<Login> {
  const { oauth } = config.api;
  if (oauth === undefined)
    throw new SlotstreamError('config', 'OAuth is not configured, so a login is not possible.', {
      hint: 'Set OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET and AUTH_URL. With a personal API_TOKEN no login is needed.',
    });
  const baseUrl = baseUrlOf(config);
  const response = await authorize(needs, { ...input, application: oauth });
  const granted = grantedLogin(response, {
    nowMs: needs.nowMs(),
    before: { refreshToken: null, scopes: input.scopes },
  });
  const client = createClient(
    { ...needs, token: bearerToken(granted.accessToken) },
    { baseUrl, retryBudget: retryBudgets.short, reserveShare: 0 },
  );
  const { value: user } = await getCurrentUser(client, { signal: input.signal });
  const login: Login = {
    user: user.uri,
    name: user.name ?? null,
    organization: user.current_organization ?? null,
    clientId: oauth.clientId,
    authUrl: oauth.authUrl,
    loggedInAt: new Date(needs.nowMs()).toISOString(),
    ...granted,
  };
  await withLogins(needs, { dataDir: config.dataDir }, async (_, save) => save(login));
  return login;
}

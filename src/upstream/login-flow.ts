// The whole login: authorize in the browser, read the user, store the login.
import { isApiScope, missingScopes, type ApiScope } from '#schemas/api-scope.ts';
import { slotstream } from '#src/base/command.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { isStatus } from './api-error.ts';
import { createClient } from './client.ts';
import { retryBudgets } from './retry-budgets.ts';
import { getCurrentUser } from './endpoints.ts';
import { authorize, type LoginInput, type LoginNeeds } from '#src/upstream/oauth/authorize.ts';
import { grantedLogin, withLogins, type Login } from '#src/upstream/oauth/token-file.ts';
import { bearerToken, type UpstreamConfig } from './clients.ts';

export interface NewLogin {
  readonly login: Login;
  /** Requested, and not granted. */
  readonly refused: readonly ApiScope[];
}

/** Logging in again replaces the login of the same user. */
export async function logIn(needs: LoginNeeds, config: UpstreamConfig, input: LoginInput): Promise<NewLogin> {
  const { oauth } = config.api;
  if (oauth === undefined)
    throw new SlotstreamError('config', 'OAuth is not configured, so a login is not possible.', {
      hint: 'Set OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET. With API_TOKEN, logins are used only for the recaps of other users.',
    });
  const { baseUrl } = config.api;
  const { scopes: requested } = input;
  const tokens = await authorize(needs, oauth, input);
  const granted = grantedLogin(tokens, { nowMs: needs.nowMs(), before: { refreshToken: null, scopes: requested } });
  const client = createClient(
    { ...needs, token: bearerToken(granted.accessToken) },
    { baseUrl, retryBudget: retryBudgets.short, reserveShare: 0 },
  );
  const { value: user } = await getCurrentUser(client, { signal: input.signal }).catch((error: unknown) => {
    throw withoutScope(error, granted.scopes);
  });
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
  return { login, refused: refusedScopes(granted.scopes, requested) };
}

/** Logging in again alone would end the same way: the scopes are chosen in the settings of the application. */
function withoutScope(error: unknown, granted: readonly string[]): unknown {
  if (!isStatus(error, 403)) return error;
  const missing = error.requiredScopes.length > 0 ? error.requiredScopes : ['users:read'];
  if (missing.every((scope) => granted.includes(scope))) return error;
  return new SlotstreamError('refused', `The login was granted without the scope ${missing.join(', ')}.`, {
    hint: `Select it in the settings of the OAuth application at the service, then log in again: ${slotstream} login`,
  });
}

/** A server that grants names of its own, such as `default`, says nothing about ours. */
function refusedScopes(granted: readonly string[], requested: readonly ApiScope[]): readonly ApiScope[] {
  const known = granted.filter(isApiScope);
  return known.length === 0 && granted.length > 0 ? [] : missingScopes(known, requested);
}

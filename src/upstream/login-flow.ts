// One login from beginning to end: authorised in the browser, asked who it is, and stored.
import { SlotstreamError } from '#src/base/errors.ts';
import { createClient } from './client.ts';
import { patiences } from './retry-budgets.ts';
import { getCurrentUser } from '#src/upstream/endpoints/users.ts';
import { loginOf } from '#src/upstream/oauth/grant.ts';
import { authorize, type LoginNeeds } from '#src/upstream/oauth/authorize.ts';
import { withLogins, type Login } from '#src/upstream/oauth/token-file.ts';
import { baseUrlOf, bearerToken, type UpstreamConfig } from './clients.ts';

export interface LogInInput {
  /** What to ask for; the person may grant less. */
  readonly scopes: readonly string[];
  readonly port: number;
  readonly signal: AbortSignal;
}

/** Logging in again replaces the login of the same user. */
export async function logIn(needs: LoginNeeds, config: UpstreamConfig, input: LogInInput): Promise<Login> {
  const { oauth } = config.api;
  if (oauth === undefined)
    throw new SlotstreamError('config', 'OAuth is not set up, so nobody can log in.', {
      hint: 'Set OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET and AUTH_URL. With a personal API_TOKEN no login is needed.',
    });
  const baseUrl = baseUrlOf(config);
  const answer = await authorize(needs, { ...input, application: oauth });
  const granted = loginOf(answer, { nowMs: needs.nowMs(), before: { refreshToken: null, scopes: input.scopes } });
  const client = createClient(
    { ...needs, token: bearerToken(granted.accessToken) },
    { baseUrl, patience: patiences.short, reserveShare: 0 },
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

// Opens the clients of the configured account: with a personal access token or a login, and one per user who logged in.
import { slotstream } from '#src/base/command.ts';
import type { Config } from '#src/config/load.ts';
import { sleepUnlessAborted } from '#src/base/time.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { createClient, type Client, type ClientNeeds, type ClientOptions, type TokenSource } from './client.ts';
import type { OAuthApplication } from '#src/upstream/oauth/authorization-server.ts';
import { openSession } from '#src/upstream/oauth/session.ts';
import { readLogins, type Login } from '#src/upstream/oauth/token-file.ts';
import { throwIfAborted } from './send-once.ts';

export type UpstreamConfig = Pick<Config, 'api' | 'dataDir'>;

/** Clock, network and randomness; tests replace them. */
export type UpstreamNeeds = Partial<Omit<ClientNeeds, 'token'>>;
export type UpstreamOptions = Omit<ClientOptions, 'baseUrl'>;

/** Uses API_TOKEN; without it the login of USER_URI, or the first login. */
export function openUpstream(config: UpstreamConfig, needs: UpstreamNeeds = {}, options: UpstreamOptions = {}): Client {
  const { token, oauth, userUri } = config.api;
  const { baseUrl } = config.api;
  if (token !== undefined)
    return createClient({ ...defaultNeeds, ...needs, token: personalToken(token) }, { baseUrl, ...options });
  if (oauth === undefined) throw missing('Neither API_TOKEN nor OAuth is set, so the service would reject every call.');
  const logins = loginsOf(config, oauth);
  const login = userUri === undefined ? logins[0] : logins.find(({ user }) => user === userUri);
  if (login === undefined)
    throw new SlotstreamError(
      'config',
      userUri === undefined ? 'No user has logged in yet.' : `${userUri} has not logged in yet.`,
      {
        hint: `Log in: ${slotstream} login`,
      },
    );
  return clientOf(config, login, { needs, options });
}

export interface UserUpstream {
  readonly user: string;
  readonly organization: string | null;
  readonly scopes: readonly string[];
  readonly client: Client;
}

/** One client per user who ran `slotstream login`: the service shows recaps only to their user. */
export function openUserUpstreams(
  config: UpstreamConfig,
  needs: UpstreamNeeds = {},
  options: UpstreamOptions = {},
): readonly UserUpstream[] {
  const { oauth } = config.api;
  if (oauth === undefined) return [];
  return loginsOf(config, oauth).map((login) => ({
    user: login.user,
    organization: login.organization,
    scopes: login.scopes,
    client: clientOf(config, login, { needs, options }),
  }));
}

/** The logins of this application at this authorization server. */
export function loginsOf({ dataDir }: UpstreamConfig, { clientId, authUrl }: OAuthApplication): readonly Login[] {
  return readLogins(dataDir).filter((login) => login.clientId === clientId && login.authUrl === authUrl);
}

function clientOf(
  config: UpstreamConfig,
  { user, clientId, authUrl }: Login,
  { needs, options }: { readonly needs: UpstreamNeeds; readonly options: UpstreamOptions },
): Client {
  const clientNeeds = { ...defaultNeeds, ...needs };
  const application = { clientId, authUrl, clientSecret: config.api.oauth?.clientSecret ?? '' };
  const token = openSession(clientNeeds, { dataDir: config.dataDir, application, user });
  return createClient({ ...clientNeeds, token }, { baseUrl: config.api.baseUrl, ...options });
}

export const defaultNeeds: Omit<ClientNeeds, 'token'> = {
  fetch: (input, init) => fetch(input, init),
  nowMs: Date.now,
  random: Math.random,
  async sleep(ms, signal) {
    await sleepUnlessAborted(ms, signal);
    throwIfAborted(signal);
  },
};

function missing(message: string): SlotstreamError {
  return new SlotstreamError('config', message, {
    hint: 'Set API_TOKEN (a personal access token), or OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET.',
  });
}

function personalToken(token: string): TokenSource {
  // Other characters are not allowed in a header, and the error of `fetch` would quote the token.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new SlotstreamError('config', 'API_TOKEN contains white space or other invalid characters.', {
      hint: 'Copy the token again.',
    });
  return bearerToken(token);
}

export function bearerToken(token: string): TokenSource {
  return { current: async () => token, renewed: async () => undefined };
}

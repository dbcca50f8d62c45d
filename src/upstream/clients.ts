// The clients of the configured account: by a personal access token, else by a login; and one for each user who logged in.
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '#src/config/load.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { createClient, type Client, type ClientNeeds, type ClientOptions, type TokenSource } from './client.ts';
import type { OAuthApplication } from '#src/upstream/oauth/authorization-server.ts';
import { openSession } from '#src/upstream/oauth/session.ts';
import { readLogins, type Login } from '#src/upstream/oauth/token-file.ts';
import { stopIfAsked } from './abort.ts';

export type UpstreamConfig = Pick<Config, 'api' | 'dataDir'>;

/** The world as clients see it; tests bend it. */
export type UpstreamNeeds = Partial<Omit<ClientNeeds, 'token'>>;
export type UpstreamOptions = Omit<ClientOptions, 'baseUrl'>;

/** API_TOKEN wins; else the login of USER_URI, or the first there is. */
export function openUpstream(config: UpstreamConfig, needs: UpstreamNeeds = {}, options: UpstreamOptions = {}): Client {
  const { token, oauth, userUri } = config.api;
  const baseUrl = baseUrlOf(config);
  if (token !== undefined)
    return createClient({ ...realWorld, ...needs, token: personalToken(token) }, { baseUrl, ...options });
  if (oauth === undefined) throw missing('Neither API_TOKEN nor OAuth is set, so the service would refuse every call.');
  const logins = loginsOf(config, oauth);
  const login = userUri === undefined ? logins[0] : logins.find(({ user }) => user === userUri);
  if (login === undefined)
    throw new SlotstreamError('config', `${userUri ?? 'Nobody'} has ${userUri ? 'not ' : ''}logged in yet.`, {
      hint: 'Log in: npx slotstream login',
    });
  return clientOf(config, login, { needs, options });
}

export interface UserUpstream {
  /** The user's URI. */
  readonly user: string;
  readonly organization: string | null;
  readonly scopes: readonly string[];
  readonly client: Client;
}

/** One client for each user who ran `slotstream login`: recaps are shown to their own user only. */
export function upstreamsOfUsers(
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

/** Those that this application of this authorization server was given. */
export function loginsOf({ dataDir }: UpstreamConfig, { clientId, authUrl }: OAuthApplication): readonly Login[] {
  return readLogins(dataDir).filter((login) => login.clientId === clientId && login.authUrl === authUrl);
}

function clientOf(
  config: UpstreamConfig,
  { user, clientId, authUrl }: Login,
  { needs, options }: { readonly needs: UpstreamNeeds; readonly options: UpstreamOptions },
): Client {
  const world = { ...realWorld, ...needs };
  const application = { clientId, authUrl, clientSecret: config.api.oauth?.clientSecret ?? '' };
  const token = openSession(world, { dataDir: config.dataDir, application, user });
  return createClient({ ...world, token }, { baseUrl: baseUrlOf(config), ...options });
}

export const realWorld: Omit<ClientNeeds, 'token'> = {
  fetch: (input, init) => fetch(input, init),
  nowMs: Date.now,
  random: Math.random,
  async sleep(ms, signal) {
    // Rejects only for the signal, with words of its own.
    await wait(ms, undefined, signal && { signal }).catch(() => undefined);
    stopIfAsked(signal);
  },
};

export function baseUrlOf({ api }: UpstreamConfig): string {
  if (api.baseUrl === undefined) throw missing('API_BASE_URL is not set, so the service cannot be called.');
  return api.baseUrl;
}

function missing(message: string): SlotstreamError {
  return new SlotstreamError('config', message, {
    hint: 'Set API_BASE_URL, and API_TOKEN (a personal access token) or OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET and AUTH_URL.',
  });
}

function personalToken(token: string): TokenSource {
  // Anything else cannot stand in a header, and the complaint of `fetch` would quote it.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new SlotstreamError('config', 'API_TOKEN holds white space or characters that no token has.', {
      hint: 'Copy the token again.',
    });
  return bearerToken(token);
}

/** A token that is used as it is until it is refused. */
export function bearerToken(token: string): TokenSource {
  return { current: async () => token, renewed: async () => undefined };
}

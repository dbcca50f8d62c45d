// What an answer of the token endpoint means for a login. Pure.
import type { TokenAnswer } from '#schemas/oauth.ts';
import type { Login } from './token-file.ts';

export type Granted = Pick<Login, 'accessToken' | 'refreshToken' | 'expiresAtMs' | 'scopes'>;

/** What an answer leaves out stays as it was: RFC 6749 lets a server keep the refresh token and the scopes. */
export function loginOf(
  { access_token, refresh_token, expires_in, scope }: TokenAnswer,
  { nowMs, before }: { readonly nowMs: number; readonly before: Pick<Granted, 'refreshToken' | 'scopes'> },
): Granted {
  return {
    accessToken: access_token,
    refreshToken: refresh_token ?? before.refreshToken,
    // By our own clock from now: the server's may differ.
    expiresAtMs: expires_in == null ? null : nowMs + expires_in * 1000,
    scopes: scope == null ? before.scopes : scope.split(' ').filter((name) => name !== ''),
  };
}

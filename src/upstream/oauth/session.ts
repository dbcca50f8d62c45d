// The access token of one login, renewed before it expires or when the service rejects it: once, however many callers need it at the
// same time, in this process and in others.
import { slotstream } from '#src/base/command.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { TokenSource } from '#src/upstream/client.ts';
import type { AuthorizationServer, OAuthApplication, OAuthNeeds } from './authorization-server.ts';
import { throwIfAborted } from '#src/upstream/send-once.ts';
import { grantedLogin, readLogins, withLogins, type Login } from './token-file.ts';

export interface SessionInput {
  readonly dataDir: string;
  readonly application: OAuthApplication;
  readonly user: string;
}

/** A token this close to its expiry might expire in transit. */
const marginMs = 60_000;

/**
 *   fresh ──a minute before its expiry, or 401──▶ renewing ──▶ fresh
 *                                                 └─ invalid_grant ──▶ the user must log in again
 */
export function openSession(needs: OAuthNeeds, input: SessionInput): TokenSource {
  // Not loaded where a personal token is used, which needs none of it.
  const loading = import('./authorization-server.ts');
  let renewing: Renewal | undefined;
  let server: Promise<AuthorizationServer> | undefined;
  let held = find(readLogins(input.dataDir), input);

  const isFresh = ({ expiresAtMs }: Login): boolean => expiresAtMs === null || expiresAtMs - marginMs > needs.nowMs();
  const discovered = (signal: AbortSignal | undefined): Promise<AuthorizationServer> => {
    server ??= loading
      .then(({ discover }) => discover(needs, input.application, signal))
      .catch((error: unknown) => {
        server = undefined;
        throw error;
      });
    return server;
  };

  /** Reads the login again under the lock: another process may just have renewed it, and a refresh token works only once. */
  const renew = (spent: string, signal: AbortSignal | undefined): Promise<Login> =>
    withLogins(needs, { dataDir: input.dataDir, signal }, async (logins, save) => {
      const login = find(logins, input);
      if (login.accessToken !== spent && isFresh(login)) return login;
      const authorizationServer = await discovered(signal);
      // Saved unchanged before the refresh token is used up, so that a full disk fails here and not afterwards.
      save(login);
      const next = await refreshed(authorizationServer, login, { nowMs: needs.nowMs, signal });
      save(next);
      return next;
    });

  const renewOnce = async (spent: string, signal: AbortSignal | undefined): Promise<string> => {
    for (;;) {
      throwIfAborted(signal);
      renewing ??= { login: renew(spent, signal).finally(() => (renewing = undefined)), signal };
      const shared = renewing;
      try {
        held = await shared.login;
        return held.accessToken;
      } catch (error) {
        // The caller that started the renewal was aborted; this one was not.
        if (shared.signal === signal || shared.signal?.aborted !== true) throw error;
      }
    }
  };

  return {
    async current(signal) {
      return isFresh(held) ? held.accessToken : renewOnce(held.accessToken, signal);
    },
    async renewed(rejected, signal) {
      return held.accessToken === rejected ? renewOnce(rejected, signal) : held.accessToken;
    },
  };
}

interface Renewal {
  readonly login: Promise<Login>;
  readonly signal: AbortSignal | undefined;
}

async function refreshed(
  server: AuthorizationServer,
  login: Login,
  { nowMs, signal }: { readonly nowMs: () => number; readonly signal: AbortSignal | undefined },
): Promise<Login> {
  const tokens = login.refreshToken === null ? undefined : await server.refresh(login.refreshToken, signal);
  if (tokens === undefined) throw mustLogIn(login.user);
  return { ...login, ...grantedLogin(tokens, { nowMs: nowMs(), before: login }) };
}

const mustLogIn = (user: string): SlotstreamError =>
  new SlotstreamError('refused', `The login of ${user} has ended: it was revoked, replaced or unused for too long.`, {
    hint: `Log in again: ${slotstream} login`,
  });

function find(logins: readonly Login[], { user, application: { clientId, authUrl } }: SessionInput): Login {
  const found = logins.find((login) => login.user === user && login.clientId === clientId && login.authUrl === authUrl);
  if (found === undefined) throw mustLogIn(user);
  return found;
}

// The access token of one login, renewed before it expires or when it is refused: once, however many ask at the same time,
// in this process and in others.
import { SlotstreamError } from '#src/base/errors.ts';
import type { TokenSource } from '#src/upstream/client.ts';
import {
  discover,
  OAuthRefusal,
  type AuthorizationServer,
  type OAuthApplication,
  type OAuthNeeds,
} from './authorization-server.ts';
import { stopIfAsked } from '#src/upstream/abort.ts';
import { loginOf } from './grant.ts';
import { readLogins, withLogins, type Login } from './token-file.ts';

export interface SessionInput {
  readonly dataDir: string;
  readonly application: OAuthApplication;
  /** The URI of the user who logged in. */
  readonly user: string;
}

/** A token this close to its end might end on the way. */
const marginMs = 60_000;

/**
 *   fresh ──a minute before its end, or 401──▶ renewing ──▶ fresh
 *                                                 └─ invalid_grant ──▶ the user must log in again
 */
export function openSession(needs: OAuthNeeds, input: SessionInput): TokenSource {
  let renewing: Renewing | undefined;
  let known: Promise<AuthorizationServer> | undefined;
  let held = stored(input);

  const isFresh = ({ expiresAtMs }: Login): boolean => expiresAtMs === null || expiresAtMs - marginMs > needs.nowMs();
  const discovered = (signal: AbortSignal | undefined): Promise<AuthorizationServer> => {
    known ??= discover(needs, input.application, signal).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };

  /** Whoever holds the lock looks again first: another process may just have renewed it, and the old token works once only. */
  const renew = (spent: string, signal: AbortSignal | undefined): Promise<Login> =>
    withLogins(needs, { dataDir: input.dataDir, signal }, async (logins, save) => {
      const login = find(logins, input);
      if (login.accessToken !== spent && isFresh(login)) return login;
      const server = await discovered(signal);
      // Written as it is, before the old token is spent: a full disk is found while there is still something to lose.
      save(login);
      const next = await refreshed(server, login, { nowMs: needs.nowMs, signal });
      save(next);
      return next;
    });

  const renewOnce = async (spent: string, signal: AbortSignal | undefined): Promise<string> => {
    for (;;) {
      stopIfAsked(signal);
      renewing ??= { login: renew(spent, signal).finally(() => (renewing = undefined)), signal };
      const shared = renewing;
      try {
        held = await shared.login;
        return held.accessToken;
      } catch (error) {
        // Whoever began it was told to stop; we were not.
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

interface Renewing {
  readonly login: Promise<Login>;
  /** Of whoever began it. */
  readonly signal: AbortSignal | undefined;
}

async function refreshed(
  server: AuthorizationServer,
  login: Login,
  { nowMs, signal }: { readonly nowMs: () => number; readonly signal: AbortSignal | undefined },
): Promise<Login> {
  if (login.refreshToken === null) throw mustLogIn(login.user);
  try {
    const answer = await server.trade({ grant_type: 'refresh_token', refresh_token: login.refreshToken }, signal);
    return { ...login, ...loginOf(answer, { nowMs: nowMs(), before: login }) };
  } catch (error) {
    throw error instanceof OAuthRefusal && error.reason === 'invalid_grant' ? mustLogIn(login.user) : error;
  }
}

const mustLogIn = (user: string): SlotstreamError =>
  new SlotstreamError('refused', `The login of ${user} has ended: it was revoked, replaced or unused for too long.`, {
    hint: 'log in again: npx slotstream login',
  });

const stored = (input: SessionInput): Login => find(readLogins(input.dataDir), input);

function find(logins: readonly Login[], { user, application: { clientId, authUrl } }: SessionInput): Login {
  const found = logins.find((login) => login.user === user && login.clientId === clientId && login.authUrl === authUrl);
  if (found === undefined) throw mustLogIn(user);
  return found;
}

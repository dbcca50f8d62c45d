// The access token of one login, renewed before it expires or when it is refused: once, however many ask at the same time,
// in this process and in others.
import { SlotstreamError } from '../../errors.ts';
import type { TokenSource } from '../client.ts';
import {
  discover,
  OAuthRefusal,
  type AuthorizationServer,
  type OAuthApplication,
  type OAuthNeeds,
} from './authorization-server.ts';
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
  let renewing: Promise<Login> | undefined;
  let known: Promise<AuthorizationServer> | undefined;
  let held = stored(input);

  const isFresh = ({ expiresAtMs }: Login): boolean => expiresAtMs === null || expiresAtMs - marginMs > needs.nowMs();
  const discovered = (): Promise<AuthorizationServer> => {
    known ??= discover(needs, input.application).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };

  /** Whoever holds the lock looks again first: another process may just have renewed it, and the old token works once only. */
  const renew = (spent: string): Promise<Login> =>
    withLogins(needs, input.dataDir, async (logins, save) => {
      const login = find(logins, input);
      if (login.accessToken !== spent && isFresh(login)) return login;
      const server = await discovered();
      // Written as it is, before the old token is spent: a full disk is found while there is still something to lose.
      save(login);
      const next = await refreshed(server, login, needs.nowMs);
      save(next);
      return next;
    });

  const renewOnce = async (spent: string): Promise<string> => {
    renewing ??= renew(spent).finally(() => (renewing = undefined));
    held = await renewing;
    return held.accessToken;
  };

  return {
    async current() {
      return isFresh(held) ? held.accessToken : renewOnce(held.accessToken);
    },
    async renewed(rejected) {
      return held.accessToken === rejected ? renewOnce(rejected) : held.accessToken;
    },
  };
}

async function refreshed(server: AuthorizationServer, login: Login, nowMs: () => number): Promise<Login> {
  if (login.refreshToken === null) throw mustLogIn(login.user);
  try {
    const answer = await server.trade({ grant_type: 'refresh_token', refresh_token: login.refreshToken });
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

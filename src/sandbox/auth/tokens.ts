// Bearer tokens of both kinds, and the users they authenticate.
import { createHash } from 'node:crypto';
import type { ApiScope } from '#schemas/api-scope.ts';
import type { Caller } from '#src/sandbox/api/service-operation.ts';
import { unauthenticated } from '#src/http/http-error.ts';
import type { Service } from '#src/sandbox/world/service.ts';

export interface Grant {
  readonly kind: 'personal' | 'oauth';
  readonly user: string;
  readonly scopes: readonly ApiScope[];
  /** Personal access tokens do not expire. */
  readonly expiresMs?: number;
}

export interface Tokens {
  /** The same seed and name give the same personal access token. */
  personal(name: string, grant: Pick<Grant, 'user' | 'scopes'>): string;
  add(token: string, grant: Grant): void;
  revoke(token: string): void;
  /** The caller an `Authorization` header authenticates; throws a 401. */
  callerOf(authorization: string | undefined): Caller;
}

export function createTokens({ state, clock, options }: Service): Tokens {
  // Stored and looked up by their hash, so that the time of a lookup reveals nothing about a guess.
  const grants = new Map<string, Grant>();
  const add: Tokens['add'] = (token, grant) => void grants.set(sha256Hex(token), grant);
  return {
    personal(name, grant) {
      const token = `pat_${name}_${sha256Hex(`${options.seed} ${name}`).slice(0, 32)}`;
      add(token, { kind: 'personal', ...grant });
      return token;
    },
    add,
    revoke: (token) => void grants.delete(sha256Hex(token)),
    callerOf(authorization) {
      const grant = grants.get(sha256Hex(tokenOf(authorization)));
      if (grant === undefined) throw unauthenticated('The token is unknown.');
      if (grant.expiresMs !== undefined && grant.expiresMs <= clock.nowMs())
        throw unauthenticated('The token has expired.');
      const user = state.users.get(grant.user);
      const organization = user && state.organizations.get(user.current_organization);
      const membership = user && state.memberships.of('user', user.uri)[0];
      if (user === undefined || organization === undefined || membership === undefined)
        throw unauthenticated('The user of this token does not exist.');
      return { user, organization, role: membership.role, scopes: grant.scopes };
    },
  };
}

/** RFC 6750: the scheme in any case, and one `b64token`. */
const bearer = /^Bearer +([\w.~+/-]{1,512}={0,2})$/i;

function tokenOf(authorization: string | undefined): string {
  const token = bearer.exec(authorization ?? '')?.[1];
  if (token === undefined) throw unauthenticated('Send the header Authorization: Bearer <token>.');
  return token;
}

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** As text, for looking things up by. */
export const sha256Hex = (text: string): string => sha256(text).toString('hex');

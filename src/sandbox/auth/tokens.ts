// Bearer tokens of both kinds, and who they speak for.
import { createHash } from 'node:crypto';
import type { ApiScope } from '#schemas/api-scope.ts';
import type { Caller } from '../api/operation.ts';
import { unauthenticated } from '../refusal.ts';
import type { Service } from '../world/service.ts';

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
  /** Who an `Authorization` header speaks for; throws a refusal. */
  callerOf(authorization: string | undefined): Caller;
}

export function createTokens({ state, clock, options }: Service): Tokens {
  const grants = new Map<string, Grant>();
  return {
    personal(name, grant) {
      const token = `pat_${name}_${createHash('sha256').update(`${options.seed} ${name}`).digest('hex').slice(0, 32)}`;
      grants.set(token, { kind: 'personal', ...grant });
      return token;
    },
    add: (token, grant) => void grants.set(token, grant),
    revoke: (token) => void grants.delete(token),
    callerOf(authorization) {
      const token = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(authorization ?? '')?.[1];
      if (token === undefined) throw unauthenticated('Send the header Authorization: Bearer <token>.');
      const grant = grants.get(token);
      if (grant === undefined) throw unauthenticated('The token is not known here.');
      if (grant.expiresMs !== undefined && grant.expiresMs <= clock.nowMs())
        throw unauthenticated('The token has expired.');
      const user = state.users.get(grant.user);
      const organization = user && state.organizations.get(user.current_organization);
      const membership = user && state.memberships.of('user', user.uri)[0];
      if (user === undefined || organization === undefined || membership === undefined)
        throw unauthenticated('The user of this token is gone.');
      return { user, organization, role: membership.role, scopes: grant.scopes };
    },
  };
}

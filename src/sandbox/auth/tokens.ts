// Tokens: bearer tokens of both kinds and the users they authenticate, and what follows from a user's consent: an authorization
// code, valid for one minute and one exchange, and then a token family. Each refresh token of a family works once and returns the
// next one; one that is used twice may be stolen, so the whole family is revoked.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ApiScope } from '#schemas/api-scope.ts';
import type { Caller } from '#src/sandbox/api/service-operation.ts';
import { unauthenticated } from '#src/http/http-error.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import { oauthLifetimes } from '#schemas/oauth.ts';
import { dayMs, secondMs, type Clock } from '#src/sandbox/clock.ts';

export interface Grant {
  readonly kind: 'personal' | 'oauth';
  readonly user: string;
  readonly scopes: readonly ApiScope[];
  /** Personal access tokens do not expire. */
  readonly expiresMs?: number;
  /** The OAuth client that it was given to. */
  readonly client?: string;
}

export type Tokens = ReturnType<typeof createTokens>;

export function createTokens({ state, clock, options }: Service) {
  // Stored and looked up by their hash, so that the time of a lookup reveals nothing about a guess.
  const grants = new Map<string, Grant>();
  const add = (token: string, grant: Grant): void => void grants.set(sha256Hex(token), grant);
  return {
    /** The same seed and name give the same personal access token. */
    personal(name: string, grant: Pick<Grant, 'user' | 'scopes'>): string {
      const token = `pat_${name}_${sha256Hex(`${options.seed} ${name}`).slice(0, 32)}`;
      add(token, { kind: 'personal', ...grant });
      return token;
    },
    add,
    revoke: (token: string) => void grants.delete(sha256Hex(token)),
    /** What a token was given for. It may have expired. */
    grantOf: (token: string): Grant | undefined => grants.get(sha256Hex(token)),
    /** The caller an `Authorization` header authenticates; throws a 401. */
    callerOf(authorization: string | undefined): Caller {
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

export const sha256Hex = (text: string): string => sha256(text).toString('hex');

interface Consent {
  readonly client: string;
  readonly user: string;
  readonly scopes: readonly ApiScope[];
}

export interface Approval extends Consent {
  readonly redirectUri: string;
  /** PKCE: the SHA-256 of the verifier, base64url; undefined for a confidential client without PKCE. */
  readonly challenge: string | undefined;
}

export type Codes = ReturnType<typeof createCodes>;

/** The oldest are dropped first, so that the memory stays bounded. */
const mostCodes = 5000;

export function createCodes(clock: Pick<Clock, 'nowMs'>) {
  const issued = new Map<string, Approval & { readonly expiresMs: number; readonly family?: string }>();
  return {
    issue(approval: Approval): string {
      const code = randomBytes(32).toString('base64url');
      issued.set(sha256Hex(code), { ...approval, expiresMs: clock.nowMs() + oauthLifetimes.codeSeconds * secondMs });
      const [oldest] = issued.keys();
      if (issued.size > mostCodes && oldest !== undefined) issued.delete(oldest);
      return code;
    },
    find(code: string) {
      const found = issued.get(sha256Hex(code));
      return found && { ...found, isExpired: found.expiresMs <= clock.nowMs() };
    },
    /** Records the token family the code was exchanged for: a second use of the code revokes it. */
    spend(code: string, family: string): void {
      const found = issued.get(sha256Hex(code));
      if (found !== undefined) issued.set(sha256Hex(code), { ...found, family });
    },
  };
}

export interface Pair {
  readonly family: string;
  readonly access: string;
  readonly refresh: string;
  readonly scopes: readonly ApiScope[];
}

export interface Family extends Consent {
  readonly id: string;
  /** How often it was refreshed: the valid refresh token carries this number. */
  readonly generation: number;
  readonly expiresMs: number;
  readonly access: readonly string[];
}

export type Families = ReturnType<typeof createFamilies>;

/** The families unused for longest and the oldest access tokens are dropped first, so that the memory stays bounded. */
const mostFamilies = 5000;
const mostAccessTokens = 10;

export function createFamilies(clock: Pick<Clock, 'nowMs'>, tokens: Tokens) {
  const families = new Map<string, Family>();
  const key = randomBytes(32);

  /** A refresh token contains its family and generation with a MAC: used and forged tokens are distinguished without a list. */
  function writeRefresh({ id, generation }: Pick<Family, 'id' | 'generation'>): string {
    const text = `${id}.${generation}`;
    return `ort_${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  }
  function readRefresh(token: string): Pick<Family, 'id' | 'generation'> | undefined {
    const [, id = '', generation] = /^ort_([\w-]{22})\.(\d{1,15})\.[\w-]{43}$/.exec(token) ?? [];
    const read = { id, generation: Number(generation) };
    const made = writeRefresh(read);
    const isReal = made.length === token.length && timingSafeEqual(Buffer.from(made), Buffer.from(token));
    return isReal ? read : undefined;
  }

  function end(id: string): void {
    for (const token of families.get(id)?.access ?? []) tokens.revoke(token);
    families.delete(id);
  }

  function grow(family: Family, scopes: readonly ApiScope[]): Pair {
    const access = `oat_${randomBytes(32).toString('base64url')}`;
    const nowMs = clock.nowMs();
    const expiresMs = nowMs + oauthLifetimes.accessSeconds * secondMs;
    tokens.add(access, { kind: 'oauth', user: family.user, scopes, expiresMs, client: family.client });
    const live = [...family.access, access];
    for (const token of live.splice(0, live.length - mostAccessTokens)) tokens.revoke(token);
    families.delete(family.id);
    families.set(family.id, { ...family, access: live, expiresMs: nowMs + oauthLifetimes.refreshDays * dayMs });
    const [idle] = families.keys();
    if (families.size > mostFamilies && idle !== undefined) end(idle);
    return { family: family.id, access, refresh: writeRefresh(family), scopes };
  }

  return {
    begin({ client, user, scopes }: Consent): Pair {
      const id = randomBytes(16).toString('base64url');
      return grow({ id, client, user, scopes, generation: 0, expiresMs: 0, access: [] }, scopes);
    },
    /** Undefined when the token is forged, expired, of another client, revoked, or used before; the last revokes its family. */
    find(refresh: string, client: string): Family | undefined {
      const read = readRefresh(refresh);
      const family = read && families.get(read.id);
      if (family?.client !== client || family.expiresMs <= clock.nowMs()) return undefined;
      if (read?.generation === family.generation) return family;
      end(family.id);
      return undefined;
    },
    /** The family whose valid refresh token this is. Nothing happens to a used one. */
    peek(refresh: string): Family | undefined {
      const read = readRefresh(refresh);
      const family = read && families.get(read.id);
      return family?.generation === read?.generation ? family : undefined;
    },
    /** Replaces the refresh token given to `find`; an access token may have fewer scopes than its family. */
    renew: (family: Family, scopes: readonly ApiScope[]): Pair =>
      grow({ ...family, generation: family.generation + 1 }, scopes),
    end,
    /** Revokes a token of either kind; a refresh token revokes its family. */
    revoke(token: string): void {
      const read = readRefresh(token);
      if (read !== undefined) end(read.id);
      // Personal access tokens cannot be revoked here.
      if (token.startsWith('oat_')) tokens.revoke(token);
    },
  };
}

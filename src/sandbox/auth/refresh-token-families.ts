// Token families: all tokens of one approval. Each refresh token works once and returns the next one; a refresh token that is used
// twice may be stolen, so the whole family is revoked.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ApiScope } from '#schemas/api-scope.ts';
import { oauthLifetimes } from '#schemas/oauth.ts';
import { dayMs, secondMs, type Clock } from '#src/sandbox/clock.ts';
import type { Approval } from './codes.ts';
import type { Tokens } from './tokens.ts';

export interface Pair {
  readonly family: string;
  readonly access: string;
  readonly refresh: string;
  readonly scopes: readonly ApiScope[];
}

export interface Families {
  begin(approval: Pick<Approval, 'client' | 'user' | 'scopes'>): Pair;
  /** Undefined when the token is forged, expired, of another client, revoked, or used before; the last revokes its family. */
  find(refresh: string, client: string): Family | undefined;
  /** Replaces the refresh token given to `find`; an access token may have fewer scopes than its family. */
  renew(family: Family, scopes: readonly ApiScope[]): Pair;
  /** Revokes every token of the family. */
  end(id: string): void;
  /** Revokes a token of either kind; a refresh token revokes its family. */
  revoke(token: string): void;
}

export interface Family extends Pick<Approval, 'client' | 'user' | 'scopes'> {
  readonly id: string;
  /** How often it was refreshed: the valid refresh token carries this number. */
  readonly generation: number;
  readonly expiresMs: number;
  readonly access: readonly string[];
}

/** The families unused for longest and the oldest access tokens are dropped first, so that the memory stays bounded. */
const mostFamilies = 5000;
const mostAccessTokens = 10;

export function createFamilies(clock: Pick<Clock, 'nowMs'>, tokens: Tokens): Families {
  const families = new Map<string, Family>();
  const signs = createSigns();

  function end(id: string): void {
    for (const token of families.get(id)?.access ?? []) tokens.revoke(token);
    families.delete(id);
  }

  function grow(family: Family, scopes: readonly ApiScope[]): Pair {
    const access = `oat_${randomBytes(32).toString('base64url')}`;
    const nowMs = clock.nowMs();
    const expiresMs = nowMs + oauthLifetimes.accessSeconds * secondMs;
    tokens.add(access, { kind: 'oauth', user: family.user, scopes, expiresMs });
    const live = [...family.access, access];
    for (const token of live.splice(0, live.length - mostAccessTokens)) tokens.revoke(token);
    families.delete(family.id);
    families.set(family.id, { ...family, access: live, expiresMs: nowMs + oauthLifetimes.refreshDays * dayMs });
    const [idle] = families.keys();
    if (families.size > mostFamilies && idle !== undefined) end(idle);
    return { family: family.id, access, refresh: signs.write(family), scopes };
  }

  return {
    begin({ client, user, scopes }) {
      const id = randomBytes(16).toString('base64url');
      return grow({ id, client, user, scopes, generation: 0, expiresMs: 0, access: [] }, scopes);
    },
    find(refresh, client) {
      const read = signs.read(refresh);
      const family = read && families.get(read.id);
      if (family?.client !== client || family.expiresMs <= clock.nowMs()) return undefined;
      if (read?.generation === family.generation) return family;
      end(family.id);
      return undefined;
    },
    renew: (family, scopes) => grow({ ...family, generation: family.generation + 1 }, scopes),
    end,
    revoke(token) {
      const read = signs.read(token);
      if (read !== undefined) end(read.id);
      // Personal access tokens cannot be revoked here.
      if (token.startsWith('oat_')) tokens.revoke(token);
    },
  };
}

type Sign = Pick<Family, 'id' | 'generation'>;

/** A refresh token contains its family and generation with a MAC: used and forged tokens are distinguished without a list. */
function createSigns(): { write(sign: Sign): string; read(token: string): Sign | undefined } {
  const key = randomBytes(32);
  const sealOf = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  return {
    write: ({ id, generation }) => `ort_${id}.${generation}.${sealOf(`${id}.${generation}`)}`,
    read(token) {
      const [, id, generation, seal] = /^ort_([\w-]{22})\.(\d{1,15})\.([\w-]{43})$/.exec(token) ?? [];
      if (id === undefined || generation === undefined || seal === undefined) return undefined;
      const isReal = timingSafeEqual(Buffer.from(seal), Buffer.from(sealOf(`${id}.${generation}`)));
      return isReal ? { id, generation: Number(generation) } : undefined;
    },
  };
}

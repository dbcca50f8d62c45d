// Families of tokens: all that came of one approval. Each refresh token works once and brings the next; one that comes back
// after its use was stolen, from the client or by it, so the whole family ends.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ApiScope } from '#schemas/api-scope.ts';
import { oauthLifetimes } from '#schemas/oauth.ts';
import { dayMs, secondMs } from '#src/sandbox/clock.ts';
import type { Clock } from '#src/sandbox/clock.ts';
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
  /** Undefined when the token is forged, expired, of another client, revoked, or was used before: the last ends its family. */
  find(refresh: string, client: string): Family | undefined;
  /** Spends the refresh token that `find` was given; an access token may have fewer scopes than its family. */
  renew(family: Family, scopes: readonly ApiScope[]): Pair;
  /** Takes back every token of the family. */
  end(id: string): void;
  /** Whichever kind it is: a refresh token ends its family. */
  revoke(token: string): void;
}

export interface Family extends Pick<Approval, 'client' | 'user' | 'scopes'> {
  readonly id: string;
  /** How often it was renewed: the one refresh token that works carries this number. */
  readonly generation: number;
  readonly expiresMs: number;
  readonly access: readonly string[];
}

/** Families unused for longest end first, and so do the oldest access tokens of one: nobody can fill the memory. */
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
    const kept = [...family.access, access];
    for (const token of kept.splice(0, kept.length - mostAccessTokens)) tokens.revoke(token);
    families.delete(family.id);
    families.set(family.id, { ...family, access: kept, expiresMs: nowMs + oauthLifetimes.refreshDays * dayMs });
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
      // Personal access tokens are not this server's to revoke.
      if (token.startsWith('oat_')) tokens.revoke(token);
    },
  };
}

type Sign = Pick<Family, 'id' | 'generation'>;

/** A refresh token names its family and generation under a seal: a used one is told from a forged one without a list of all. */
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

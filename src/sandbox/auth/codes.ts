// Authorization codes: valid for one minute and one exchange.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { ApiScope } from '#schemas/api-scope.ts';
import { oauthLifetimes } from '#schemas/oauth.ts';
import type { Clock } from '#src/sandbox/clock.ts';
import { sha256, sha256Hex } from './tokens.ts';

export interface Approval {
  readonly client: string;
  readonly user: string;
  readonly scopes: readonly ApiScope[];
  readonly redirectUri: string;
  /** PKCE: the SHA-256 of the verifier, base64url; undefined for a confidential client without PKCE. */
  readonly challenge: string | undefined;
}

export interface Codes {
  issue(approval: Approval): string;
  find(code: string): IssuedCode | undefined;
  /** Records the token family the code was exchanged for: a second use of the code revokes it. */
  spend(code: string, family: string): void;
}

export interface IssuedCode extends Approval {
  readonly isExpired: boolean;
  readonly family: string | undefined;
}

/** The oldest are dropped first, so that the memory stays bounded. */
const mostCodes = 5000;

export function createCodes(clock: Pick<Clock, 'nowMs'>): Codes {
  const issued = new Map<string, Approval & { readonly expiresMs: number; readonly family?: string }>();
  return {
    issue(approval) {
      const code = randomBytes(32).toString('base64url');
      issued.set(sha256Hex(code), { ...approval, expiresMs: clock.nowMs() + oauthLifetimes.codeSeconds * 1000 });
      const [oldest] = issued.keys();
      if (issued.size > mostCodes && oldest !== undefined) issued.delete(oldest);
      return code;
    },
    find(code) {
      const found = issued.get(sha256Hex(code));
      return found && { ...found, isExpired: found.expiresMs <= clock.nowMs(), family: found.family };
    },
    spend(code, family) {
      const found = issued.get(sha256Hex(code));
      if (found !== undefined) issued.set(sha256Hex(code), { ...found, family });
    },
  };
}

const verifierForm = /^[\w.~-]{43,128}$/;

/** RFC 7636, S256. A verifier without a challenge is refused: an attacker may have removed the challenge from the request. */
export function provesChallenge(verifier: string | undefined, challenge: string | undefined): boolean {
  if (verifier === undefined || challenge === undefined) return verifier === challenge;
  const made = Buffer.from(sha256(verifier).toString('base64url'));
  const asked = Buffer.from(challenge);
  return verifierForm.test(verifier) && made.length === asked.length && timingSafeEqual(made, asked);
}

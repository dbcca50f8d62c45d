// Sessions of browsers that logged in: a signed cookie that does not contain the token. Nothing is stored, and a
// new token ends every session.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** `expired`: it was issued here; `forged`: it was not. */
export type SessionState = 'valid' | 'expired' | 'forged';

export interface Sessions {
  open(): string;
  stateOf(value: string): SessionState;
}

/** A working day: long enough for its user, short enough for a laptop left unlocked. */
export const sessionSeconds = 12 * 3600;

export function createSessions(token: string, { clock }: { clock(): number }): Sessions {
  // A separate key: the key that signs page tokens must not be able to sign a session.
  const key = createHmac('sha256', token).update('slotstream admin session').digest();
  const macOf = (expiry: string): string => createHmac('sha256', key).update(expiry).digest('base64url');
  return {
    open() {
      const expiry = String(Math.floor(clock() / 1000) + sessionSeconds);
      return `${expiry}.${macOf(expiry)}`;
    },
    stateOf(value) {
      const [, expiry, mac] = /^(\d{1,12})\.([\w-]{43})$/.exec(value) ?? [];
      if (expiry === undefined || mac === undefined) return 'forged';
      if (!timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(expiry)))) return 'forged';
      return Number(expiry) * 1000 > clock() ? 'valid' : 'expired';
    },
  };
}

// Sessions of people who came by the login link: a cookie that proves the token was known without telling it. Nothing is
// stored: whoever changes the token ends every session.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** `expired` was ours once; `forged` never was. */
export type SessionState = 'valid' | 'expired' | 'forged';

export interface Sessions {
  /** The value of a new session's cookie. */
  open(): string;
  stateOf(value: string): SessionState;
}

/** A working day: long enough not to be in the way, short enough for a laptop left behind. */
export const sessionSeconds = 12 * 3600;

export function createSessions(token: string, { clock }: { clock(): number }): Sessions {
  // A key of its own: what signs page tokens must never make a session.
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

// One-time codes of login links: nothing that stays valid gets into the history of a browser. A code is valid in the process that
// made it, and ends with it.
import { randomBytes } from 'node:crypto';
import { minuteMs } from '#src/base/time.ts';

export interface LoginCodes {
  make(validMs?: number): string;
  /** Whether the code was valid; it is not any more. */
  use(code: string): boolean;
}

export function createLoginCodes({ clock }: { clock(): number }): LoginCodes {
  const expiries = new Map<string, number>();
  return {
    make(validMs = minuteMs) {
      for (const [code, expiry] of expiries) if (expiry <= clock()) expiries.delete(code);
      const code = randomBytes(16).toString('base64url');
      expiries.set(code, clock() + validMs);
      return code;
    },
    use(code) {
      const expiry = expiries.get(code) ?? 0;
      expiries.delete(code);
      return expiry > clock();
    },
  };
}

/** A link that logs a browser in once. It may be printed to a terminal, never to a log. */
export const loginLink = (url: string, code: string): string => `${url}/?login=${code}`;

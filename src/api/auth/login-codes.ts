// One-time codes of login links: nothing that stays valid gets into the history of a browser. A code is valid in the process that
// made it, and ends with it.
import { randomBytes } from 'node:crypto';
import { minuteMs } from '#src/base/time.ts';

export interface LoginCode {
  readonly expiryMs: number;
  readonly isReadOnly: boolean;
}

export interface LoginCodes {
  make(options?: { readonly validMs?: number; readonly isReadOnly?: boolean }): string;
  isValid(code: string): boolean;
  /** Undefined when the code is not valid; it is not any more, once it was used. */
  use(code: string): LoginCode | undefined;
}

export function createLoginCodes({ clock }: { clock(): number }): LoginCodes {
  const codes = new Map<string, LoginCode>();
  const isValid = (code: string): boolean => (codes.get(code)?.expiryMs ?? 0) > clock();
  return {
    make({ validMs = minuteMs, isReadOnly = false } = {}) {
      for (const code of codes.keys()) if (!isValid(code)) codes.delete(code);
      const code = randomBytes(16).toString('base64url');
      codes.set(code, { expiryMs: clock() + validMs, isReadOnly });
      return code;
    },
    isValid,
    use(code) {
      const found = isValid(code) ? codes.get(code) : undefined;
      codes.delete(code);
      return found;
    },
  };
}

/** A link that logs a browser in once. It may be printed to a terminal, never to a log. */
export const loginLink = (url: string, code: string): string => `${url}/?login=${code}`;

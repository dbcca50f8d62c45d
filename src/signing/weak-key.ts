// Which signing keys are refused: by the mirror and by programs that verify deliveries themselves.
import { placeholder } from '#src/base/placeholder.ts';

const minBytes = 16;

export interface WeakKey {
  /** Continues "A signing key …", and never has the key. */
  readonly problem: string;
  readonly hint: string;
}

/** Undefined where every key may be used, and there is one. */
export function weakKeyIn(keys: readonly string[]): WeakKey | undefined {
  if (keys.length === 0 || keys.some((key) => key.trim() === ''))
    return {
      problem: 'is blank',
      hint: 'Give one key, or several separated by commas; 32 random bytes are good: openssl rand -base64 32',
    };
  if (keys.some((key) => /^whsec_(?![A-Za-z0-9+/]+={0,2}$)/.test(key)))
    return {
      problem: 'begins with whsec_ and is not base64 after it',
      hint: 'Copy the whole secret again, as the service shows it.',
    };
  if (keys.some((key) => secretBytes(key) < minBytes))
    return {
      problem: `is shorter than ${minBytes} bytes`,
      hint: 'Use at least 24 random bytes: openssl rand -base64 32',
    };
  if (keys.some((key) => placeholder.test(key)))
    return {
      problem: 'has the value of an example, which everybody knows',
      hint: 'Give it one of your own: openssl rand -base64 32',
    };
  return undefined;
}

/** The length of the secret itself: a `whsec_` key is its base64. */
export function secretBytes(key: string): number {
  return key.startsWith('whsec_') ? Buffer.from(key.slice('whsec_'.length), 'base64').length : Buffer.byteLength(key);
}

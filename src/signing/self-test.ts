// The self-test: a signed request that no receiver stores. `bootstrap` and `doctor` send it to the public URL, and the receiver proves
// in its response that it has the same signing key.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/**
 * The service never sends these bytes. Every version of the receiver responds to them without queueing, so they never change: the
 * nonce is in a header.
 */
export const selfTestBody = Buffer.from('{"event":"slotstream.self_test"}');
export const selfTestTitle = 'Self-Test';
export const nonceHeader = 'slotstream-nonce';

/** Call it only with a verified body. */
export function isSelfTest(body: Buffer): boolean {
  return body.length === selfTestBody.length && body.equals(selfTestBody);
}

/** 32 random bytes in base64url. */
const nonceForm = /^[A-Za-z0-9_-]{43}$/;

/**
 * The proof of a receiver for one nonce; undefined for what is no nonce. Its key is derived from the signing key and used for nothing
 * else (D69): with the signing key itself, the receiver would sign texts that strangers choose.
 */
export function proofOf(key: string, nonce: string): string | undefined {
  if (!nonceForm.test(nonce)) return undefined;
  const derived = hkdfSync('sha256', key, '', 'slotstream self-test proof', 32);
  return createHmac('sha256', Buffer.from(derived)).update(nonce).digest('base64url');
}

export function isProof(proof: unknown, { key, nonce }: { readonly key: string; readonly nonce: string }): boolean {
  const expected = proofOf(key, nonce);
  if (typeof proof !== 'string' || expected === undefined || proof.length !== expected.length) return false;
  const [given, wanted] = [Buffer.from(proof), Buffer.from(expected)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

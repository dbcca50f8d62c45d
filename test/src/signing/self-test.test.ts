// The bytes of the self-test, and the proof that a receiver gives in its response.
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { isProof, isSelfTest, proofOf, selfTestBody } from '#src/signing/self-test.ts';
import { signDelivery } from '#src/signing/signature.ts';

const key = 'a-signing-key-of-at-least-24-bytes';
const nonce = Buffer.alloc(32, 7).toString('base64url');

it('the self-test delivery is recognized by its bytes, and nothing that only looks like it', () => {
  const text = selfTestBody.toString();
  expect(isSelfTest(Buffer.from(text))).toBe(true);
  for (const other of [`${text} `, text.replace(':', ': '), text.replace('self_test', 'self_tesT'), ''])
    expect([other, isSelfTest(Buffer.from(other))]).toEqual([other, false]);
});

it('is the same bytes in every version, so that no version takes it for a delivery (A25)', () => {
  expect(selfTestBody.toString()).toBe('{"event":"slotstream.self_test"}');
});

it('is proven for one key and one nonce, with a key that is derived for that alone (A25)', () => {
  // Computed by another program: HKDF-SHA256 without salt, then HMAC-SHA256 over the nonce.
  const prk = createHmac('sha256', Buffer.alloc(32)).update(key).digest();
  const derived = createHmac('sha256', prk).update('slotstream self-test proof\u0001').digest();
  const proof = createHmac('sha256', derived).update(nonce).digest('base64url');
  expect(proofOf(key, nonce)).toBe(proof);
  expect(isProof(proof, { key, nonce })).toBe(true);
  const other = Buffer.alloc(32, 8).toString('base64url');
  expect(isProof(proof, { key, nonce: other })).toBe(false);
  expect(isProof(proof, { key: `${key}!`, nonce })).toBe(false);
  for (const wrong of [undefined, null, '', 'é'.repeat(43), proof.slice(1), `${proof}=`, [proof]])
    expect([wrong, isProof(wrong, { key, nonce })]).toEqual([wrong, false]);
});

it('is never proven for a text that could be signed as a delivery, and no proof is a signature (A25)', () => {
  const deliveries = ['', '1.{}', `1790000000.${selfTestBody.toString()}`, `${nonce}.`, `${nonce.slice(1)}=`];
  for (const text of deliveries) expect([text, proofOf(key, text)]).toEqual([text, undefined]);
  const body = Buffer.from(nonce);
  const signed = signDelivery({ scheme: 'timestamped', headerName: 'h', key, body, atSeconds: 1, id: '' })['h'];
  const hex = Buffer.from(proofOf(key, nonce) ?? '', 'base64url').toString('hex');
  expect(signed).not.toContain(hex);
  expect(createHmac('sha256', key).update(nonce).digest('hex')).not.toBe(hex);
});

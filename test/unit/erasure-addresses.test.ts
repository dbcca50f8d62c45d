// Addresses in text: found however they are written, and told from each other.
import { describe, expect, it } from 'vitest';
import { addressesIn, addressHash, isAddress } from '#workers/erasure/addresses.ts';
import { targetOf } from '#workers/erasure/target.ts';

const address = "o'neil+news@example.co.test";
const key = 'k'.repeat(64);

describe('an address', () => {
  it.each([
    address,
    address.toUpperCase(),
    `O'Neil <${address}>`,
    `mailto:${address}`,
    `Write to ${address}.`,
    `${address}.Then call.`,
    `https://example.test/?email=${address}&x=1`,
    `https://example.test/?email=${encodeURIComponent(address)}`,
    `"${address}";others@example.test`,
  ])('is found in %s', (text) => {
    expect([...addressesIn(text)].map((found) => addressHash(key, found))).toContain(addressHash(key, address));
  });

  it.each(['neil+news@example.co.test', "o'neil@example.co.test", "xo'neil+news@example.co.test", 'no address'])(
    'is not found in %s',
    (text) => {
      const found = [...addressesIn(text)].map((each) => addressHash(key, each));
      expect(found).not.toContain(addressHash(key, address));
    },
  );

  it('is the same in both ways to write an accent', () => {
    expect(addressHash(key, 'zo\u00eb@example.test')).toBe(addressHash(key, 'ZOE\u0308@example.test'));
    expect(addressHash(key, address)).not.toBe(addressHash('l'.repeat(64), address));
  });

  it('is looked for in hostile text without taking long steps', () => {
    const found = [...addressesIn('a=b|c'.repeat(200_000) + '@x'.repeat(100))];
    expect(found.length).toBeLessThan(10_000);
  });
});

describe('whom to erase', () => {
  it('is a URI or an address, and nothing else', () => {
    expect(targetOf(' https://api.example.test/contacts/1 ')).toMatchObject({ kind: 'uri' });
    expect(targetOf(address)).toMatchObject({ kind: 'address' });
    for (const wrong of ['', 'ada', 'a@b@c', 'ada @example.test', 'ftp://example.test/1'])
      expect(() => targetOf(wrong)).toThrow(expect.objectContaining({ code: 'usage' }));
    expect(isAddress('a@b')).toBe(true);
  });
});

// Addresses in text: found however they are written, and distinguished from each other.
import { describe, expect, it } from 'vitest';
import { addressesIn, addressHash, isAddress } from '#workers/fold/privacy/addresses.ts';
import { erasedAddress, erasuresOf } from '#workers/fold/privacy/erasure-index.ts';
import { targetOf } from '#workers/fold/privacy/target.ts';

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
    `https://example.test/?email=${address.replace('+', '%2B')}`,
    `https://example.test/?to=${encodeURIComponent(`https://example.test/?email=${encodeURIComponent(address)}`)}`,
    `https://example.test/?email=${address.replace('+', '%252b').replace('@', '%2540')}`,
    `https://example.test/?q=%ff%20${address.replace('@', '%40')}`,
    `ëe,${address}`,
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
    const found = [...addressesIn('a=b|c'.repeat(50_000) + '@x'.repeat(100))];
    expect(found.length).toBeLessThan(10_000);
  });

  it.each([
    ['backslashes', `\\u0040${'\\'.repeat(400_000)}`],
    ['escaped ampersands', `${'&amp;'.repeat(80_000)}@`],
    ['percent signs', `${'%25'.repeat(130_000)}@`],
    ['ligatures that grow', `${'\ufdfa'.repeat(100_000)}@x.y`],
    ['domains outside ASCII', Array.from({ length: 20_000 }, (_, n) => `a@ü${n}.b.c.d`).join(' ')],
    ['domains in punycode', Array.from({ length: 20_000 }, (_, n) => `a@xn--${n}.b.c.d`).join(' ')],
  ])('is looked for in a long text of %s in linear time', (_, text) => {
    const { containsAddress } = erasuresOf({ seq: 1, key, erased: [erasedAddress(key, { address, through: '9' })] });
    const before = performance.now();
    expect(containsAddress(text, '1')).toBe(false);
    // Quadratic time would be many minutes.
    expect(performance.now() - before).toBeLessThan(20_000);
  });

  it.each(['a@b.c,', 'a@', 'a%40b.c,', '@@@@'])('is given once for all copies in a text of nothing but %s', (copy) => {
    const found = [...addressesIn(copy.repeat(2000))];
    expect(found.length).toBeLessThan(40);
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

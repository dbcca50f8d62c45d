import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amount, canonicalJson, integer, isUri, normalizeTimestamp } from '#schemas/wire.ts';
import { runs } from '../harness/runs.ts';

describe('timestamps', () => {
  it.each([
    ['2025-04-14T11:42:33Z', '2025-04-14T11:42:33.000000Z'],
    ['2025-04-14T11:42:33.5Z', '2025-04-14T11:42:33.500000Z'],
    ['2025-04-14T11:42:33.115Z', '2025-04-14T11:42:33.115000Z'],
    ['2025-04-14T11:42:33.115889Z', '2025-04-14T11:42:33.115889Z'],
    ['2025-04-14T11:42:33.115889999Z', '2025-04-14T11:42:33.115889Z'],
    ['2025-04-14T11:42:33.1158890Z', '2025-04-14T11:42:33.115889Z'],
    ['2025-01-01T00:30:00.25+01:00', '2024-12-31T23:30:00.250000Z'],
    ['2024-02-28T20:00:00-0530', '2024-02-29T01:30:00.000000Z'],
    ['2025-04-14T11:42:33.115+00:00', '2025-04-14T11:42:33.115000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000Z'],
  ])('%s is %s', (sent, read) => {
    expect(normalizeTimestamp(sent)).toBe(read);
  });

  it.each([
    '',
    '2025-04-14',
    '2025-04-14T11:42:33',
    '2025-04-14 11:42:33Z',
    '2025-13-01T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2025-04-31T00:00:00Z',
    '2025-04-14T24:00:00Z',
    '2025-04-14T11:60:00Z',
    '2025-04-14T11:42:33.Z',
    '2025-04-14T11:42:33.1234567890Z',
    '2025-04-14T11:42:33Z\n',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '+002025-04-14T11:42:33Z',
  ])('%j is no timestamp', (sent) => {
    expect(normalizeTimestamp(sent)).toBeUndefined();
  });

  const instant = fc.record({
    second: fc.integer({ min: -2_000_000_000, max: 4_000_000_000 }),
    digits: fc.constantFrom(0, 3, 6),
    micros: fc.integer({ min: 0, max: 999_999 }),
    offset: fc.constantFrom(undefined, 0, 60, 330, -210, -720, 840),
  });
  const written = instant.map(({ second, digits, micros, offset }) => {
    const kept = Math.floor(micros / 10 ** (6 - digits)) * 10 ** (6 - digits);
    const local = new Date((second + (offset ?? 0) * 60) * 1000).toISOString().slice(0, 19);
    const fraction = digits === 0 ? '' : `.${String(kept).padStart(6, '0').slice(0, digits)}`;
    const minutes = Math.abs(offset ?? 0);
    const hhmm = `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
    const zone = offset === undefined ? 'Z' : `${offset < 0 ? '-' : '+'}${hhmm}`;
    return { text: `${local}${fraction}${zone}`, time: BigInt(second) * 1_000_000n + BigInt(kept) };
  });

  it('text order is time order, whatever the digits and offsets they came with', () => {
    fc.assert(
      fc.property(written, written, (one, other) => {
        const [left = '', right = ''] = [normalizeTimestamp(one.text), normalizeTimestamp(other.text)];
        expect(left).toHaveLength(27);
        expect(Math.sign(left < right ? -1 : left > right ? 1 : 0)).toBe(
          one.time < other.time ? -1 : one.time > other.time ? 1 : 0,
        );
      }),
      runs(100),
    );
  });

  it('reading what was read changes nothing', () => {
    fc.assert(
      fc.property(written, ({ text }) => {
        const once = normalizeTimestamp(text) ?? '';
        expect(normalizeTimestamp(once)).toBe(once);
      }),
      runs(100),
    );
  });

  it('no string makes it throw', () => {
    fc.assert(
      fc.property(fc.string(), (text) => void normalizeTimestamp(text)),
      runs(100),
    );
  });
});

describe('canonical JSON', () => {
  const shuffled = (value: unknown, random: () => number): unknown => {
    if (Array.isArray(value)) return value.map((item) => shuffled(item, random));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, item]) => ({ key, item, at: random() }));
    return Object.fromEntries(
      entries.sort((a, b) => a.at - b.at).map(({ key, item }) => [key, shuffled(item, random)]),
    );
  };

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 }),
        (value, order) => {
          let next = 0;
          const random = () => order[next++ % order.length] ?? 0;
          expect(canonicalJson(shuffled(value, random))).toBe(canonicalJson(value));
        },
      ),
      runs(100),
    );
  });

  it('reads back as the same value', () => {
    const stringUnit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit }), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      runs(100),
    );
  });

  it('keeps the order of lists and tells null from absent', () => {
    expect(canonicalJson({ b: [2, 1], a: { d: null, c: 'é"\n' } })).toBe('{"a":{"c":"é\\"\\n","d":null},"b":[2,1]}');
    expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
    expect(canonicalJson({})).toBe('{}');
  });

  it('keeps every key, also beside records with a key that JavaScript gives to each object', () => {
    expect(canonicalJson({ a: 1, b: 2, toString: 3 })).toBe('{"a":1,"b":2,"toString":3}');
    expect(canonicalJson({ a: 1, b: 2, c: 3 })).toBe('{"a":1,"b":2,"c":3}');
  });
});

describe('numbers and URIs', () => {
  it('a number in a string is that number, unless a double would round it', () => {
    expect([12, '12.50', '-3', '9007199254740993', '1e400'].map((sent) => amount.parse(sent))).toEqual([
      12,
      12.5,
      -3,
      '9007199254740993',
      '1e400',
    ]);
    for (const wrong of ['', ' 1', '0x10', 'NaN', 'ten', true, null, [1]])
      expect(amount.safeParse(wrong).success).toBe(false);
  });

  it('a whole number stays whole', () => {
    expect([0, '7', -1].map((sent) => integer.parse(sent))).toEqual([0, 7, -1]);
    for (const wrong of [1.5, '1.5', '9007199254740993', 'x', null])
      expect(integer.safeParse(wrong).success).toBe(false);
  });

  it('a URI is a key: http, printable, bounded', () => {
    expect(isUri('https://api.example.test/contacts/AAAA-1')).toBe(true);
    expect(isUri(`https://${'a'.repeat(1016)}`)).toBe(true);
    for (const wrong of [
      '',
      'contacts/1',
      'ftp://x/1',
      'https://x/a b',
      'https://x/é',
      `https://${'a'.repeat(1017)}`,
      7,
    ]) {
      expect(isUri(wrong)).toBe(false);
    }
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amount, canonicalJson, integer, isUri, normalizeTimestamp } from '#schemas/wire.ts';
import { rendered } from '../harness/data/json-variants.ts';
import { runs } from '../harness/runs.ts';

describe('timestamps', () => {
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

  const written = fc
    .record({
      second: fc.integer({ min: -2_000_000_000, max: 4_000_000_000 }),
      digits: fc.integer({ min: 0, max: 6 }),
      micros: fc.integer({ min: 0, max: 999_999 }),
      offset: fc.constantFrom(undefined, 0, 60, 330, -210, -720, 840),
    })
    .map(({ second, digits, micros, offset }) => {
      const textAt = (minutes: number): string => new Date((second + minutes * 60) * 1000).toISOString().slice(0, 19);
      const fraction = String(micros).padStart(6, '0').slice(0, digits);
      const hhmm = new Date(Math.abs(offset ?? 0) * 60_000).toISOString().slice(11, 16);
      const zone = offset === undefined ? 'Z' : `${offset < 0 ? '-' : '+'}${hhmm}`;
      return {
        text: `${textAt(offset ?? 0)}${digits === 0 ? '' : `.${fraction}`}${zone}`,
        read: `${textAt(0)}.${fraction.padEnd(6, '0')}Z`,
      };
    });

  it('are read as UTC with six digits, whatever digits and offset they came with, so that text order is time order', () => {
    const holds = ({ text, read }: { text: string; read: string }): void => {
      expect(normalizeTimestamp(text)).toBe(read);
    };
    fc.assert(fc.property(written, holds), runs(200));
    holds({ text: '2025-04-14T11:42:33.115889999Z', read: '2025-04-14T11:42:33.115889Z' });
    holds({ text: '2024-02-28T20:00:00-0530', read: '2024-02-29T01:30:00.000000Z' });
    holds({ text: '0001-01-01T00:00:00Z', read: '0001-01-01T00:00:00.000000Z' });
  });
});

describe('canonical JSON', () => {
  it('does not depend on the order of keys or on how the values were written', () => {
    const holds = (value: unknown, seed: number): void => {
      expect(canonicalJson(JSON.parse(rendered(value, seed)))).toBe(canonicalJson(JSON.parse(JSON.stringify(value))));
    };
    fc.assert(fc.property(fc.jsonValue(), fc.nat(0xffff), holds), runs(100));
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

  it('keeps every key and the order of lists, and tells null from absent', () => {
    expect(canonicalJson({ b: [2, 1], a: { d: null, c: 'é"\n' } })).toBe('{"a":{"c":"é\\"\\n","d":null},"b":[2,1]}');
    expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
    // Also beside a record with a key that JavaScript gives to each object.
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
    const wrong = ['', 'contacts/1', 'ftp://x/1', 'https://x/a b', 'https://x/é', `https://${'a'.repeat(1017)}`, 7];
    expect(wrong.filter(isUri)).toEqual([]);
  });
});

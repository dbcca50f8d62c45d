// The shape of a table as `table()` writes it, and the codec of an engine.
import { describe, expect, it } from 'vitest';
import { codecOf, recordOf, table } from '#src/store/columns.ts';

describe('table()', () => {
  it('lists the key, the required columns and the kind of each column', () => {
    expect(table('a b', { text: 'a c', time: 'b', flag: 'd' }, 'd')).toEqual({
      key: ['a', 'b'],
      required: ['a', 'b', 'd'],
      columns: { a: 'text', c: 'text', b: 'time', d: 'flag' },
    });
  });
});

describe('codecOf()', () => {
  it('translates the kinds that an engine stores in its own form, and leaves null and the others alone', () => {
    const codec = codecOf({ flag: { encode: Number, decode: (stored) => stored === 1 } });
    expect(codec.decode('flag', codec.encode('flag', true))).toBe(true);
    expect(codec.encode('flag', false)).toBe(0);
    expect(codec.encode('flag', null)).toBeNull();
    expect(codec.encode('text', 'x')).toBe('x');
  });
});

it('the record of a table accepts a row of another version, but no wrong value', () => {
  const record = recordOf(table('id', { text: 'id note', flag: 'is_on', time: 'at' }, 'at'));
  const row = { id: 'a', at: '2026-01-01T00:00:00.000000Z', is_on: true };
  expect(record.parse({ ...row, unknown: 1 })).toEqual({ ...row, note: null });
  for (const wrong of [{ at: null }, { at: 'today' }, { is_on: 1 }, { id: undefined }])
    expect(record.safeParse({ ...row, ...wrong }).success).toBe(false);
});

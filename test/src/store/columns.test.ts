// What a row of another version may look like.
import { expect, it } from 'vitest';
import { recordOf, table } from '#src/store/columns.ts';

it('the record of a table accepts a row of another version, but no wrong value', () => {
  const record = recordOf(table('id', { text: 'id note', flag: 'is_on', time: 'at' }, 'at'));
  const row = { id: 'a', at: '2026-01-01T00:00:00.000000Z', is_on: true };
  expect(record.parse({ ...row, unknown: 1 })).toEqual({ ...row, note: null });
  for (const wrong of [{ at: null }, { at: 'today' }, { is_on: 1 }, { id: undefined }])
    expect(record.safeParse({ ...row, ...wrong }).success).toBe(false);
});

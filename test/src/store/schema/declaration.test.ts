// What a row of another version may look like.
import { expect, it } from 'vitest';
import { flag, recordOf, table, text, time } from '#src/store/schema/declaration.ts';

it('the record of a table accepts a row of another version, but no wrong value', () => {
  const record = recordOf(
    table({
      name: 'switches',
      key: ['id'],
      readable: 'all',
      about: 'One row per switch.',
      columns: {
        id: text('identity', { holds: 'plain' }),
        note: text('what it is for', { holds: 'text' }),
        is_on: flag('whether it is on'),
        at: time('since when', { required: true }),
      },
    }),
  );
  const row = { id: 'a', at: '2026-01-01T00:00:00.000000Z', is_on: true };
  expect(record.parse({ ...row, unknown: 1 })).toEqual({ ...row, note: null });
  for (const wrong of [{ at: null }, { at: 'today' }, { is_on: 1 }, { id: undefined }])
    expect(record.safeParse({ ...row, ...wrong }).success).toBe(false);
});

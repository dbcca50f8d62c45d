import { expect, it } from 'vitest';
import { timezoneName } from '#schemas/timezone.ts';

it('knows which time zones there are', () => {
  const names = ['UTC', 'Europe/Berlin', 'Nowhere/City', '', "' or 1", '+02:00'];
  expect(names.map((name) => timezoneName.safeParse(name).success)).toEqual([true, true, false, false, false, false]);
});

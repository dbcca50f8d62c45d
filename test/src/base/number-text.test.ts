import { expect, it } from 'vitest';
import { counted, duration } from '#src/base/number-text.ts';

it('counts have separators of thousands and the right plural', () => {
  expect([counted(0, 'row'), counted(1, 'row'), counted(2277, 'delivery', 'deliveries')]).toEqual([
    '0 rows',
    '1 row',
    '2,277 deliveries',
  ]);
});

it.each([
  [850, '850 ms'],
  [1_234, '1.2 s'],
  [90_000, '90 s'],
  [180_000, '3 min'],
  [5 * 3_600_000, '5 h'],
  [2 * 86_400_000, '2 days'],
])('%i ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

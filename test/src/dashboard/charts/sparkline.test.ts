// A sparkline stays in its box for any data.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sparkline } from '#src/dashboard/charts/sparkline.ts';
import { runs } from '../../../harness/runs.ts';
import { elementsIn } from '../../../harness/svg.ts';

const value = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, Number.MAX_VALUE, Number.MIN_VALUE),
);
const text = fc.oneof(fc.string(), fc.constantFrom('</title><script>', 'x'.repeat(500)));

it('a sparkline of any finite data stays in its box and says what it shows', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 100 }), text, (values, words) => {
      const summary = `Lag ${words}`;
      const elements = elementsIn(String(sparkline({ values, summary })));
      const path = elements.find(({ name }) => name === 'path')?.attributes['d'] ?? '';
      const numbers = [...path.matchAll(/[ML]([^ ]+) ([^ML]+)/g)].flatMap(([, x, y]) => [
        { x: Number(x), y: Number(y) },
      ]);
      expect(numbers.length).toBe(Math.max(1, values.length));
      for (const { x, y } of numbers) expect([x >= 0, x <= 120, y >= 0, y <= 28]).toEqual([true, true, true, true]);
      expect(elements[0]?.attributes['aria-label']).toBe(summary);
    }),
    runs(100),
  );
});

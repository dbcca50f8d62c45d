// Rows appear long after what they tell of.
import { duration } from '#src/config/readers.ts';
import { defineCondition } from './condition.ts';

export const lag = defineCondition({
  when: 'lag',
  title: 'Deliveries are late',
  about: 'Deliveries become rows late.',
  options: { above: duration('5m') },
  find({ above }, { delaySeconds }) {
    // The middle one: a single late retry is no lag.
    const middle = delaySeconds.toSorted((a, b) => a - b)[Math.floor((delaySeconds.length - 1) / 2)] ?? 0;
    return middle * 1000 > above
      ? [{ subject: 'mirror', message: `Deliveries become rows ${Math.round(middle)} s after their event.` }]
      : [];
  },
});

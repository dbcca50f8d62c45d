// The last comparison with the service found rows that were wrong.
import { z } from 'zod';
import { defineCondition } from './condition.ts';

export const drift = defineCondition({
  when: 'drift',
  title: 'The mirror and the service differed',
  about: 'A comparison with the service found rows that were wrong.',
  options: {
    /** Rows that were missing, extra or different. Deletes that wait for a yes are told of whatever their number. */
    above: z.int().min(0).default(10),
  },
  find: ({ above }, { comparisons }) =>
    comparisons
      .filter(({ rows, heldBack }) => rows > above || heldBack > 0)
      .map(({ part, rows, heldBack, finishedAt }) => ({
        subject: `mirror ${part}`,
        message: [
          `The comparison of ${part === 'full' ? 'everything' : 'recent changes'} at ${finishedAt} found ${rows} rows missing, extra or different, and repaired them.`,
          ...(heldBack > 0
            ? [
                `${heldBack} more are gone from the service and wait for: npx slotstream reconcile --full --repair --allow-deletes`,
              ]
            : []),
        ].join(' '),
      })),
});

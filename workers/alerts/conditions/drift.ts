// The last comparison with the service found rows that were wrong.
import { z } from 'zod';
import { defineCondition } from '../condition.ts';

export const drift = defineCondition({
  when: 'drift',
  title: 'The mirror and the service differ',
  about: 'The mirror and the service differ.',
  options: { above: z.int().min(0).default(0) },
  find: ({ above }, { drift: found }) =>
    found !== undefined && found.rows > above
      ? [
          {
            subject: 'mirror',
            message: `The comparison of ${found.finishedAt} found ${found.rows} rows missing, extra or different.`,
          },
        ]
      : [],
});

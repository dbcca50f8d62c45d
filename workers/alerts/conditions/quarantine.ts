// Deliveries come in that cannot be understood.
import { z } from 'zod';
import { defineCondition } from './condition.ts';

export const quarantine = defineCondition({
  when: 'quarantine',
  title: 'The quarantine is growing',
  about: 'The quarantine is growing.',
  options: {
    /** Deliveries of the last hour. */
    above: z.int().min(0).default(0),
  },
  find: ({ above }, { quarantinedLately, quarantined }) =>
    quarantinedLately > above
      ? [
          {
            subject: 'mirror',
            message: `Of ${quarantined} deliveries in quarantine ${quarantinedLately} came within the last hour. Look: npx slotstream replay --quarantined --dry-run`,
          },
        ]
      : [],
});

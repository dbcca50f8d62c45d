// Deliveries come in that cannot be understood.
import { z } from 'zod';
import { defineCondition } from '../condition.ts';

export const quarantine = defineCondition({
  when: 'quarantine',
  title: 'The quarantine is growing',
  about: 'The quarantine is growing.',
  options: { above: z.int().min(0).default(0) },
  find: ({ above }, { quarantinedLately, quarantined }) =>
    quarantinedLately > above
      ? [
          {
            subject: 'mirror',
            message: `${quarantinedLately} deliveries were quarantined within the last hour, ${quarantined} in all. Look: slotstream replay --quarantined --dry-run`,
          },
        ]
      : [],
});

// An entry of the activity log of an organization, as the public service answers it.
import { z } from 'zod';
import { uri } from '#schemas/wire.ts';
import { instant } from './values.ts';

export const activityLogEntryResource = z.strictObject({
  uri,
  occurred_at: instant,
  namespace: z.string(),
  action: z.string(),
  /** `User.Add`. */
  fully_qualified_name: z.string(),
  actor: z.strictObject({
    uri,
    type: z.literal('User'),
    organization: z.strictObject({ uri, role: z.enum(['Owner', 'Admin', 'User']) }),
    display_name: z.string(),
    /** An e-mail address. */
    alternative_identifier: z.string(),
  }),
  details: z.record(z.string(), z.string()),
  organization: uri,
});

/** Besides the page. */
export const activityLogFields = {
  last_event_time: instant.nullable(),
  total_count: z.int().min(0),
  exceeds_max_total_count: z.literal(false),
};

export type ActivityLogEntryResource = z.output<typeof activityLogEntryResource>;

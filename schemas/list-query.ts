// What may be asked of the lists that the specification names without showing: their filters are A6e.
import { z } from 'zod';
import { pageQuery, sortKeyOf } from './pagination.ts';
import { membershipRoles } from '#schemas/resources/user.ts';
import { timestamp, uri } from './wire.ts';

/** `start_time:asc`, of the fields a list can be sorted by. */
const sortBy = <Field extends string>(fields: readonly Field[]) => sortKeyOf(fields).optional();

export const membershipListQuery = pageQuery.extend({
  organization: uri.optional(),
  user: uri.optional(),
  email: z.email().optional(),
  role: z.enum(membershipRoles).optional(),
});

const whose = { organization: uri.optional(), user: uri.optional(), group: uri.optional() };

export const scheduledEventListQuery = pageQuery.extend({
  ...whose,
  invitee_email: z.email().optional(),
  status: z.enum(['active', 'canceled']).optional(),
  min_start_time: timestamp.optional(),
  max_start_time: timestamp.optional(),
  sort: sortBy(['start_time']),
});

export const inviteeListQuery = pageQuery.extend({
  email: z.email().optional(),
  status: z.enum(['active', 'canceled']).optional(),
  sort: sortBy(['created_at']),
});

export const eventTypeListQuery = pageQuery.extend({
  organization: uri.optional(),
  user: uri.optional(),
  active: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional(),
  sort: sortBy(['name', 'position', 'created_at', 'updated_at']),
});

/** At most 31 days; the operation says how they are counted. */
export const availableTimesQuery = pageQuery.extend({ event_type: uri, start_time: timestamp, end_time: timestamp });

const oneOf = z
  .string()
  .transform((text) => text.split(','))
  .optional();

export const activityLogQuery = pageQuery.extend({
  organization: uri,
  search_term: z.string().max(1000).optional(),
  actor: oneOf,
  namespace: oneOf,
  action: oneOf,
  min_occurred_at: timestamp.optional(),
  max_occurred_at: timestamp.optional(),
  sort: sortBy(['occurred_at']),
});

/** At most 7 days. */
export const busyTimesQuery = z.strictObject({ user: uri, start_time: timestamp, end_time: timestamp });

/** Whose subscriptions of scope `user` or `group` are meant is said, never guessed from the caller. */
export const subscriptionListQuery = pageQuery
  .extend({
    organization: uri,
    scope: z.enum(['organization', 'user', 'group']),
    user: uri.optional(),
    group: uri.optional(),
    sort: sortBy(['created_at']),
  })
  .check(({ value, issues }) => {
    const { scope } = value;
    if (scope !== 'organization' && value[scope] === undefined)
      issues.push({ code: 'custom', path: [scope], message: `required for scope ${scope}`, input: value });
  });

export const recapListQuery = pageQuery.extend({
  event: uri.optional(),
  user: uri.optional(),
  organization: uri.optional(),
  attendee: z.email().optional(),
  min_start_time: timestamp.optional(),
  max_start_time: timestamp.optional(),
  sort: sortBy(['start_time']),
});

export const routingFormListQuery = pageQuery.extend({ organization: uri, sort: sortBy(['created_at']) });
export const submissionListQuery = pageQuery.extend({ form: uri, sort: sortBy(['created_at']) });
export const groupListQuery = pageQuery.extend({ organization: uri });
export const invitationListQuery = pageQuery.extend({
  email: z.email().optional(),
  status: z.enum(['pending', 'accepted', 'declined']).optional(),
});

// The lists of the service: which parameters each takes, which rows they mean, and by which column it is sorted.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { z } from 'zod';
import {
  eventTypeListQuery,
  inviteeListQuery,
  membershipListQuery,
  recapListQuery,
  routingFormListQuery,
  scheduledEventListQuery,
  submissionListQuery,
  subscriptionListQuery,
} from '#schemas/list-query.ts';
import { isNotDeleted } from '#src/store/record-search.ts';
import { inviteeConditions, meetingConditions } from '#src/read/bookings/meetings.ts';
import { recapFilters } from '#src/read/people/recaps.ts';
import type { StoreEngine } from '#src/store/contract.ts';

type Condition = RawBuilder<SqlBool>;

export interface ServiceList<Query extends z.ZodType> {
  readonly query: Query;
  /** The column of each field by which it can be sorted; the first is the usual one, ascending. */
  readonly orders: Readonly<Record<string, string>>;
  /** Without the organization, which is that of the mirror (`operations.ts`). */
  where(engine: StoreEngine, query: z.output<Query>): readonly Condition[];
}

const list = <Query extends z.ZodType>(declared: ServiceList<Query>): ServiceList<Query> => declared;

const equal = (column: string, value: string | undefined): readonly Condition[] =>
  value === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} = ${value}`];

export const serviceLists = {
  eventTypes: list({
    query: eventTypeListQuery,
    orders: { name: 'name', position: 'position', created_at: 'created_at', updated_at: 'updated_at' },
    where: ({ encode }, { user, active }) => [
      isNotDeleted,
      ...equal('owner_uri', user),
      ...(active === undefined ? [] : [sql<SqlBool>`active = ${encode('flag', active)}`]),
    ],
  }),
  memberships: list({
    query: membershipListQuery,
    orders: { created_at: 'created_at' },
    where: (_engine, { user, role, email }) => [
      isNotDeleted,
      ...equal('user_uri', user),
      ...equal('role', role),
      ...(email === undefined
        ? []
        : [sql<SqlBool>`user_uri in (select uri from ${sql.table('users')} where email = ${email})`]),
    ],
  }),
  // Groups are not mirrored.
  scheduledEvents: list({
    query: scheduledEventListQuery.omit({ group: true }),
    orders: { start_time: 'start_time' },
    where: (engine, { organization: _all, ...search }) => meetingConditions(engine, search),
  }),
  invitees: list({
    query: inviteeListQuery,
    orders: { created_at: 'created_at' },
    where: (engine, { email, status }) => inviteeConditions(engine, { email, status }),
  }),
  recaps: list({
    query: recapListQuery,
    orders: { start_time: 'event_start_time' },
    where: ({ dialect }, { event, user, attendee, min_start_time: from, max_start_time: to }) => [
      isNotDeleted,
      ...equal('event_uri', event),
      ...(from === undefined ? [] : [sql<SqlBool>`event_start_time >= ${dialect.time(from)}`]),
      ...(to === undefined ? [] : [sql<SqlBool>`event_start_time <= ${dialect.time(to)}`]),
      ...recapFilters(dialect, { host: user, attendee }),
    ],
  }),
  routingForms: list({
    query: routingFormListQuery,
    orders: { created_at: 'created_at' },
    where: () => [isNotDeleted],
  }),
  submissions: list({
    query: submissionListQuery,
    orders: { created_at: 'created_at' },
    where: (_engine, { form }) => equal('routing_form', form),
  }),
  subscriptions: list({
    query: subscriptionListQuery,
    orders: { created_at: 'created_at' },
    where: (_engine, { scope, user, group }) => [
      ...equal('scope', scope),
      ...equal('user', scope === 'user' ? user : undefined),
      ...equal('group', scope === 'group' ? group : undefined),
    ],
  }),
} as const;

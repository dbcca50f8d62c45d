// The conditions by which meetings and invitees are searched.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { z } from 'zod';
import type { inviteeListQuery, scheduledEventListQuery } from '#schemas/list-query.ts';
import type { StoreEngine } from '#src/store/contract.ts';
import type { SqlDialect } from '#src/store/sql-dialect.ts';

type Condition = RawBuilder<SqlBool>;
type PartialQuery<Query extends z.ZodType> = Partial<z.output<Query>>;

/** The condition of a parameter, where it was given. */
const when = <Value>(value: Value | undefined, condition: (value: Value) => Condition): readonly Condition[] =>
  value === undefined ? [] : [condition(value)];

export type MeetingSearch = Pick<
  PartialQuery<typeof scheduledEventListQuery>,
  'organization' | 'user' | 'invitee_email' | 'status' | 'min_start_time' | 'max_start_time'
>;

export const meetingConditions = ({ dialect }: StoreEngine, search: MeetingSearch): readonly Condition[] => [
  ...when(search.status, (status) => sql<SqlBool>`status = ${status}`),
  ...when(search.min_start_time, (time) => sql<SqlBool>`start_time >= ${dialect.time(time)}`),
  ...when(search.max_start_time, (time) => sql<SqlBool>`start_time <= ${dialect.time(time)}`),
  ...when(
    search.invitee_email,
    (email) =>
      sql<SqlBool>`scheduled_events.uri in (select event_uri from ${sql.table('invitees')} where email = ${email})`,
  ),
  ...when(search.user, (user) => hostedBy(dialect, sql`select ${user}`)),
  ...when(search.organization, (organization) =>
    hostedBy(
      dialect,
      sql`select user_uri from ${sql.table('organization_memberships')} where organization_uri = ${organization}`,
    ),
  ),
];

const hostedBy = (dialect: SqlDialect, users: RawBuilder<unknown>): Condition =>
  dialect.hasUserAmong(sql`scheduled_events.hosts`, users);

export type InviteeSearch = Pick<PartialQuery<typeof inviteeListQuery>, 'email' | 'status'> & {
  readonly event?: string | undefined;
  readonly event_type?: string | undefined;
  readonly user?: string | undefined;
  readonly min_start_time?: string | undefined;
  readonly max_start_time?: string | undefined;
};

export function inviteeConditions(engine: StoreEngine, search: InviteeSearch): readonly Condition[] {
  const meeting = [
    ...when(search.event_type, (uri) => sql<SqlBool>`event_type = ${uri}`),
    ...meetingConditions(engine, {
      user: search.user,
      min_start_time: search.min_start_time,
      max_start_time: search.max_start_time,
    }),
  ];
  return [
    ...when(search.email, (email) => sql<SqlBool>`email = ${email}`),
    ...when(search.status, (status) => sql<SqlBool>`status = ${status}`),
    ...when(search.event, (event) => sql<SqlBool>`event_uri = ${event}`),
    ...(meeting.length === 0
      ? []
      : [
          sql<SqlBool>`exists (select 1 from ${sql.table('scheduled_events')} where scheduled_events.uri = invitees.event_uri
            and ${sql.join(meeting, sql` and `)})`,
        ]),
  ];
}

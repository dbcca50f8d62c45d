// From a routing form's submission to a meeting that was held.
import { sql } from 'kysely';
import type { Sql } from '#src/store/sql-dialect.ts';
import { journeys } from './journeys.ts';
import { integer, number, text, type View } from '#src/store/views/view.ts';

export const routingFunnel: View = {
  name: 'routing_funnel',
  about: 'One row per routing form: where its submissions led, how many were booked, and how many meetings were held.',
  columns: {
    routing_form: text('URI of the form; empty if the submission has none'),
    routing_form_name: text('name of the form, if the form is mirrored'),
    submissions: integer('number of submissions'),
    to_event_type: integer('submissions that led to a booking page'),
    to_external_url: integer('submissions that led to another site'),
    to_custom_message: integer('submissions that ended with a message'),
    booked: integer('submissions with at least one booking'),
    upcoming: integer('booked submissions with an upcoming meeting and none held or missed yet'),
    held: integer('booked submissions with a held meeting'),
    no_shows: integer('booked submissions with a missed meeting and none held'),
    canceled: integer('booked submissions whose bookings were all canceled'),
    booking_rate: number('`booked` of `submissions`, from 0 to 1'),
    held_rate: number('`held` of `booked`, from 0 to 1; null where nothing was booked'),
  },
  key: ['routing_form'],
  since: undefined,
  select(dialect) {
    const countIf = (condition: Sql) => sql`count(case when ${condition} then 1 end)`;
    const one = (outcome: string) => sql`max(case outcome when ${sql.lit(outcome)} then 1 else 0 end)`;
    return sql`with recursive ${journeys(dialect)},
    booked as (
      select invitees.routing_form_submission as submission_uri, ${one('held')} as held, ${one('no_show')} as missed,
        ${one('upcoming')} as coming,
        min(case when outcome in ('canceled_by_host', 'canceled_by_invitee', 'late_cancellation', 'canceled') then 1 else 0 end) as canceled
      from invitees join members on members.invitee_uri = invitees.uri
      join journeys on journeys.journey_uri = members.journey_uri
      where invitees.routing_form_submission is not null
      group by invitees.routing_form_submission
    )
    select coalesce(submissions.routing_form, '') as routing_form, max(routing_forms.name) as routing_form_name,
      count(*) as submissions,
      ${countIf(sql`submissions.result_type = 'event_type'`)} as to_event_type,
      ${countIf(sql`submissions.result_type = 'external_url'`)} as to_external_url,
      ${countIf(sql`submissions.result_type = 'custom_message'`)} as to_custom_message,
      count(booked.submission_uri) as booked,
      ${countIf(sql`booked.coming = 1 and booked.held = 0 and booked.missed = 0`)} as upcoming,
      ${countIf(sql`booked.held = 1`)} as held,
      ${countIf(sql`booked.missed = 1 and booked.held = 0`)} as no_shows,
      ${countIf(sql`booked.canceled = 1`)} as canceled,
      ${dialect.ratio(sql`count(booked.submission_uri)`, sql`count(*)`)} as booking_rate,
      ${dialect.ratio(countIf(sql`booked.held = 1`), sql`count(booked.submission_uri)`)} as held_rate
    from routing_form_submissions as submissions
    left join booked on booked.submission_uri = submissions.uri
    left join routing_forms on routing_forms.uri = submissions.routing_form
    group by coalesce(submissions.routing_form, '')`;
  },
};

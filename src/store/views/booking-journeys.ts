// One row per booking with everything it was moved to, from the first booking to how it ended: the table `bookings`, with what the
// clock, names and time zones add.
import { sql } from 'kysely';
import { outcomeOf } from '#src/store/bookings/booking-rows.ts';
import { attendanceBasisOf, attendanceOf } from '#src/store/bookings/evidence.ts';
import type { Sql, SqlDialect } from '#src/store/sql-dialect.ts';
import { joinPeriod } from '#src/store/time-zones.ts';
import { date, flag, integer, number, text, time, type View } from './view.ts';

/** A column of the view, from `bookings` with its joins. */
export function journeyColumn(dialect: SqlDialect, name: string): Sql {
  const { secondsBetween } = dialect;
  const derived: Readonly<Record<string, Sql>> = {
    event_type_name: sql`coalesce(event_types.name, bookings.event_name)`,
    host_name: sql`coalesce(users.name, bookings.host_name)`,
    lead_time_seconds: secondsBetween(sql`bookings.booked_at`, sql`bookings.start_time`),
    cancel_notice_seconds: secondsBetween(sql`bookings.canceled_at`, sql`bookings.start_time`),
    duration_seconds: secondsBetween(sql`bookings.start_time`, sql`bookings.end_time`),
    outcome: outcomeOf(dialect),
    attendance: attendanceOf(dialect),
    attendance_basis: attendanceBasisOf(dialect),
    contact_uri: contactOf(dialect),
    host_timezone: sql`users.timezone`,
    ...startIn(dialect, 'host'),
    ...startIn(dialect, 'invitee'),
  };
  return sql`${derived[name] ?? sql.id('bookings', name)} as ${sql.id(name)}`;
}

/** Looked up for the rows that are read: the first of them are found at once. */
function contactOf(dialect: SqlDialect): Sql {
  const contact = dialect.bytes(sql`holder.contact_uri`);
  const address = dialect.lowerCase('bookings.invitee_email');
  return sql`(select coalesce(min(case when holder.is_primary then ${contact} end), min(${contact}))
    from (select 1 as one) as one ${dialect.lookUpAddress('contact_emails', { as: 'holder', address })}
    join ${sql.table('contacts')} on contacts.uri = holder.contact_uri where contacts.deleted_at is null)`;
}

function startIn(dialect: SqlDialect, whose: 'host' | 'invitee'): Readonly<Record<string, Sql>> {
  const start = dialect.later(sql`bookings.start_time`, sql.id(`${whose}_period`, 'offset_seconds'));
  return {
    [`start_day_${whose}`]: dialect.day(start),
    [`start_weekday_${whose}`]: dialect.weekday(start),
    [`start_hour_${whose}`]: sql`cast(${dialect.hour(start)} as integer)`,
  };
}

/** The event type and the host of a booking: what the columns need, except those of local time. */
export const journeyJoins = sql`left join ${sql.table('event_types')} on event_types.uri = bookings.event_type
    left join ${sql.table('users')} on users.uri = bookings.host`;

export const bookingJourneys: View = {
  name: 'booking_journeys',
  about: 'One row per booking, including its reschedules, from the first booking to its outcome.',
  columns: {
    journey_uri: text('URI of the first booking of the chain, mirrored or not'),
    first_invitee: text('URI of the first mirrored invitee of the chain'),
    last_invitee: text('URI of the last mirrored invitee of the chain'),
    invitees: integer('how many of the chain are mirrored'),
    moves: integer('how many times it was rescheduled'),
    event_type: text('URI of the event type of the last booking'),
    event_type_name: text('name of the event type, or of the meeting if the event type is not mirrored'),
    host: text('URI of the first host of the last booking'),
    invitee_email: text('e-mail address on the last booking'),
    invitee_name: text('name on the last booking'),
    utm_source: text('from the first booking'),
    utm_medium: text('from the first booking'),
    utm_campaign: text('from the first booking'),
    utm_content: text('from the first booking'),
    utm_term: text('from the first booking'),
    booked_at: time('when the first mirrored invitee was created'),
    first_start_time: time('start time of the first booking'),
    start_time: time('start time of the last booking'),
    end_time: time('end time of the last booking'),
    lead_time_seconds: integer('from `booked_at` to `start_time`'),
    outcome: text(
      '`upcoming`, `held`, `no_show`, `canceled_by_host`, `canceled_by_invitee`, `late_cancellation` (by the invitee, less than 24 hours before the start), `canceled` (it is not known by whom), `rescheduled` (to a booking that is not mirrored); null while the time of the meeting is unknown',
    ),
    canceled_at: time('when the last invitee was canceled, a reschedule included'),
    canceler_type: text('`host` or `invitee`, as the service says'),
    cancel_notice_seconds: integer('from `canceled_at` to `start_time`; negative after the start'),
    no_show_at: time('when the last invitee was marked as a no-show, while the mark is open'),
    event_uri: text('URI of the scheduled event of the last booking'),
    contact_uri: text(
      'URI of the contact with the address of `invitee_email` in any letter case; of several, one whose primary address it is, then the smallest URI; null if no contact has it',
    ),
    host_name: text('name of `host`: from `users`, else as the meeting has it'),
    duration_seconds: integer('from `start_time` to `end_time`'),
    invitee_timezone: text('time zone of the invitee on the last booking, such as `Europe/Berlin`'),
    cancel_reason: text('reason of the cancellation of the last booking, a reschedule included'),
    scheduling_method: text('how the last booking was made: `instant_book`, `api`; null for a booking page'),
    routing_form_submission: text('URI of the submission that led to the first booking, else to the last'),
    location_kind: text('type of the location of the last booking, such as `physical` or `zoom`'),
    payment_provider: text('of the payment of the last booking, else of the first'),
    payment_external_id: text('identifier of that payment at the provider'),
    payment_amount: number('amount of that payment, in units of the currency (not cents)'),
    payment_currency: text('currency of that payment'),
    payment_successful: flag('whether that payment succeeded'),
    attendance: text(
      'whether the invitee came: `no_show` (marked), `confirmed` (it was answered that they came, or a transcript names them as a speaker), `likely` (a recap lists them as an attendee), `suspected_no_show` (a recap lists hosts only) or `unconfirmed` (held without evidence); null for other outcomes',
    ),
    attendance_basis: text(
      'what `attendance` follows from: the URI of the no-show mark or of the recap, or `delivery_id` of the log entry of an answer; null if there is none',
    ),
    host_timezone: text('time zone of `host`, from `users`'),
    start_day_host: date('day of `start_time` in `host_timezone`; null if the zone is not known'),
    start_weekday_host: integer('weekday of `start_time` in `host_timezone`, from 1 (Monday) to 7'),
    start_hour_host: integer('hour of `start_time` in `host_timezone`, from 0 to 23'),
    start_day_invitee: date('day of `start_time` in `invitee_timezone`; null if the zone is not known'),
    start_weekday_invitee: integer('weekday of `start_time` in `invitee_timezone`, from 1 (Monday) to 7'),
    start_hour_invitee: integer('hour of `start_time` in `invitee_timezone`, from 0 to 23'),
  },
  key: ['journey_uri'],
  since: 'booked_at',
  select(dialect) {
    const columns = Object.keys(bookingJourneys.columns).map((name) => journeyColumn(dialect, name));
    return sql`select ${sql.join(columns)} from bookings ${journeyJoins}
      ${joinPeriod('host_period', sql`bookings.start_time`, dialect.lowerCase('users.timezone'))}
      ${joinPeriod('invitee_period', sql`bookings.start_time`, dialect.lowerCase('bookings.invitee_timezone'))}`;
  },
};

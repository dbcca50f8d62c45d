// One row a journey: a booking with everything it was moved to, from the first word to how it ended.
import { sql } from 'kysely';
import { journeys } from './journeys.ts';
import { integer, text, time, type View } from './view.ts';

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
  },
  key: ['journey_uri'],
  since: 'booked_at',
  select: (dialect) =>
    sql`with recursive ${journeys(dialect)} select ${sql.join(
      Object.keys(bookingJourneys.columns).map((name) => sql.id(name)),
    )} from journeys`,
};

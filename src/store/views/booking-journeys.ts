// One row a journey: a booking with everything it was moved to, from the first word to how it ended.
import { sql } from 'kysely';
import { journeys } from './journeys.ts';
import { integer, text, time, type View } from './view.ts';

export const bookingJourneys: View = {
  name: 'booking_journeys',
  about: 'A booking and all it was rescheduled to: one row from the first booking to how it ended.',
  columns: {
    journey_uri: text('URI of the first booking of the chain, mirrored or not'),
    first_invitee: text('URI of the first mirrored invitee of the chain'),
    last_invitee: text('URI of the last mirrored invitee of the chain'),
    invitees: integer('how many of the chain are mirrored'),
    moves: integer('how many times it was rescheduled'),
    event_type: text('URI of the event type in the end'),
    event_type_name: text('its name, or that of the meeting where the event type is not mirrored'),
    host: text('URI of the first host in the end'),
    invitee_email: text('address in the end'),
    invitee_name: text('name in the end'),
    utm_source: text('as the first booking says'),
    utm_medium: text('as the first booking says'),
    utm_campaign: text('as the first booking says'),
    utm_content: text('as the first booking says'),
    utm_term: text('as the first booking says'),
    booked_at: time('when the first mirrored invitee was made'),
    first_start_time: time('when the meeting was to start at first'),
    start_time: time('when it was to start in the end'),
    end_time: time('when it was to end in the end'),
    lead_time_seconds: integer('from `booked_at` to `start_time`'),
    outcome: text(
      '`upcoming`, `held`, `no_show`, `canceled_by_host`, `canceled_by_invitee`, `late_cancellation` (by the invitee, less than 24 hours before the start), `canceled` (it is not known by whom), `rescheduled` (to a booking that is not mirrored); null while the time of the meeting is unknown',
    ),
    canceled_at: time('when the last invitee was canceled, also by moving on'),
    canceler_type: text('`host` or `invitee`, as the service says'),
    cancel_notice_seconds: integer('from `canceled_at` to `start_time`; negative after the start'),
    no_show_at: time('when the last invitee was marked as a no-show, while the mark stands'),
  },
  key: ['journey_uri'],
  since: 'booked_at',
  select: (dialect) =>
    sql`with recursive ${journeys(dialect)} select ${sql.join(
      Object.keys(bookingJourneys.columns).map((name) => sql.id(name)),
    )} from journeys`,
};

// The rows of `bookings`, from chains of invitees and the rows of their meetings. What depends on the clock (whether a meeting is
// upcoming or was held) is not stored: `outcomeOf` says it.
import { sql, type RawBuilder } from 'kysely';
import type { StoreEngine } from '#src/store/contract.ts';
import type { Sql, SqlDialect } from '#src/store/sql-dialect.ts';
import { tables, utmColumns } from '#src/store/schema/tables.ts';
import { bookingSql } from './booking-sql.ts';
import { evidenceOf } from './evidence.ts';

type Engine = Pick<StoreEngine, 'name' | 'dialect'>;

const day = 24 * 3_600;

/** Of the invitee `last`. */
const movedOn = sql`(last.rescheduled is true or last.new_invitee <> '')`;

/** How a booking ended, from a row of `bookings`; null while the time of the meeting is unknown. */
export const outcomeOf = ({ now }: SqlDialect, bookings = 'bookings'): RawBuilder<string | null> => {
  const [start, end, ending] = ['start_time', 'end_time', 'ending'].map((name) => sql.ref(`${bookings}.${name}`));
  return sql`coalesce(${ending}, case when coalesce(${end}, ${start}) <= ${now} then 'held'
    when coalesce(${end}, ${start}) is not null then 'upcoming' end)`;
};

/** The list of hosts of a row of `bookings` that has more than one. Of most, `host` says it all, and is compared faster. */
export const severalHosts = sql`case when hosts -> 1 is not null then hosts end`;

/** From the last booking if it has a payment, else from the first. */
const paymentColumns = [
  'payment_provider',
  'payment_external_id',
  'payment_amount',
  'payment_currency',
  'payment_successful',
];

/**
 * `chains`: a query for `journey_uri`, `first_invitee`, `last_invitee`, `invitees` and `moves`. What the first invitee says of where a
 * booking came from counts, and what the last one says of how it ended.
 */
export function selectBookings(engine: Engine, chains: Sql, changedSeq: Sql): Sql {
  const values = bookingValues(engine, changedSeq);
  const list = Object.entries(values).map(([name, value]) => sql`${value} as ${sql.id(name)}`);
  return sql`select ${sql.join(list)}
    from (${chains}) as chain
    join ${sql.table('invitees')} as last on last.uri = chain.last_invitee
    join ${sql.table('invitees')} as first on first.uri = chain.first_invitee
    left join ${sql.table('scheduled_events')} as first_event on first_event.uri = first.event_uri
    left join ${sql.table('scheduled_events')} as last_event on last_event.uri = last.event_uri`;
}

export const bookingColumns = Object.keys(tables.bookings.columns);

function bookingValues(engine: Engine, changedSeq: Sql): Readonly<Record<string, Sql>> {
  const { textAt, secondsBetween } = bookingSql[engine.name];
  const cancellation = sql`last_event.cancellation`;
  const canceler = sql`coalesce(last.canceler_type, ${textAt(cancellation, { name: 'canceler_type' })})`;
  const notice = secondsBetween(sql`last.canceled_at`, sql`last_event.start_time`);
  const isCanceled = sql`(coalesce(last.status, '') = 'canceled' or coalesce(last_event.status, '') = 'canceled')`;
  const evidence = evidenceOf(engine);
  const payment = (column: string): Sql =>
    sql`case when last.payment is not null then ${sql.ref(`last.${column}`)} else ${sql.ref(`first.${column}`)} end`;
  const values: Readonly<Record<string, Sql>> = {
    journey_uri: sql`chain.journey_uri`,
    first_invitee: sql`chain.first_invitee`,
    last_invitee: sql`chain.last_invitee`,
    invitees: sql`chain.invitees`,
    moves: sql`chain.moves`,
    event_uri: sql`last.event_uri`,
    event_type: sql`last_event.event_type`,
    event_name: sql`last_event.name`,
    first_event_type: sql`first_event.event_type`,
    first_event_name: sql`first_event.name`,
    hosts: sql`last_event.hosts`,
    host: textAt(sql`last_event.hosts`, { index: 0, name: 'user' }),
    host_name: textAt(sql`last_event.hosts`, { index: 0, name: 'user_name' }),
    invitee_email: sql`last.email`,
    invitee_name: sql`last.name`,
    invitee_timezone: sql`last.timezone`,
    ...Object.fromEntries(utmColumns.map((name) => [name, sql.ref(`first.${name}`)])),
    booked_at: sql`first.created_at`,
    first_start_time: sql`first_event.start_time`,
    start_time: sql`last_event.start_time`,
    end_time: sql`last_event.end_time`,
    canceled_at: sql`last.canceled_at`,
    canceler_type: canceler,
    cancel_reason: sql`coalesce(last.cancel_reason, ${textAt(cancellation, { name: 'reason' })})`,
    no_show_at: sql`last.no_show_at`,
    no_show_uri: sql`last.no_show_uri`,
    ending: sql`case when ${movedOn} then 'rescheduled'
      when ${isCanceled} and ${canceler} = 'host' then 'canceled_by_host'
      when ${isCanceled} and ${canceler} = 'invitee' and ${notice} < ${sql.lit(day)} then 'late_cancellation'
      when ${isCanceled} and ${canceler} = 'invitee' then 'canceled_by_invitee'
      when ${isCanceled} then 'canceled'
      when last.no_show_at is not null then 'no_show' end`,
    scheduling_method: sql`last.scheduling_method`,
    routing_form_submission: sql`coalesce(first.routing_form_submission, last.routing_form_submission)`,
    location_kind: textAt(sql`last_event.location`, { name: 'type' }),
    ...Object.fromEntries(paymentColumns.map((name) => [name, payment(name)])),
    evidence: evidence.attendance,
    evidence_recap: evidence.recap,
    evidence_entry: evidence.entry,
    changed_seq: sql`cast(${changedSeq} as bigint)`,
  };
  return Object.fromEntries(bookingColumns.map((name) => [name, values[name] ?? sql`null`]));
}

// What was paid: each payment once, however often its booking was moved.
import { sql } from 'kysely';
import { journeys } from './journeys.ts';
import { reportTime } from '#src/store/time-zones.ts';
import { date, integer, number, text, type View } from '#src/store/views/view.ts';

export const revenue: View = {
  name: 'revenue',
  about:
    'Successful payments by day, currency, provider and event type. A payment that moves with a rescheduled booking counts once.',
  columns: {
    day: date('the day (in `REPORT_TIMEZONE`) of the first booking that carries the payment'),
    currency: text('from the payment; empty if missing'),
    provider: text('from the payment; empty if missing'),
    event_type: text('URI of the event type of that booking; empty if unknown'),
    event_type_name: text('its name'),
    payments: integer('how many'),
    amount: number('sum of the amounts, in the currency of the row'),
  },
  key: ['day', 'currency', 'provider', 'event_type'],
  since: 'day',
  select(dialect, reportZone) {
    const { bytes } = dialect;
    const day = dialect.day(reportTime(dialect, sql`payments.created_at`, reportZone));
    // Without a number of the provider's, the journey says that it is the same payment.
    const identity = sql`coalesce(payment_provider, ''), coalesce(nullif(payment_external_id, ''), ''),
      case when coalesce(payment_external_id, '') = '' then members.journey_uri end`;
    return sql`with recursive ${journeys(dialect)},
    payments as (
      select invitees.created_at, event_uri, payment_currency, payment_provider, payment_amount, row_number() over (
        partition by ${identity} order by invitees.created_at is null, invitees.created_at, ${bytes(sql`invitees.uri`)}
      ) as place
      from invitees join members on members.invitee_uri = invitees.uri
      where payment_successful is true
    )
    select ${day} as day, coalesce(payment_currency, '') as currency,
      coalesce(payment_provider, '') as provider, coalesce(scheduled_events.event_type, '') as event_type,
      max(${bytes(sql`coalesce(event_types.name, scheduled_events.name)`)}) as event_type_name,
      count(*) as payments, coalesce(${dialect.sumOfMoney(sql`payment_amount`)}, 0) as amount
    from payments
    left join scheduled_events on scheduled_events.uri = payments.event_uri
    left join event_types on event_types.uri = scheduled_events.event_type
    where place = 1 and payments.created_at is not null
    group by ${day}, coalesce(payment_currency, ''), coalesce(payment_provider, ''),
      coalesce(scheduled_events.event_type, '')`;
  },
};

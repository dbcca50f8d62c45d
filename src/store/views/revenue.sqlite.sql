-- What this view and its columns mean is said in revenue.postgres.sql.

-- Of the bookings that carry a payment, the first has place 1. Without a number of the provider's, the booking says which payment it is.
with paid as (
  select
    invitees.created_at,
    invitees.event_uri,
    coalesce(invitees.payment_currency, '') as currency,
    coalesce(invitees.payment_provider, '') as provider,
    invitees.payment_amount,
    row_number() over (
      partition by
        coalesce(invitees.payment_provider, ''),
        coalesce(invitees.payment_external_id, ''),
        case when coalesce(invitees.payment_external_id, '') = ''
          then coalesce(followed_invitees.journey_uri, invitees.uri)
        end
      order by invitees.created_at is null, invitees.created_at, invitees.uri
    ) as place
  from invitees
  left join followed_invitees on followed_invitees.invitee_uri = invitees.uri
  where invitees.payment_successful is true
),

-- Local time in the zone of reports; UTC while no settings are stored.
payments as (
  select
    date(substr(created_at, 1, 19), coalesce((
      select offset_seconds from time_zones
      where name = (select lower(report_timezone) from mirror_settings) and starts_at <= created_at
      order by starts_at desc limit 1
    ), 0) || ' seconds') as day,
    currency,
    provider,
    event_uri,
    payment_amount
  from paid
  where place = 1 and created_at is not null
)

select
  payments.day,
  payments.currency,
  payments.provider,
  coalesce(scheduled_events.event_type, '') as event_type,
  max(coalesce(event_types.name, scheduled_events.name)) as event_type_name,
  count(*) as payments,
  -- One number beyond 10^15, which is no amount of money, would swallow the others.
  coalesce(round(sum(payments.payment_amount) filter (where abs(payments.payment_amount) < 1e15), 4), 0) as amount
from payments
left join scheduled_events on scheduled_events.uri = payments.event_uri
left join event_types on event_types.uri = scheduled_events.event_type
group by payments.day, payments.currency, payments.provider, coalesce(scheduled_events.event_type, '');

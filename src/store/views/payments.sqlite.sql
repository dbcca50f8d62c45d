-- What this view and its columns mean is said in payments.postgres.sql.

with carried as (
  select
    invitees.uri,
    bookings.uri as booking,
    invitees.created_at,
    invitees.event_uri,
    invitees.payment_provider,
    invitees.payment_external_id,
    invitees.payment_currency,
    invitees.payment_amount,
    -- Of the invitees that carry a payment, the last has place 1.
    row_number() over (
      partition by
        coalesce(invitees.payment_provider, ''),
        coalesce(invitees.payment_external_id, ''),
        case when coalesce(invitees.payment_external_id, '') = '' then bookings.uri end
      order by invitees.created_at desc nulls last, invitees.uri desc
    ) as place
  from invitees
  left join booking_invitees as own on own.invitee_uri = invitees.uri
  left join booking_invitees as link on link.booking_uri = own.booking_uri and link.is_last
  join bookings on bookings.last_invitee = coalesce(link.invitee_uri, invitees.uri)
  where invitees.payment_successful is true
)

select
  carried.uri as invitee,
  carried.booking,
  carried.created_at,
  -- Local time in the zone of reports; UTC while no settings are stored.
  date(substr(carried.created_at, 1, 19), coalesce((
    select offset_seconds from time_zones
    where name = (select lower(report_timezone) from mirror_settings) and starts_at <= carried.created_at
    order by starts_at desc limit 1
  ), 0) || ' seconds') as day,
  coalesce(carried.payment_provider, '') as provider,
  carried.payment_external_id as external_id,
  coalesce(carried.payment_currency, '') as currency,
  case when abs(carried.payment_amount) < 1e15 then carried.payment_amount else 0 end as amount,
  scheduled_events.event_type,
  coalesce(event_types.name, scheduled_events.name) as event_type_name,
  scheduled_events.hosts
from carried
left join scheduled_events on scheduled_events.uri = carried.event_uri
left join event_types on event_types.uri = scheduled_events.event_type
where carried.place = 1 and carried.created_at is not null;

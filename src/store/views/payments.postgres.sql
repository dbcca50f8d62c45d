-- One row per successful payment: a payment counts once, by its provider and its identifier, with the last invitee that carries it. Without
-- an identifier it counts once per booking.
-- Key: invitee. Since: created_at.
--
-- invitee (text, joins invitees.uri): URI of the last invitee that carries it
-- booking (text): URI of its booking: `uri` in the view `bookings`
-- created_at (time): when that invitee was created
-- day (date): day of `created_at` in `REPORT_TIMEZONE`, which is UTC unless it is set
-- provider (text): who takes the payment; empty if missing
-- external_id (text, holds person): identifier of the payment at the provider
-- currency (text): from the payment; empty if missing
-- amount (number): in units of the currency (not cents); 0 if missing, or if it is 10^15 or more, which is no amount of money
-- event_type (text, joins event_types.uri): URI of the event type of that invitee's meeting
-- event_type_name (text, holds text): name of the event type, or of the meeting if the event type is not mirrored
-- hosts (json, holds person): hosts of that meeting, as sent

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
      order by invitees.created_at desc nulls last, invitees.uri collate "C" desc
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
  (date_trunc('second', carried.created_at at time zone 'UTC') + interval '1 second' * coalesce((
    select offset_seconds from time_zones
    where name = (select lower(report_timezone collate "C") from mirror_settings) and starts_at <= carried.created_at
    order by starts_at desc limit 1
  ), 0))::date as day,
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

select
  contacts.uri as contact_uri,
  contacts.name,
  contacts.company,
  count(journeys.journey_uri) as bookings,
  count(case when journeys.outcome = 'held' then 1 end) as held,
  count(case when journeys.outcome = 'no_show' then 1 end) as no_shows,
  max(case when journeys.outcome = 'held' then journeys.start_time end) as last_held_at,
  min(case when journeys.outcome = 'upcoming' then journeys.start_time end) as next_start_at
from {{ source('slotstream', 'contacts') }} as contacts
-- Not from the incremental model: a contact may be added after the booking.
left join {{ source('slotstream', 'booking_journeys') }} as journeys on journeys.contact_uri = contacts.uri
where contacts.deleted_at is null
group by contacts.uri, contacts.name, contacts.company

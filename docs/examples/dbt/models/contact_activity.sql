select
  contacts.uri as contact_uri,
  contacts.name,
  contacts.company,
  count(bookings.uri) as bookings,
  count(bookings.ended_at) as ended,
  count(case when bookings.outcome = 'no_show' then 1 end) as no_shows,
  max(bookings.ended_at) as last_ended_at,
  min(case when bookings.outcome = 'upcoming' then bookings.start_time end) as next_start_at
from {{ source('slotstream', 'contacts') }} as contacts
left join {{ ref('bookings') }} as bookings on bookings.contact_uri = contacts.uri
where contacts.deleted_at is null
group by contacts.uri, contacts.name, contacts.company

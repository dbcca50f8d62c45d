select
  submissions.uri as submission_uri,
  submissions.routing_form,
  submissions.created_at as submitted_at,
  min(bookings.booked_at) as booked_at,
  extract(epoch from min(bookings.booked_at) - submissions.created_at) as seconds_to_book
from {{ source('slotstream', 'routing_form_submissions') }} as submissions
left join {{ ref('bookings') }} as bookings on bookings.routing_form_submission = submissions.uri
group by submissions.uri, submissions.routing_form, submissions.created_at

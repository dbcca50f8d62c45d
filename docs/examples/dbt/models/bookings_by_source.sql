select
  date_trunc('month', booked_at) as month,
  coalesce(utm_source, '') as utm_source,
  count(*) as booked,
  count(ended_at) as ended,
  count(case when outcome = 'came' then 1 end) as came,
  count(case when outcome = 'no_show' then 1 end) as no_shows,
  count(case when outcome in ('canceled_by_host', 'canceled_by_invitee', 'late_cancellation', 'canceled') then 1 end) as canceled,
  avg(lead_time_seconds) / 86400.0 as days_ahead,
  count(case when payment_successful then 1 end) as paid
from {{ ref('bookings') }}
where booked_at is not null
group by date_trunc('month', booked_at), coalesce(utm_source, '')

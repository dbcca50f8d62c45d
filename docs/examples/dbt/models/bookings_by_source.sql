select
  date_trunc('month', booked_at) as month,
  coalesce(utm_source, '') as utm_source,
  count(*) as booked,
  count(case when outcome = 'held' then 1 end) as held,
  count(case when outcome = 'no_show' then 1 end) as no_shows,
  count(case when outcome in ('canceled_by_host', 'canceled_by_invitee', 'late_cancellation', 'canceled') then 1 end) as canceled,
  avg(lead_time_seconds) / 86400.0 as days_ahead,
  count(case when payment_successful then 1 end) as paid
from {{ ref('journeys') }}
where booked_at is not null
group by date_trunc('month', booked_at), coalesce(utm_source, '')

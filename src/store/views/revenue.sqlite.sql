-- What this view and its columns mean is said in revenue.postgres.sql.

select
  day,
  currency,
  provider,
  coalesce(event_type, '') as event_type,
  max(event_type_name) as event_type_name,
  count(*) as payments,
  round(sum(amount), 4) as amount
from payments
group by day, currency, provider, coalesce(event_type, '');

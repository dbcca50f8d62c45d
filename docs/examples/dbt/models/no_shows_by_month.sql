select
  month,
  case when dimension = 'host_month' then label end as host,
  ended,
  no_shows,
  rate
from {{ source('slotstream', 'no_show_rate') }}
where dimension in ('month', 'host_month') and month <> ''

-- Successful payments (the view `payments`) by day, currency, provider and event type.
-- Key: day, currency, provider, event_type. Since: day.
--
-- day (date): the day (in `REPORT_TIMEZONE`) on which the last invitee that carries the payment was created
-- currency (text): from the payment; empty if missing
-- provider (text): from the payment; empty if missing
-- event_type (text): URI of the event type of that invitee's meeting; empty if unknown
-- event_type_name (text, holds text): its name
-- payments (integer): how many
-- amount (number): sum of the amounts, in the currency of the row

select
  day,
  currency,
  provider,
  coalesce(event_type, '') as event_type,
  max(event_type_name collate "C") as event_type_name,
  count(*) as payments,
  round(sum(amount::numeric), 4)::double precision as amount
from payments
group by day, currency, provider, coalesce(event_type, '');

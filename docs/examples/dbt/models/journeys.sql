{{
  config(
    materialized='incremental',
    unique_key='journey_uri',
    post_hook="delete from {{ this }} where journey_uri not in (select journey_uri from {{ source('slotstream', 'booking_journey_changes') }})"
  )
}}

-- Two journeys become one when a booking turns out to be a move of another one: the hook deletes the second.
-- An upcoming meeting becomes held without an entry in the log, so such journeys are read again, too.
-- Names of hosts and event types follow their own tables: run `dbt build --full-refresh` now and then.
select journeys.*, changes.changed_seq
from {{ source('slotstream', 'booking_journeys') }} as journeys
join {{ source('slotstream', 'booking_journey_changes') }} as changes on changes.journey_uri = journeys.journey_uri
{% if is_incremental() %}
where changes.changed_seq > (select coalesce(max(changed_seq), 0) from {{ this }})
  or journeys.journey_uri in (select journey_uri from {{ this }} where outcome = 'upcoming' or outcome is null)
{% endif %}

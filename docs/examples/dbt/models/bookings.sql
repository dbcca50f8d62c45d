-- The whole view each time: outcomes change as time passes, without an entry in the log.
select * from {{ source('slotstream', 'bookings') }}

-- One row per journey of `booking_journeys`: how far the log was read when it last changed.
-- Key: journey_uri.
--
-- journey_uri (text, joins bookings.journey_uri): URI of the journey
-- changed_seq (integer, joins event_log.seq): `event_log.seq` of the last entry that was read when the booking last changed: the change
--   follows from this entry or one shortly before

select journey_uri, changed_seq
from bookings;

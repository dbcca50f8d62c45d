-- One row per value of a custom field of a contact.
-- Key: contact_uri, field_uri.
--
-- contact_uri (text, joins contacts.uri): URI of the contact
-- field_uri (text, joins custom_field_definitions.uri): URI of the definition of the field
-- label (text, holds text): label of the field when the value was sent
-- value (json, holds text): the value; for `single_select` the UUID of the option

select
  contacts.uri as contact_uri,
  field.uri as field_uri,
  case when jsonb_typeof(field.item -> 'label') = 'string' then field.item ->> 'label' end as label,
  nullif(field.item -> 'value', 'null') as value
from contacts
-- Of a field that the list has twice, the last value.
cross join lateral (
  select distinct on (named.uri) named.uri, listed.item
  from jsonb_array_elements(
    case when jsonb_typeof(contacts.custom_fields) = 'array' then contacts.custom_fields else '[]' end
  ) with ordinality as listed (item, position)
  cross join lateral (
    select case when jsonb_typeof(listed.item -> 'uri') = 'string' then listed.item ->> 'uri' end as uri
  ) as named
  where named.uri is not null
  order by named.uri, listed.position desc
) as field;

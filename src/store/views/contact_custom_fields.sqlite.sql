-- What this view and its columns mean is said in contact_custom_fields.postgres.sql.

-- A plain text is not read as JSON: that would be an error.
select
  contacts.uri as contact_uri,
  field.value ->> '$.uri' as field_uri,
  case json_type(field.value, '$.label') when 'text' then field.value ->> '$.label' end as label,
  nullif(field.value -> '$.value', 'null') as value
from contacts
-- Of a field that the list has twice, the last value: with `max`, the other columns are those of the row that has it.
cross join json_each((
  select json_group_array(json(newest.value))
  from (
    select listed.value, max(listed.key)
    from json_each(case when json_type(contacts.custom_fields) = 'array' then contacts.custom_fields else '[]' end) as listed
    where json_type(case listed.type when 'object' then listed.value end, '$.uri') = 'text'
    group by listed.value ->> '$.uri'
  ) as newest
)) as field;

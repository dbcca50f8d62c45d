-- What this view and its columns mean is said in people.postgres.sql.

-- The rows are computed one by one when they are read, in the order of the keys of `contacts` and `invitees`, so that the first of them
-- are found at once. There are no lateral joins, but the argument of `json_each` may be a query about the row: it is computed once, and
-- only where it is read. A cross join is made in the order in which it is written.
--
-- An address of more than 20 contacts connects no one, and more than 20 connected contacts are not one person: both are shared mailboxes.
-- To find more than 20, 21 are counted.

-- A contact is a row unless an older one is the same person.
select
  contacts.uri as person,
  contacts.uri as contact_uri,
  coalesce(nullif(contacts.name, ''), seen.value ->> '$.name') as name,
  coalesce(contacts.primary_email, (select min(address.value) from json_each(known.value ->> '$.emails') as address)) as primary_email,
  known.value ->> '$.emails' as emails,
  known.value ->> '$.contacts' as contacts,
  connected.value as contact_uris,
  -- Null beside another time does not count.
  coalesce(
    min(known.value ->> '$.first_touch', seen.value ->> '$.first_touch'),
    known.value ->> '$.first_touch',
    seen.value ->> '$.first_touch'
  ) as first_touch,
  coalesce(
    max(known.value ->> '$.last_touch', seen.value ->> '$.last_touch'),
    known.value ->> '$.last_touch',
    seen.value ->> '$.last_touch'
  ) as last_touch,
  seen.value ->> '$.bookings' as bookings,
  seen.value ->> '$.came' as came,
  seen.value ->> '$.unknown' as unknown,
  seen.value ->> '$.no_shows' as no_shows,
  seen.value ->> '$.last_campaign' as last_campaign,
  seen.value ->> '$.next_meeting' as next_meeting,
  seen.value ->> '$.last_meeting' as last_meeting
from contacts

-- The contacts that addresses connect with this one, itself included; only itself where there are too many.
cross join json_each((
  with recursive reached (uri) as (
    select contacts.uri
    union
    select other.uri
    from reached
    cross join contact_emails as mine on mine.contact_uri = reached.uri and mine.email <> ''
    cross join contact_emails as holder
      on (holder.email = lower(mine.email) or (holder.email <> lower(holder.email) and lower(holder.email) = lower(mine.email)))
    cross join contacts as other on other.uri = holder.contact_uri and other.deleted_at is null
    -- Only an address of a contact, and not of so many that it is no one's own.
    where coalesce(nullif((
      select count(*)
      from (
        select 1
        from contact_emails as used
        cross join contacts as live on live.uri = used.contact_uri
        where (used.email = lower(mine.email) or (used.email <> lower(used.email) and lower(used.email) = lower(mine.email)))
          and live.deleted_at is null
        limit 21
      ) as found
    ), 0), 21) <= 20
    limit 21
  )
  select json_array(case when count(*) > 20 then json_array(contacts.uri) else json_group_array(reached.uri) end)
  from (select uri from (select uri from reached limit 21) order by 1) as reached
)) as connected

-- Their addresses and times.
cross join json_each((
  select json_array(json_object(
    'emails', (
      select json_group_array(address)
      from (
        select distinct lower(mine.email) as address
        from json_each(connected.value) as member
        cross join contact_emails as mine on mine.contact_uri = member.value
        where mine.email <> ''
          and case when coalesce(nullif((
            select count(*)
            from (
              select 1
              from contact_emails as used
              cross join contacts as live on live.uri = used.contact_uri
              where (used.email = lower(mine.email) or (used.email <> lower(used.email) and lower(used.email) = lower(mine.email)))
                and live.deleted_at is null
              limit 21
            ) as found
          ), 0), 21) <= 20
          -- One that an older contact has as well is theirs, where so many are connected that they are not one person.
          then not exists (
            select 1
            from contact_emails as holder
            cross join contacts as other on other.uri = holder.contact_uri
            where (holder.email = lower(mine.email) or (holder.email <> lower(holder.email) and lower(holder.email) = lower(mine.email)))
              and other.deleted_at is null
              and case
                when other.created_at < contacts.created_at then true
                when other.created_at > contacts.created_at then false
                when (other.created_at is null) <> (contacts.created_at is null) then contacts.created_at is null
                else other.uri < contacts.uri
              end
          ) else false end
        order by 1
      ) as used
    ),
    'contacts', count(*),
    'first_touch', min(coalesce(min(own.created_at, own.first_email_date), own.created_at, own.first_email_date)),
    'last_touch', max(coalesce(max(own.created_at, own.last_email_date), own.created_at, own.last_email_date))
  ))
  from json_each(connected.value) as member
  cross join contacts as own on own.uri = member.value
)) as known

-- What the invitees with these addresses say. A booking counts for the address of its last invitee.
cross join json_each((
  select json_array(json_object(
    'name', max(name) filter (where name_rank = 1 and name <> ''),
    'first_touch', coalesce(min(min(submitted_at), min(created_at)), min(submitted_at), min(created_at)),
    'last_touch', coalesce(
      max(max(booking ->> '$[1]') filter (where booking ->> '$[2]' in ('came', 'unknown')), max(created_at)),
      max(booking ->> '$[1]') filter (where booking ->> '$[2]' in ('came', 'unknown')),
      max(created_at)
    ),
    'bookings', count(booking),
    'came', count(*) filter (where booking ->> '$[2]' = 'came'),
    'unknown', count(*) filter (where booking ->> '$[2]' = 'unknown'),
    'no_shows', count(*) filter (where booking ->> '$[2]' = 'no_show'),
    'last_campaign', max(utm_campaign) filter (where campaign_rank = 1 and utm_campaign <> ''),
    'next_meeting', min(booking ->> '$[1]') filter (where booking ->> '$[2]' = 'upcoming'),
    'last_meeting', max(booking ->> '$[1]') filter (where booking ->> '$[2]' in ('came', 'unknown'))
  ))
  from (
    select
      invitee.name,
      invitee.utm_campaign,
      invitee.created_at,
      submission.created_at as submitted_at,
      -- The newest with a name, and the newest with a campaign, come first.
      row_number() over (
        order by coalesce(invitee.name, '') = '', invitee.created_at is null, invitee.created_at desc, invitee.uri desc
      ) as name_rank,
      row_number() over (
        order by coalesce(invitee.utm_campaign, '') = '', invitee.created_at is null, invitee.created_at desc, invitee.uri desc
      ) as campaign_rank,
      (select json_array(uri, start_time, outcome) from bookings where last_invitee = invitee.uri) as booking
    from json_each(known.value ->> '$.emails') as address
    cross join invitees as invitee
      on (invitee.email = address.value or (invitee.email <> lower(invitee.email) and lower(invitee.email) = address.value))
    left join routing_form_submissions as submission on submission.uri = invitee.routing_form_submission
  ) as theirs
)) as seen

where contacts.deleted_at is null
  and not exists (
    select 1
    from json_each(connected.value) as member
    join contacts as other on other.uri = member.value
    where case
      when other.created_at < contacts.created_at then true
      when other.created_at > contacts.created_at then false
      when (other.created_at is null) <> (contacts.created_at is null) then contacts.created_at is null
      else other.uri < contacts.uri
    end
  )

union all

-- The first booking with an address that no contact has is a row.
select
  invitees.uri,
  null,
  seen.value ->> '$.name',
  lower(invitees.email),
  json_array(lower(invitees.email)),
  0,
  json_array(),
  seen.value ->> '$.first_touch',
  seen.value ->> '$.last_touch',
  seen.value ->> '$.bookings',
  seen.value ->> '$.came',
  seen.value ->> '$.unknown',
  seen.value ->> '$.no_shows',
  seen.value ->> '$.last_campaign',
  seen.value ->> '$.next_meeting',
  seen.value ->> '$.last_meeting'
from invitees

cross join json_each((
  select json_array(json_object(
    'name', max(name) filter (where name_rank = 1 and name <> ''),
    'first_touch', coalesce(min(min(submitted_at), min(created_at)), min(submitted_at), min(created_at)),
    'last_touch', coalesce(
      max(max(booking ->> '$[1]') filter (where booking ->> '$[2]' in ('came', 'unknown')), max(created_at)),
      max(booking ->> '$[1]') filter (where booking ->> '$[2]' in ('came', 'unknown')),
      max(created_at)
    ),
    'bookings', count(booking),
    'came', count(*) filter (where booking ->> '$[2]' = 'came'),
    'unknown', count(*) filter (where booking ->> '$[2]' = 'unknown'),
    'no_shows', count(*) filter (where booking ->> '$[2]' = 'no_show'),
    'last_campaign', max(utm_campaign) filter (where campaign_rank = 1 and utm_campaign <> ''),
    'next_meeting', min(booking ->> '$[1]') filter (where booking ->> '$[2]' = 'upcoming'),
    'last_meeting', max(booking ->> '$[1]') filter (where booking ->> '$[2]' in ('came', 'unknown'))
  ))
  from (
    select
      invitee.name,
      invitee.utm_campaign,
      invitee.created_at,
      submission.created_at as submitted_at,
      -- The newest with a name, and the newest with a campaign, come first.
      row_number() over (
        order by coalesce(invitee.name, '') = '', invitee.created_at is null, invitee.created_at desc, invitee.uri desc
      ) as name_rank,
      row_number() over (
        order by coalesce(invitee.utm_campaign, '') = '', invitee.created_at is null, invitee.created_at desc, invitee.uri desc
      ) as campaign_rank,
      (select json_array(uri, start_time, outcome) from bookings where last_invitee = invitee.uri) as booking
    from json_each(json_array(lower(invitees.email))) as address
    cross join invitees as invitee
      on (invitee.email = address.value or (invitee.email <> lower(invitee.email) and lower(invitee.email) = address.value))
    left join routing_form_submissions as submission on submission.uri = invitee.routing_form_submission
  ) as theirs
)) as seen

where invitees.email <> ''
  and case when coalesce(nullif((
    select count(*)
    from (
      select 1
      from contact_emails as used
      cross join contacts as live on live.uri = used.contact_uri
      where (used.email = lower(invitees.email) or (used.email <> lower(used.email) and lower(used.email) = lower(invitees.email)))
        and live.deleted_at is null
      limit 21
    ) as found
  ), 0), 21) <= 20
  then false
  else not exists (
    select 1
    from invitees as other
    where (other.email = lower(invitees.email) or (other.email <> lower(other.email) and lower(other.email) = lower(invitees.email)))
      and case
        when other.created_at < invitees.created_at then true
        when other.created_at > invitees.created_at then false
        when (other.created_at is null) <> (invitees.created_at is null) then invitees.created_at is null
        else other.uri < invitees.uri
      end
  ) end;

-- One row per person, over all e-mail addresses of contacts and invitees.
-- Key: person. Since: first_touch.
--
-- person (text): URI of the oldest contact of the person; without a contact, of the first booking
-- contact_uri (text, joins contacts.uri): URI of the oldest contact; null if no contact has the address
-- name (text, holds person): name of that contact, else of the last booking that has one
-- primary_email (text, holds person): primary address of that contact, else the first of `emails`
-- emails (json, holds person): the addresses in lower case, sorted
-- contacts (integer): how many contacts the person has
-- contact_uris (json): their URIs, sorted
-- first_touch (time): the first of: contact created, first e-mail, form submitted before a booking, booking made
-- last_touch (time): the last of: contact created, last e-mail, booking made, start of a meeting that ended and was not missed
-- bookings (integer): bookings; a rescheduled one counts once
-- came (integer): bookings to which the person came
-- unknown (integer): bookings that ended and of which nothing shows whether the person came
-- no_shows (integer): bookings that the person missed
-- last_campaign (text, holds text): `utm_campaign` of the last booking that has one
-- next_meeting (time): start of the next meeting that is upcoming
-- last_meeting (time): start of the last meeting that ended and was not missed

-- The rows are computed one by one when they are read, in the order of the keys of `contacts` and `invitees`, so that the first of them
-- are found at once. PostgreSQL would join whole tables instead: it does not look behind an `offset 0`, and has to take every row alone.
--
-- An address of more than 20 contacts connects no one, and more than 20 connected contacts are not one person: both are shared mailboxes.
-- To find more than 20, 21 are counted.
--
-- An address in any letter case is found by two queries instead of an `or`, each with an index in its own collation. The lengths are always
-- equal; without them PostgreSQL expects thousands of rows.

-- A contact is a row unless an older one is the same person.
(
  select
    contacts.uri as person,
    contacts.uri as contact_uri,
    coalesce(nullif(contacts.name, ''), seen.name) as name,
    coalesce(
      contacts.primary_email,
      (select min(address.value collate "C") from jsonb_array_elements_text(known.emails) as address)
    ) as primary_email,
    known.emails,
    known.contacts,
    connected.uris as contact_uris,
    least(known.first_touch, seen.first_touch) as first_touch,
    greatest(known.last_touch, seen.last_touch) as last_touch,
    seen.bookings,
    seen.came,
    seen.unknown,
    seen.no_shows,
    seen.last_campaign,
    seen.next_meeting,
    seen.last_meeting
  from contacts

  -- The contacts that addresses connect with this one, itself included; only itself where there are too many.
  cross join lateral (
    with recursive reached (uri) as (
      select contacts.uri
      union
      select other.uri
      from reached
      cross join lateral (select email from contact_emails where contact_uri = reached.uri and email <> '' offset 0) as mine
      cross join lateral (
        select contact_uri from contact_emails
        where email = (lower(mine.email collate "C") collate "default")
        union all
        select contact_uri from contact_emails
        where email <> lower(email collate "C")
          and lower(email collate "C") = lower(mine.email collate "C")
          and length(email) = length(lower(mine.email collate "C"))
      ) as holder
      cross join lateral (
        select uri from contacts where uri = holder.contact_uri and deleted_at is null offset 0
      ) as other
      -- Only an address of a contact, and not of so many that it is no one's own.
      where coalesce(nullif((
        select count(*)
        from (
          select 1
          from (
            select contact_uri from contact_emails
            where email = (lower(mine.email collate "C") collate "default")
            union all
            select contact_uri from contact_emails
            where email <> lower(email collate "C")
              and lower(email collate "C") = lower(mine.email collate "C")
              and length(email) = length(lower(mine.email collate "C"))
          ) as used
          cross join lateral (select deleted_at from contacts where uri = used.contact_uri offset 0) as live
          where live.deleted_at is null
          limit 21
        ) as found
      ), 0), 21) <= 20
    )
    select case
        when count(*) > 20 then jsonb_build_array(contacts.uri)
        else coalesce(jsonb_agg(reached.uri order by reached.uri collate "C"), '[]')
      end as uris
    from (select uri from reached limit 21) as reached
    offset 0
  ) as connected

  -- Their addresses and times.
  cross join lateral (
    select
      (
        select coalesce(jsonb_agg(address order by address collate "C"), '[]')
        from (
          select distinct lower(mine.email collate "C") as address
          from jsonb_array_elements_text(connected.uris) as member
          cross join lateral (select email from contact_emails where contact_uri = member.value offset 0) as mine
          where mine.email <> ''
            and case when coalesce(nullif((
              select count(*)
              from (
                select 1
                from (
                  select contact_uri from contact_emails
                  where email = (lower(mine.email collate "C") collate "default")
                  union all
                  select contact_uri from contact_emails
                  where email <> lower(email collate "C")
                    and lower(email collate "C") = lower(mine.email collate "C")
                    and length(email) = length(lower(mine.email collate "C"))
                ) as used
                cross join lateral (select deleted_at from contacts where uri = used.contact_uri offset 0) as live
                where live.deleted_at is null
                limit 21
              ) as found
            ), 0), 21) <= 20
            -- One that an older contact has as well is theirs, where so many are connected that they are not one person.
            then not exists (
              select 1
              from (
                select contact_uri from contact_emails
                where email = (lower(mine.email collate "C") collate "default")
                union all
                select contact_uri from contact_emails
                where email <> lower(email collate "C")
                  and lower(email collate "C") = lower(mine.email collate "C")
                  and length(email) = length(lower(mine.email collate "C"))
              ) as holder
              cross join lateral (select * from contacts where uri = holder.contact_uri offset 0) as other
              where other.deleted_at is null
                and case
                  when other.created_at < contacts.created_at then true
                  when other.created_at > contacts.created_at then false
                  when (other.created_at is null) <> (contacts.created_at is null) then contacts.created_at is null
                  else other.uri collate "C" < contacts.uri collate "C"
                end
              limit 1 offset 0
            ) else false end
        ) as used
      ) as emails,
      count(*) as contacts,
      min(least(own.created_at, own.first_email_date)) as first_touch,
      max(greatest(own.created_at, own.last_email_date)) as last_touch
    from jsonb_array_elements_text(connected.uris) as member
    cross join lateral (select * from contacts where uri = member.value offset 0) as own
    offset 0
  ) as known

  -- What the invitees with these addresses say. A booking counts for the address of its last invitee.
  cross join lateral (
    select
      max(booking.name) filter (where name_rank = 1 and booking.name <> '') as name,
      least(min(submitted_at), min(created_at)) as first_touch,
      greatest(max(start_time) filter (where outcome in ('came', 'unknown')), max(created_at)) as last_touch,
      count(booking_uri) as bookings,
      count(*) filter (where outcome = 'came') as came,
      count(*) filter (where outcome = 'unknown') as unknown,
      count(*) filter (where outcome = 'no_show') as no_shows,
      max(utm_campaign) filter (where campaign_rank = 1 and utm_campaign <> '') as last_campaign,
      min(start_time) filter (where outcome = 'upcoming') as next_meeting,
      max(start_time) filter (where outcome in ('came', 'unknown')) as last_meeting
    from (
      select
        invitee.name,
        invitee.utm_campaign,
        invitee.created_at,
        submission.created_at as submitted_at,
        -- The newest with a name, and the newest with a campaign, come first.
        row_number() over (
          order by coalesce(invitee.name, '') = '', invitee.created_at is null, invitee.created_at desc, invitee.uri collate "C" desc
        ) as name_rank,
        row_number() over (
          order by coalesce(invitee.utm_campaign, '') = '', invitee.created_at is null, invitee.created_at desc, invitee.uri collate "C" desc
        ) as campaign_rank,
        booking.uri as booking_uri,
        booking.start_time,
        booking.outcome
      from jsonb_array_elements_text(known.emails) as address
      cross join lateral (
        select invitees.* from invitees
        where email = (address.value collate "default")
        union all
        select invitees.* from invitees
        where email <> lower(email collate "C")
          and lower(email collate "C") = address.value
          and length(email) = length(address.value)
      ) as invitee
      left join lateral (select uri, start_time, outcome from bookings where last_invitee = invitee.uri offset 0) as booking on true
      left join lateral (
        select * from routing_form_submissions where uri = invitee.routing_form_submission offset 0
      ) as submission on true
    ) as booking
    offset 0
  ) as seen

  where contacts.deleted_at is null
    and not exists (
      select 1
      from jsonb_array_elements_text(connected.uris) as member
      join contacts as other on other.uri = member.value
      where case
        when other.created_at < contacts.created_at then true
        when other.created_at > contacts.created_at then false
        when (other.created_at is null) <> (contacts.created_at is null) then contacts.created_at is null
        else other.uri collate "C" < contacts.uri collate "C"
      end
    )
  order by contacts.uri
)

union all

-- The first booking with an address that no contact has is a row.
(
  select
    invitees.uri,
    null,
    seen.name,
    lower(invitees.email collate "C"),
    jsonb_build_array(lower(invitees.email collate "C")),
    0,
    '[]',
    seen.first_touch,
    seen.last_touch,
    seen.bookings,
    seen.came,
    seen.unknown,
    seen.no_shows,
    seen.last_campaign,
    seen.next_meeting,
    seen.last_meeting
  from invitees

  cross join lateral (
    select
      max(booking.name) filter (where name_rank = 1 and booking.name <> '') as name,
      least(min(submitted_at), min(created_at)) as first_touch,
      greatest(max(start_time) filter (where outcome in ('came', 'unknown')), max(created_at)) as last_touch,
      count(booking_uri) as bookings,
      count(*) filter (where outcome = 'came') as came,
      count(*) filter (where outcome = 'unknown') as unknown,
      count(*) filter (where outcome = 'no_show') as no_shows,
      max(utm_campaign) filter (where campaign_rank = 1 and utm_campaign <> '') as last_campaign,
      min(start_time) filter (where outcome = 'upcoming') as next_meeting,
      max(start_time) filter (where outcome in ('came', 'unknown')) as last_meeting
    from (
      select
        invitee.name,
        invitee.utm_campaign,
        invitee.created_at,
        submission.created_at as submitted_at,
        -- The newest with a name, and the newest with a campaign, come first.
        row_number() over (
          order by coalesce(invitee.name, '') = '', invitee.created_at is null, invitee.created_at desc, invitee.uri collate "C" desc
        ) as name_rank,
        row_number() over (
          order by coalesce(invitee.utm_campaign, '') = '', invitee.created_at is null, invitee.created_at desc, invitee.uri collate "C" desc
        ) as campaign_rank,
        booking.uri as booking_uri,
        booking.start_time,
        booking.outcome
      from (select lower(invitees.email collate "C") as value) as address
      cross join lateral (
        select invitees.* from invitees
        where email = (address.value collate "default")
        union all
        select invitees.* from invitees
        where email <> lower(email collate "C")
          and lower(email collate "C") = address.value
          and length(email) = length(address.value)
      ) as invitee
      left join lateral (select uri, start_time, outcome from bookings where last_invitee = invitee.uri offset 0) as booking on true
      left join lateral (
        select * from routing_form_submissions where uri = invitee.routing_form_submission offset 0
      ) as submission on true
    ) as booking
    offset 0
  ) as seen

  where invitees.email <> ''
    and case when coalesce(nullif((
      select count(*)
      from (
        select 1
        from (
          select contact_uri from contact_emails
          where email = (lower(invitees.email collate "C") collate "default")
          union all
          select contact_uri from contact_emails
          where email <> lower(email collate "C")
            and lower(email collate "C") = lower(invitees.email collate "C")
            and length(email) = length(lower(invitees.email collate "C"))
        ) as used
        cross join lateral (select deleted_at from contacts where uri = used.contact_uri offset 0) as live
        where live.deleted_at is null
        limit 21
      ) as found
    ), 0), 21) <= 20
    then false
    else not exists (
      select 1
      from (
        select * from invitees as same
        where email = (lower(invitees.email collate "C") collate "default")
        union all
        select * from invitees as same
        where email <> lower(email collate "C")
          and lower(email collate "C") = lower(invitees.email collate "C")
          and length(email) = length(lower(invitees.email collate "C"))
      ) as other
      where case
        when other.created_at < invitees.created_at then true
        when other.created_at > invitees.created_at then false
        when (other.created_at is null) <> (invitees.created_at is null) then invitees.created_at is null
        else other.uri collate "C" < invitees.uri collate "C"
      end
      limit 1 offset 0
    ) end
  order by invitees.uri
);

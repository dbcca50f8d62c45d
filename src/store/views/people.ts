// People: the contacts that share an address are one person, and so is an address without a contact. The rows are computed one by one
// when they are read, in the order of the keys of `contacts` and `invitees`, so that the first of them are found at once.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { outcomeOf } from '#src/store/bookings/booking-rows.ts';
import { attendanceOf, withoutEvidence } from '#src/store/bookings/evidence.ts';
import type { OneRow, OneRowSelect, Sql, SqlDialect } from '#src/store/sql-dialect.ts';
import { integer, json, text, time, type View } from './view.ts';

/** An address of more contacts connects no one, and more connected contacts are not one person: both are shared mailboxes. */
export const mostContacts = 20;

export const people: View = {
  name: 'people',
  about: 'One row per person, over all e-mail addresses of contacts and invitees.',
  columns: {
    person: text('URI of the oldest contact of the person; without a contact, of the first booking'),
    contact_uri: text('URI of the oldest contact; null if no contact has the address'),
    name: text('name of that contact, else of the last booking that has one'),
    primary_email: text('primary address of that contact, else the first of `emails`'),
    emails: json('the addresses in lower case, sorted'),
    contacts: integer('how many contacts the person has'),
    contact_uris: json('their URIs, sorted'),
    first_touch: time('the first of: contact created, first e-mail, form submitted before a booking, booking made'),
    last_touch: time('the last of: contact created, last e-mail, booking made, start of a meeting that was held'),
    bookings: integer('bookings; a rescheduled one counts once'),
    shows: integer('bookings that were held'),
    unconfirmed: integer('bookings of `shows` whose `attendance` is `unconfirmed` or `suspected_no_show`'),
    no_shows: integer('bookings that the person missed'),
    last_campaign: text('`utm_campaign` of the last booking that has one'),
    next_meeting: time('start of the next meeting that is upcoming'),
    last_meeting: time('start of the last meeting that was held'),
  },
  key: ['person'],
  since: 'first_touch',
  select: (dialect) => selectPeople(dialect),
};

export const selectPeople = (dialect: SqlDialect, most = mostContacts): Sql =>
  sql`${dialect.sortedPart(withContact(dialect, most), 'contacts.uri')}
    union all ${dialect.sortedPart(withoutContact(dialect, most), 'invitees.uri')}`;

/** A contact is a row unless an older one is the same person. */
function withContact(dialect: SqlDialect, most: number): Sql {
  const { bytes, list, texts, oneRow, lowerCase } = dialect;
  const connected = oneRow('connected', connectedContacts(dialect, sql`contacts.uri`, most));
  const uris = connected.value('uris');
  const address = lowerCase('mine.email');
  // One that an older contact has as well is theirs, where so many are connected that they are not one person.
  const emails = sql`(select ${list(sql`address`)} from (
      select distinct ${address} as address
      from ${texts(uris, 'member')} ${dialect.lookUp('join', 'contact_emails', { as: 'mine', on: sql`mine.contact_uri = member.value` })}
      where mine.email <> '' and case when ${isTheirs(dialect, address, most)} then not exists (
        select 1 from ${one} ${dialect.lookUpAddress('contact_emails', { as: 'holder', address })}
        ${dialect.lookUp('join', 'contacts', { as: 'other', on: sql`other.uri = holder.contact_uri` })}
        where other.deleted_at is null and ${isBefore(dialect, 'other', 'contacts')} limit 1 offset 0) else false end
      order by 1
    ) as used)`;
  const known = oneRow('known', {
    values: {
      emails,
      contacts: sql`count(*)`,
      first_touch: sql`min(${lesser(sql`own.created_at`, sql`own.first_email_date`)})`,
      last_touch: sql`max(${greater(sql`own.created_at`, sql`own.last_email_date`)})`,
    },
    from: sql`from ${texts(uris, 'member')} ${dialect.lookUp('join', 'contacts', { as: 'own', on: sql`own.uri = member.value` })}`,
  });
  const seen = bookingsOf(dialect, known.value('emails'));
  return sql`select contacts.uri as person, contacts.uri as contact_uri,
      coalesce(nullif(contacts.name, ''), ${seen.value('name')}) as name,
      coalesce(contacts.primary_email,
        (select min(${bytes(sql`email.value`)}) from ${texts(known.value('emails'), 'email')})) as primary_email,
      ${known.value('emails')} as emails, cast(${known.value('contacts')} as bigint) as contacts, ${uris} as contact_uris,
      ${lesser(known.value('first_touch'), seen.value('first_touch'))} as first_touch,
      ${greater(known.value('last_touch'), seen.value('last_touch'))} as last_touch, ${counts(seen)}
    from contacts ${connected.join} ${known.join} ${seen.join}
    where contacts.deleted_at is null and not exists (
      select 1 from ${texts(uris, 'member')} join contacts as other on other.uri = member.value
      where ${isBefore(dialect, 'other', 'contacts')})`;
}

/** The first booking with an address that no contact has is a row. */
function withoutContact(dialect: SqlDialect, most: number): Sql {
  const address = dialect.lowerCase('invitees.email');
  const emails = dialect.listOf(address);
  const seen = bookingsOf(dialect, emails);
  return sql`select invitees.uri, cast(null as text), ${seen.value('name')}, ${address}, ${emails}, cast(0 as bigint), ${dialect.listOf()},
      ${seen.value('first_touch')}, ${seen.value('last_touch')}, ${counts(seen)}
    from invitees ${seen.join}
    where ${isWithoutContact(dialect, most)}`;
}

/** Of a row of `invitees`: the first booking with an address that no contact has. */
export function isWithoutContact(dialect: SqlDialect, most = mostContacts): RawBuilder<SqlBool> {
  const address = dialect.lowerCase('invitees.email');
  return sql<SqlBool>`invitees.email <> '' and case when ${isTheirs(dialect, address, most)} then false else not exists (
      select 1 from ${one} ${dialect.lookUpAddress('invitees', { as: 'other', address })}
      where ${isBefore(dialect, 'other', 'invitees')} limit 1 offset 0) end`;
}

/** `uris`: the contacts that addresses connect with one, itself included; only itself where there are too many. */
export function connectedContacts(dialect: SqlDialect, contact: Sql, most = mostContacts): OneRowSelect {
  const { list, lookUp } = dialect;
  const address = dialect.lowerCase('mine.email');
  const limit = sql`limit ${sql.lit(most + 1)}`;
  return {
    values: {
      uris: sql`case when count(*) > ${sql.lit(most)} then ${dialect.listOf(contact)} else ${list(sql`reached.uri`)} end`,
    },
    with: sql`with recursive reached (uri) as (
        select ${contact}
        union
        select other.uri from reached
        ${lookUp('join', 'contact_emails', { as: 'mine', on: sql`mine.contact_uri = reached.uri and mine.email <> ''` })}
        ${dialect.lookUpAddress('contact_emails', { as: 'holder', address })}
        ${lookUp('join', 'contacts', { as: 'other', on: sql`other.uri = holder.contact_uri and other.deleted_at is null` })}
        where ${isTheirs(dialect, address, most)}
        ${dialect.limitsRecursion ? limit : sql``}
      )`,
    from: sql`from (select uri from (select uri from reached ${limit}) as first order by 1) as reached`,
  };
}

/** Whether an address is that of a contact, and not of so many that it is no one's own. */
const isTheirs = (dialect: SqlDialect, address: Sql, most: number): Sql =>
  sql`(coalesce(nullif((select count(*) from (
      select 1 from ${one} ${dialect.lookUpAddress('contact_emails', { as: 'used', address })}
      ${dialect.lookUp('join', 'contacts', { as: 'live', on: sql`live.uri = used.contact_uri` })}
      where live.deleted_at is null limit ${sql.lit(most + 1)}
    ) as found), 0), ${sql.lit(most + 1)}) <= ${sql.lit(most)})`;

const one = sql`(select 1 as one) as one`;

/** By the time of creation, one without it last; the URI decides between equal times. */
function isBefore({ bytes }: SqlDialect, a: string, b: string): Sql {
  const [createdA, createdB] = [sql.ref(`${a}.created_at`), sql.ref(`${b}.created_at`)];
  return sql`case when ${createdA} < ${createdB} then true when ${createdA} > ${createdB} then false
    when (${createdA} is null) <> (${createdB} is null) then ${createdB} is null
    else ${bytes(sql.ref(`${a}.uri`))} < ${bytes(sql.ref(`${b}.uri`))} end`;
}

/** Of two times, of which one or both may be missing. */
const lesser = (a: Sql, b: Sql): Sql => sql`case when ${b} < ${a} or ${a} is null then ${b} else ${a} end`;
const greater = (a: Sql, b: Sql): Sql => sql`case when ${b} > ${a} or ${a} is null then ${b} else ${a} end`;

const counted = ['bookings', 'shows', 'unconfirmed', 'no_shows', 'last_campaign', 'next_meeting', 'last_meeting'];
const counts = ({ value }: OneRow): Sql => sql.join(counted.map((name) => sql`${value(name)} as ${sql.id(name)}`));

/** What the invitees with these addresses say. A booking counts for the address of its last invitee. */
function bookingsOf(dialect: SqlDialect, emails: Sql): OneRow {
  const { lookUp } = dialect;
  const newest = (column: string) => sql`row_number() over (order by coalesce(${sql.ref(column)}, '') = '',
    booked.created_at is null, booked.created_at desc, ${dialect.bytes(sql`booked.uri`)} desc)`;
  const countOf = (outcome: string) => sql`count(case outcome when ${sql.lit(outcome)} then 1 end)`;
  return dialect.oneRow('seen', {
    values: {
      name: sql`max(case name_rank when 1 then nullif(name, '') end)`,
      first_touch: lesser(sql`min(submitted_at)`, sql`min(created_at)`),
      last_touch: greater(sql`max(case outcome when 'held' then start_time end)`, sql`max(created_at)`),
      bookings: sql`count(journey_uri)`,
      shows: countOf('held'),
      unconfirmed: sql`count(case when attendance in (${withoutEvidence}) then 1 end)`,
      no_shows: countOf('no_show'),
      last_campaign: sql`max(case campaign_rank when 1 then nullif(utm_campaign, '') end)`,
      next_meeting: sql`min(case outcome when 'upcoming' then start_time end)`,
      last_meeting: sql`max(case outcome when 'held' then start_time end)`,
    },
    from: sql`from (
        select booked.name, booked.utm_campaign, booked.created_at, submissions.created_at as submitted_at,
          ${newest('booked.name')} as name_rank, ${newest('booked.utm_campaign')} as campaign_rank,
          bookings.journey_uri, bookings.start_time, ${outcomeOf(dialect)} as outcome, ${attendanceOf(dialect)} as attendance
        from ${dialect.texts(emails, 'address')}
        ${dialect.lookUpAddress('invitees', { as: 'booked', address: sql`address.value` })}
        ${lookUp('left join', 'bookings', { on: sql`bookings.last_invitee = booked.uri` })}
        ${lookUp('left join', 'routing_form_submissions', { as: 'submissions', on: sql`submissions.uri = booked.routing_form_submission` })}
      ) as seen`,
  });
}

// Which contacts are one person, and which bookings are a person without a contact: as in the view `people`, for a few rows. They are here
// because that view is to be defined anew: nothing else uses them.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { StoreEngine } from '#src/store/contract.ts';
import type { Sql } from '#src/store/sql-dialect.ts';

/** An address of more contacts connects no one, and more connected contacts are not one person: both are shared mailboxes. */
export const mostContacts = 20;

const tooMany = sql.lit(mostContacts + 1);

interface PeopleSql {
  /** Of rows of `contacts` that meet a condition: the list `uris` of the contacts that addresses connect with each, itself included. */
  connected(condition: Sql): Sql;
  /** Of a row of `invitees`: whether its address is that of a contact, and not of so many that it is no one's own. */
  readonly isOfContact: Sql;
  /** The rows of `invitees` with the address of a row of `invitees`, as `other`. */
  readonly sameAddress: Sql;
}

// PostgreSQL: two queries instead of an `or`, each with an index in its own collation. The lengths are always equal; without them it expects
// thousands of rows. It does not look behind an `offset 0`, and has to take every row alone.
const rowsWith = (table: string, address: Sql): Sql => sql`(
  select * from ${sql.table(table)} as same where same.email = (${address} collate "default")
  union all
  select * from ${sql.table(table)} as same where same.email <> lower(same.email collate "C")
    and lower(same.email collate "C") = ${address} and length(same.email) = length(${address}))`;

const isOwnOnPostgres = (address: Sql): Sql => sql`coalesce(nullif((select count(*) from (
    select 1 from ${rowsWith('contact_emails', address)} as used
    cross join lateral (select deleted_at from ${sql.table('contacts')} where uri = used.contact_uri offset 0) as live
    where live.deleted_at is null limit ${tooMany}
  ) as found), 0), ${tooMany}) <= ${sql.lit(mostContacts)}`;

// SQLite: a cross join is made in the order in which it is written.
const hasAddress = (table: string, address: Sql): Sql => {
  const email = sql.ref(`${table}.email`);
  return sql`(${email} = ${address} or (${email} <> lower(${email}) and lower(${email}) = ${address}))`;
};

const isOwnOnSqlite = (address: Sql): Sql => sql`coalesce(nullif((select count(*) from (
    select 1 from ${sql.table('contact_emails')} as used cross join ${sql.table('contacts')} as live on live.uri = used.contact_uri
    where ${hasAddress('used', address)} and live.deleted_at is null limit ${tooMany}
  ) as found), 0), ${tooMany}) <= ${sql.lit(mostContacts)}`;

export const peopleSql: Readonly<Record<StoreEngine['name'], PeopleSql>> = {
  postgres: {
    connected: (condition) => sql`select connected.uris from ${sql.table('contacts')} cross join lateral (
      with recursive reached (uri) as (
        select contacts.uri
        union
        select other.uri from reached
        cross join lateral (select email from ${sql.table('contact_emails')} where contact_uri = reached.uri and email <> '' offset 0) as mine
        cross join lateral ${rowsWith('contact_emails', sql`lower(mine.email collate "C")`)} as holder
        cross join lateral (select uri from ${sql.table('contacts')} where uri = holder.contact_uri and deleted_at is null offset 0) as other
        where ${isOwnOnPostgres(sql`lower(mine.email collate "C")`)}
      )
      select case when count(*) > ${sql.lit(mostContacts)} then jsonb_build_array(contacts.uri) else jsonb_agg(reached.uri) end as uris
      from (select uri from reached limit ${tooMany}) as reached offset 0
    ) as connected where ${condition}`,
    isOfContact: isOwnOnPostgres(sql`lower(invitees.email collate "C")`),
    sameAddress: sql`${rowsWith('invitees', sql`lower(invitees.email collate "C")`)} as other where true`,
  },
  sqlite: {
    connected: (condition) => sql`select (
      with recursive reached (uri) as (
        select contacts.uri
        union
        select other.uri from reached
        cross join ${sql.table('contact_emails')} as mine on mine.contact_uri = reached.uri and mine.email <> ''
        cross join ${sql.table('contact_emails')} as holder on ${hasAddress('holder', sql`lower(mine.email)`)}
        cross join ${sql.table('contacts')} as other on other.uri = holder.contact_uri and other.deleted_at is null
        where ${isOwnOnSqlite(sql`lower(mine.email)`)}
        limit ${tooMany}
      )
      select case when count(*) > ${sql.lit(mostContacts)} then json_array(contacts.uri) else json_group_array(uri) end from reached
    ) as uris from ${sql.table('contacts')} where ${condition}`,
    isOfContact: isOwnOnSqlite(sql`lower(invitees.email)`),
    sameAddress: sql`invitees as other where ${hasAddress('other', sql`lower(invitees.email)`)}`,
  },
};

/** Of a row of `invitees`: the first booking with an address that no contact has. By the time of creation, one without it last. */
export function isWithoutContact({ name, dialect }: StoreEngine): RawBuilder<SqlBool> {
  const { isOfContact, sameAddress } = peopleSql[name];
  return sql<SqlBool>`invitees.email <> '' and case when ${isOfContact} then false else not exists (
    select 1 from ${sameAddress} and case when other.created_at < invitees.created_at then true
      when other.created_at > invitees.created_at then false
      when (other.created_at is null) <> (invitees.created_at is null) then invitees.created_at is null
      else ${dialect.bytes(sql`other.uri`)} < ${dialect.bytes(sql`invitees.uri`)} end limit 1 offset 0) end`;
}

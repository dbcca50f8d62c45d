// Custom fields of contacts and the answers of forms become views of the lists that contacts, invitees and submissions have anyway: as
// tables, they were a second copy of each list, written with every change of it.
//
// On PostgreSQL, views that read one of the tables read the view from now on, and the view has the owner and the readers of the table.
// What a view cannot have, or would lose in silence, stops the migration.
import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Migration } from 'kysely/migration';
import { propertyOf } from '#schemas/wire.ts';
import { codeOf, isContention, SlotstreamError } from '#src/base/errors.ts';
import type { StorageTypes } from './storage-types.ts';

const onSqlite: Readonly<Record<string, string>> = {
  contact_custom_fields: `select contacts.uri as contact_uri, item.value ->> '$.uri' as field_uri, item.value ->> '$.label' as label,
    nullif(item.value -> '$.value', 'null') as value
    from contacts cross join json_each((select json_group_array(json(newest.value)) from (select listed.value, max(listed.key)
      from json_each(contacts.custom_fields) as listed group by listed.value ->> '$.uri') as newest)) as item`,
  invitee_answers: `select invitees.uri as invitee_uri, item.key as item, item.value ->> '$.position' as position,
    item.value ->> '$.question' as question, item.value ->> '$.answer' as answer
    from invitees cross join json_each(invitees.questions_and_answers) as item`,
  routing_form_answers: `select routing_form_submissions.uri as submission_uri, item.key as item,
    item.value ->> '$.question_uuid' as question_uuid, item.value ->> '$.question' as question, item.value ->> '$.answer' as answer
    from routing_form_submissions cross join json_each(routing_form_submissions.questions_and_answers) as item`,
};

const elements = (column: string) =>
  `lateral jsonb_array_elements(case when jsonb_typeof(${column}) = 'array' then ${column} end) with ordinality as item(value, position)`;

const onPostgres: Readonly<Record<string, string>> = {
  contact_custom_fields: `select distinct on (contacts.uri, item.value ->> 'uri') contacts.uri as contact_uri,
    item.value ->> 'uri' as field_uri, item.value ->> 'label' as label, nullif(item.value -> 'value', 'null'::jsonb) as value
    from contacts cross join ${elements('contacts.custom_fields')} order by contacts.uri, item.value ->> 'uri', item.position desc`,
  invitee_answers: `select invitees.uri as invitee_uri, item.position - 1 as item, (item.value ->> 'position')::bigint as position,
    item.value ->> 'question' as question, item.value ->> 'answer' as answer
    from invitees cross join ${elements('invitees.questions_and_answers')}`,
  routing_form_answers: `select routing_form_submissions.uri as submission_uri, item.position - 1 as item,
    item.value ->> 'question_uuid' as question_uuid, item.value ->> 'question' as question, item.value ->> 'answer' as answer
    from routing_form_submissions cross join ${elements('routing_form_submissions.questions_and_answers')}`,
};

const columns: Readonly<Record<string, readonly string[]>> = {
  contact_custom_fields: ['contact_uri', 'field_uri', 'label', 'value'],
  invitee_answers: ['invitee_uri', 'item', 'position', 'question', 'answer'],
  routing_form_answers: ['submission_uri', 'item', 'question_uuid', 'question', 'answer'],
};
const names = Object.keys(columns);
const formerOf = (name: string) => `slotstream_former_${name}`;

/** The views are first made here, so that nothing that reads them ever misses them; the start that follows makes them anew. */
export function listViews(types: StorageTypes): Migration {
  const replaceTables = types.textSearch === 'fts5' ? replaceOnSqlite : replaceOnPostgres;
  return { up: (db: Kysely<unknown>) => replaceTables(db) };
}

async function replaceOnSqlite(db: Kysely<unknown>): Promise<void> {
  // To drop a table deletes its rows first, and with them those that refer to them.
  const { rows } = await sql<{ owner: string; name: string }>`select master.name as owner, lower(key."table") as name
    from sqlite_master as master cross join pragma_foreign_key_list(master.name) as key
    where master.type = 'table' and lower(key."table") in (${sql.join(names)})`.execute(db);
  for (const { owner, name } of rows) throw refusal(name, `the table ${owner} has a foreign key to it`);
  for (const [name, select] of Object.entries(onSqlite)) {
    await sql.raw(`drop table ${name}`).execute(db);
    await sql.raw(`create view ${name} as /* Kept by Slotstream: changes made here are lost. */ ${select}`).execute(db);
  }
}

async function replaceOnPostgres(db: Kysely<unknown>): Promise<void> {
  for (const name of names) await refuseWhatWouldBeLost(db, name);
  // A reader locks a view and then its table. In another order, each would wait for the other.
  for (const view of await viewsOn(db, names)) await attempt(view.table, () => replaceView(db, view));
  for (const [name, select] of Object.entries(onPostgres)) await attempt(name, () => createView(db, name, select));
  for (const view of await viewsOn(db, names.map(formerOf)))
    await attempt(view.table.replace(formerOf(''), ''), () => replaceView(db, view));
  for (const name of names) await attempt(name, () => sql.raw(`drop table ${formerOf(name)}`).execute(db));
}

/** Says which objects of the user are in the way. */
async function attempt(name: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (isContention(cause)) throw cause;
    const detail = propertyOf(cause, codeOf(cause) === '2BP01' ? 'detail' : 'message');
    throw refusal(name, String(detail).replaceAll(formerOf(''), ''), cause);
  }
}

function refusal(name: string, reason: string, cause?: unknown): SlotstreamError {
  return new SlotstreamError('store_unavailable', `The table ${name} cannot become a view: ${reason}.`, {
    hint: `Nothing has changed. Drop what it names, start again, then create it again on the view ${name}.`,
    cause,
  });
}

/** Policies that hide rows, a publication, columns: a view would show what they hide, or lack them without a word. */
async function refuseWhatWouldBeLost(db: Kysely<unknown>, name: string): Promise<void> {
  const { rows } = await sql<{ reason: string }>`
    select 'it has row level security' as reason from pg_class where oid = ${oidOf(name)} and relrowsecurity
    union all select 'it is in the publication ' || pubname from pg_publication_rel
      join pg_publication on pg_publication.oid = prpubid where prrelid = ${oidOf(name)}
    union all select 'it has the column ' || attname || ', which Slotstream did not create' from pg_attribute
      where attrelid = ${oidOf(name)} and attnum > 0 and not attisdropped
        and attname not in (${sql.join(columns[name] ?? [])})`.execute(db);
  for (const { reason } of rows) throw refusal(name, reason);
}

const oidOf = (name: string): RawBuilder<unknown> =>
  sql`to_regclass(quote_ident(current_schema()) || '.' || quote_ident(${name}))`;

async function createView(db: Kysely<unknown>, name: string, select: string): Promise<void> {
  const former = formerOf(name);
  const run = (statement: RawBuilder<unknown>) => statement.execute(db);
  await run(sql.raw(`alter table ${name} rename to ${former}`));
  await run(sql.raw(`create view ${name} as ${select}`));
  await run(sql.raw(`comment on view ${name} is 'Kept by Slotstream (0000000000000000).'`));
  const { rows } = await sql<{ owner: string }>`select relowner::regrole::text as owner from pg_class
    where oid = ${oidOf(former)}
      and relowner <> (select relowner from pg_class where oid = ${oidOf(name)})`.execute(db);
  for (const { owner } of rows) await run(sql`alter view ${sql.id(name)} owner to ${sql.raw(owner)}`);
  // The privileges by default of the schema may be others.
  for (const { role } of await readersOf(db, name))
    await run(sql`revoke all on ${sql.id(name)} from ${roleNamed(role)}`);
  for (const { role, column, may_grant } of await readersOf(db, former))
    await run(sql`grant select ${column === null ? sql`` : sql`(${sql.id(column)})`} on ${sql.id(name)}
      to ${roleNamed(role)} ${may_grant ? sql`with grant option` : sql``}`);
}

/** Null is every role. */
const roleNamed = (role: string | null): RawBuilder<unknown> => (role === null ? sql`public` : sql.id(role));

/** Who may read a relation, or a column of it, besides its owner. */
async function readersOf(db: Kysely<unknown>, name: string) {
  const { rows } = await sql<{ role: string | null; column: string | null; may_grant: boolean }>`
    select case when granted.grantee <> 0 then pg_get_userbyid(granted.grantee)::text end as role, acl.column,
      bool_or(granted.is_grantable) as may_grant
    from (select relowner, null::text as column, relacl as items from pg_class where oid = ${oidOf(name)}
      union all select relowner, attname::text, attacl from pg_attribute join pg_class on pg_class.oid = attrelid
        where attrelid = ${oidOf(name)} and not attisdropped) as acl
      cross join lateral aclexplode(acl.items) as granted
    where granted.privilege_type = 'SELECT' and granted.grantee <> acl.relowner
    group by granted.grantee, acl.column order by acl.column nulls first`.execute(db);
  return rows;
}

interface ReadingView {
  readonly view: string;
  readonly table: string;
  readonly options: string | null;
  readonly definition: string;
}

/** The views that read one of these tables. */
async function viewsOn(db: Kysely<unknown>, tables: readonly string[]): Promise<readonly ReadingView[]> {
  const oids = sql.join(tables.map(oidOf));
  const { rows } = await sql<ReadingView>`
    select reader.oid::regclass::text as view, min(used.relname::text) as table,
      array_to_string(reader.reloptions, ', ') as options, pg_get_viewdef(reader.oid) as definition
    from pg_depend join pg_rewrite on pg_rewrite.oid = pg_depend.objid
      join pg_class as reader on reader.oid = pg_rewrite.ev_class
      join pg_class as used on used.oid = pg_depend.refobjid
    where pg_depend.classid = 'pg_rewrite'::regclass and pg_depend.refclassid = 'pg_class'::regclass
      and used.oid in (${oids}) and reader.relkind = 'v'
    group by reader.oid, reader.reloptions order by 1`.execute(db);
  return rows;
}

/** With the same definition, in which the views have taken the names of the tables. */
async function replaceView(db: Kysely<unknown>, { view, options, definition }: ReadingView): Promise<void> {
  const text = definition.replaceAll(formerOf(''), '');
  await sql.raw(`create or replace view ${view} ${options === null ? '' : `with (${options})`} as ${text}`).execute(db);
}

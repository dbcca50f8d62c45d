// Custom fields of contacts and the answers of forms become views of the lists that contacts, invitees and submissions have anyway: as
// tables, they were a second copy of each list, written with every change of it.
//
// On PostgreSQL, views that read one of the tables read the view from now on, and roles that could read it can read the view.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { SlotstreamError } from '#src/base/errors.ts';
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

/** The views are first made here, so that nothing that reads them ever misses them; the start that follows makes them anew. */
export function listViews(types: StorageTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      const run = (statement: string) => sql.raw(statement).execute(db);
      if (types.textSearch === 'fts5')
        for (const [name, select] of Object.entries(onSqlite)) {
          await run(`drop table ${name}`);
          await run(`create view ${name} as /* Kept by Slotstream: changes made here are lost. */ ${select}`);
        }
      else for (const [name, select] of Object.entries(onPostgres)) await replaceTable(db, name, select);
    },
  };
}

async function replaceTable(db: Kysely<unknown>, name: string, select: string): Promise<void> {
  const former = `slotstream_former_${name}`;
  const run = (statement: string) => sql.raw(statement).execute(db);
  await refuseRowSecurity(db, name);
  await run(`alter table ${name} rename to ${former}`);
  await run(`create view ${name} as ${select}`);
  await run(`comment on view ${name} is 'Kept by Slotstream (0000000000000000).'`);
  for (const { role, may_grant } of await readersOf(db, former))
    await sql`grant select on ${sql.id(name)} to ${role === null ? sql`public` : sql.id(role)}
      ${may_grant ? sql`with grant option` : sql``}`.execute(db);
  try {
    for (const { view, options, definition } of await viewsOn(db, former))
      await run(
        `create or replace view ${view} ${options === null ? '' : `with (${options})`} as ${definition.replaceAll(former, name)}`,
      );
    await run(`drop table ${former}`);
  } catch (cause) {
    throw new SlotstreamError('store_unavailable', `The table ${name} cannot become a view.`, {
      hint: `Drop your own objects that use the table ${name}, such as materialized views and foreign keys; afterwards create those that may use a view.`,
      cause,
    });
  }
}

/** A policy that hides rows of the table would not hide those of the view. */
async function refuseRowSecurity(db: Kysely<unknown>, name: string): Promise<void> {
  const { rows } = await sql`select 1 from pg_class where oid = to_regclass(${name}) and relrowsecurity`.execute(db);
  if (rows.length > 0)
    throw new SlotstreamError(
      'store_unavailable',
      `The table ${name} has row level security and is to become a view.`,
      {
        hint: `Restrict who may read it by privileges instead, then: alter table ${name} disable row level security`,
      },
    );
}

async function readersOf(db: Kysely<unknown>, name: string) {
  const { rows } = await sql<{ role: string | null; may_grant: boolean }>`
    select case when granted.grantee <> 0 then pg_get_userbyid(granted.grantee)::text end as role,
      bool_or(granted.is_grantable) as may_grant
    from pg_class cross join lateral aclexplode(relacl) as granted
    where pg_class.oid = to_regclass(${name}) and granted.privilege_type = 'SELECT' and granted.grantee <> relowner
    group by granted.grantee`.execute(db);
  return rows;
}

async function viewsOn(db: Kysely<unknown>, name: string) {
  const { rows } = await sql<{ view: string; options: string | null; definition: string }>`
    select distinct pg_class.oid::regclass::text as view, array_to_string(reloptions, ', ') as options,
      pg_get_viewdef(pg_class.oid) as definition
    from pg_depend join pg_rewrite on pg_rewrite.oid = pg_depend.objid join pg_class on pg_class.oid = pg_rewrite.ev_class
    where pg_depend.classid = 'pg_rewrite'::regclass and pg_depend.refclassid = 'pg_class'::regclass
      and pg_depend.refobjid = to_regclass(${name}) and relkind = 'v'`.execute(db);
  return rows;
}

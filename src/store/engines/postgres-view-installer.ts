// Views on PostgreSQL, which rewrites the text of a view, so its comment carries a digest of ours. Dependent objects are never dropped.
import { createHash } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { codeOf } from '#src/base/errors.ts';
import { commentOnColumns } from './postgres-comments.ts';
import type { Database } from '#src/store/tables.ts';
import type { ViewInstaller, DesiredView } from '#src/store/views/view-installer.ts';

/** Columns were removed, renamed or given another type: PostgreSQL only replaces a view by one that adds columns. */
const otherColumns = '42P16';

const markOf = (db: Kysely<Database>, { select, about, columns }: DesiredView): string =>
  createHash('sha256')
    .update(`${select.compile(db).sql} ${about} ${JSON.stringify(columns)}`)
    .digest('hex')
    .slice(0, 16);

export const postgresViews: ViewInstaller = {
  async columnsOf(db, name) {
    const { rows } = await sql<{ name: string }>`select attname::text as name from pg_attribute
      where attrelid = ${oidOf(name)} and attnum > 0 and not attisdropped`.execute(db);
    return new Set(rows.map((row) => row.name));
  },
  async existing(db, names) {
    const { rows } = await sql<{ name: string; comment: string | null }>`
      select relname::text as name, obj_description(pg_class.oid, 'pg_class') as comment from pg_class
      where relnamespace = to_regnamespace(quote_ident(current_schema())) and relname in (${sql.join(names)})`.execute(
      db,
    );
    return new Map(
      rows.map(({ name, comment }) => {
        const mark = /Kept by Slotstream \(([0-9a-f]{16})\)\.$/.exec(comment ?? '')?.[1];
        return [name, { isOurs: mark !== undefined, mark: mark ?? '' }];
      }),
    );
  },
  async dependents(db, name) {
    const { rows } = await sql<{ name: string }>`select distinct pg_rewrite.ev_class::regclass::text as name
      from pg_depend join pg_rewrite on pg_rewrite.oid = pg_depend.objid
      where pg_depend.classid = 'pg_rewrite'::regclass and pg_depend.refclassid = 'pg_class'::regclass
        and pg_depend.refobjid = ${oidOf(name)}
        and pg_rewrite.ev_class <> pg_depend.refobjid
      order by 1`.execute(db);
    return rows.map((row) => row.name);
  },
  markOf,
  async create(db, view) {
    await sql`create or replace view ${sql.id(view.name)} as ${view.select}`.execute(db);
    const comment = `${view.about} Kept by Slotstream (${markOf(db, view)}).`;
    const onView = sql`comment on view ${sql.id(view.name)} is ${sql.lit(comment)}`;
    await sql.join([onView, ...commentOnColumns(view.name, view.columns)], sql`;`).execute(db);
  },
  async replace(db, view) {
    const cause = await attempt(db, () => this.create(db, view));
    if (codeOf(cause) !== otherColumns) return cause;
    return attempt(db, async () => {
      const owner = await ownerOf(db, view.name);
      const readers = await readersOf(db, view.name);
      await sql`drop view ${sql.id(view.name)}`.execute(db);
      await this.create(db, view);
      if ((await ownerOf(db, view.name)) !== owner)
        await sql`alter view ${sql.id(view.name)} owner to ${sql.id(owner)}`.execute(db);
      // A new view has the privileges by default of the schema, and these may have been revoked from the former one.
      for (const { role } of await readersOf(db, view.name))
        await sql`revoke all on ${sql.id(view.name)} from ${roleNamed(role)}`.execute(db);
      for (const { role, column, may_grant } of readers)
        if (column === null || Object.hasOwn(view.columns, column))
          await sql`grant select ${column === null ? sql`` : sql`(${sql.id(column)})`} on ${sql.id(view.name)}
            to ${roleNamed(role)} ${may_grant ? sql`with grant option` : sql``}`.execute(db);
    });
  },
};

/** Does the work, or rolls it back within the transaction and returns the error. */
async function attempt(db: Kysely<Database>, work: () => Promise<void>): Promise<unknown> {
  await sql`savepoint one_view`.execute(db);
  try {
    await work();
    await sql`release savepoint one_view`.execute(db);
    return undefined;
  } catch (error) {
    await sql`rollback to savepoint one_view`.execute(db);
    return error;
  }
}

const oidOf = (name: string) => sql`to_regclass(quote_ident(current_schema()) || '.' || quote_ident(${name}))`;

async function ownerOf(db: Kysely<Database>, name: string): Promise<string> {
  const { rows } = await sql<{
    owner: string;
  }>`select pg_get_userbyid(relowner)::text as owner from pg_class where oid = ${oidOf(name)}`.execute(db);
  return rows[0]?.owner ?? '';
}

/** Null is every role. */
const roleNamed = (role: string | null) => (role === null ? sql`public` : sql.id(role));

/** The roles that may read a view, or a column of it, besides its owner. */
async function readersOf(db: Kysely<Database>, name: string) {
  const { rows } = await sql<{ role: string | null; column: string | null; may_grant: boolean }>`
    select case when granted.grantee <> 0 then pg_get_userbyid(granted.grantee)::text end as role, acl.column,
      bool_or(granted.is_grantable) as may_grant
    from (select relowner, null::text as column, relacl as items from pg_class where oid = ${oidOf(name)}
      union all select relowner, attname::text, attacl from pg_attribute join pg_class on pg_class.oid = attrelid
        where attrelid = ${oidOf(name)}) as acl
      cross join lateral aclexplode(acl.items) as granted
    where granted.privilege_type = 'SELECT' and granted.grantee <> acl.relowner
    group by granted.grantee, acl.column`.execute(db);
  return rows;
}

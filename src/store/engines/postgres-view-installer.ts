// Views on PostgreSQL, which rewrites the text of a view, so its comment carries a digest of ours. Dependent objects are never dropped.
import { createHash } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { codeOf } from '#src/base/errors.ts';
import { commentOnColumns } from './postgres-comments.ts';
import type { Database } from '#src/store/schema/tables.ts';
import type { ViewInstaller, DesiredView } from '#src/store/views/view-installer.ts';

/** Columns were removed, renamed or given another type: PostgreSQL only replaces a view by one that adds columns. */
const otherColumns = '42P16';

const markOf = (db: Kysely<Database>, { select, about, columns }: DesiredView): string =>
  createHash('sha256')
    .update(`${select.compile(db).sql} ${about} ${JSON.stringify(columns)}`)
    .digest('hex')
    .slice(0, 16);

export const postgresViews = (schema: string): ViewInstaller => ({
  async columnsOf(db, name) {
    const { rows } = await sql<{ name: string }>`select attname::text as name from pg_attribute
      where attrelid = ${oidOf(schema, name)} and attnum > 0 and not attisdropped`.execute(db);
    return new Set(rows.map((row) => row.name));
  },
  async existing(db, names) {
    const { rows } = await sql<{ name: string; comment: string | null }>`
      select relname::text as name, obj_description(pg_class.oid, 'pg_class') as comment from pg_class
      where relnamespace = to_regnamespace(${schema}) and relname in (${sql.join(names)})`.execute(db);
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
        and pg_depend.refobjid = ${oidOf(schema, name)}
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
      const readers = await readersOf(db, schema, view.name);
      await sql`drop view ${sql.id(view.name)}`.execute(db);
      await this.create(db, view);
      for (const role of readers)
        await sql`grant select on ${sql.id(view.name)} to ${role === null ? sql`public` : sql.id(role)}`.execute(db);
    });
  },
});

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

const oidOf = (schema: string, name: string) => sql`to_regclass(${schema} || '.' || quote_ident(${name}))`;

/** The roles that may read the whole view, besides its owner; null is every role. */
async function readersOf(db: Kysely<Database>, schema: string, name: string): Promise<readonly (string | null)[]> {
  const { rows } = await sql<{ role: string | null }>`
    select case when grantee <> 0 then pg_get_userbyid(grantee)::text end as role
    from pg_class cross join lateral aclexplode(relacl)
    where oid = ${oidOf(schema, name)} and privilege_type = 'SELECT' and grantee <> relowner`.execute(db);
  return rows.map(({ role }) => role);
}

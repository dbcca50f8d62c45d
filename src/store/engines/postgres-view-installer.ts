// Views on PostgreSQL, which rewrites the text of a view, so its comment carries a digest of ours. What others made of a view is never dropped.
import { createHash } from 'node:crypto';
import { CompiledQuery, sql, type Kysely } from 'kysely';
import { codeOf } from '#src/base/errors.ts';
import { commentOnColumns } from './postgres-comments.ts';
import type { Sql } from '#src/store/sql-dialect.ts';
import type { Database } from '#src/store/schema/tables.ts';
import type { ViewInstaller, DesiredView } from '#src/store/views/view-installer.ts';

/** Columns were removed, renamed or given another type: PostgreSQL only replaces a view by one that adds columns. */
const otherColumns = '42P16';

const markOf = ({ text, about, columns }: DesiredView): string =>
  createHash('sha256')
    .update(`${text} ${about} ${JSON.stringify(columns)}`)
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
  markOf,
  async create(db, view) {
    // The text names tables without their schema: with the lock of views, only that of the mirror is searched.
    await db.executeQuery(CompiledQuery.raw(`create or replace view "${view.name}" as\n${view.text}`));
    const comment = `${view.about} Kept by Slotstream (${markOf(view)}).`;
    const onView = sql`comment on view ${sql.id(view.name)} is ${sql.lit(comment)}`;
    await sql.join([onView, ...commentOnColumns(view.name, view.columns)], sql`;`).execute(db);
  },
  async replace(db, view, users) {
    const cause = await attempt(db, () => this.create(db, view));
    if (codeOf(cause) !== otherColumns) return cause;
    return attempt(db, async () => {
      const all = [view, ...users];
      const readers: { readonly name: string; readonly role: string | null }[] = [];
      for (const { name } of all)
        for (const role of await readersOf(db, oidOf(schema, name))) readers.push({ name, role });
      for (const { name } of all.toReversed()) await sql`drop view if exists ${sql.id(schema, name)}`.execute(db);
      for (const each of all) await this.create(db, each);
      for (const { name, role } of readers)
        await sql`grant select on ${sql.id(name)} to ${role === null ? sql`public` : sql.id(role)}`.execute(db);
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

const oidOf = (schema: string, name: string): Sql => sql`to_regclass(${schema} || '.' || quote_ident(${name}))`;

/** The roles that may read the whole view, besides its owner; null is every role. */
async function readersOf(db: Kysely<Database>, oid: Sql): Promise<readonly (string | null)[]> {
  const { rows } = await sql<{ role: string | null }>`
    select case when grantee <> 0 then pg_get_userbyid(grantee)::text end as role
    from pg_class cross join lateral aclexplode(relacl)
    where oid = ${oid} and privilege_type = 'SELECT' and grantee <> relowner`.execute(db);
  return rows.map(({ role }) => role);
}

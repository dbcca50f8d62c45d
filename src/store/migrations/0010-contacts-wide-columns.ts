// Which column of `contacts_wide` belongs to which custom field. A database that has the view already keeps its column names.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

export function contactsWideColumns({ json, integer }: StorageTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('contacts_wide_columns')
        .addColumn('field_uri', 'text', (column) => column.notNull())
        .addColumn('column_name', 'text', (column) => column.notNull())
        .addColumn('position', sql.raw(integer), (column) => column.notNull())
        .addColumn('label', 'text')
        .addColumn('field_type', 'text')
        .addPrimaryKeyConstraint('contacts_wide_columns_pk', ['field_uri'])
        .execute();
      for (const [position, { name, field }] of (await presentColumns(db, json === 'jsonb')).entries())
        await sql`insert into contacts_wide_columns (field_uri, column_name, position, label, field_type)
          select uri, ${name}, ${position}, label, field_type from custom_field_definitions where uri = ${field}`.execute(
          db,
        );
    },
  };
}

/** The contact's own columns came first, then one column per field, whose value was read from the alias `field_0`, `field_1`, … */
const ownColumns = 20;
const fieldOfAlias = /\bfield_(\d+)"?\."?field_uri"? = (E?)'((?:[^']|'')*)'/g;

async function presentColumns(db: Kysely<unknown>, isPostgres: boolean) {
  const { rows: views } = await (
    isPostgres
      ? sql<{
          text: string | null;
        }>`select pg_get_viewdef(oid) as text from pg_class where oid = to_regclass('contacts_wide')
          and relkind = 'v' and obj_description(oid, 'pg_class') like '%Kept by Slotstream%'`
      : sql<{
          text: string | null;
        }>`select sql as text from sqlite_master where type = 'view' and name = 'contacts_wide'
          and sql like '%Kept by Slotstream:%'`
  ).execute(db);
  const text = views[0]?.text;
  if (!text) return [];
  const { rows: columns } = await (
    isPostgres
      ? sql<{ name: string }>`select attname::text as name from pg_attribute
          where attrelid = to_regclass('contacts_wide') and attnum > 0 order by attnum`
      : sql<{ name: string }>`select name from pragma_table_info('contacts_wide') order by cid`
  ).execute(db);
  const fields = new Map(
    text.matchAll(fieldOfAlias).map(([, index, escapes, uri = '']) => {
      const plain = uri.replaceAll("''", "'");
      return [Number(index), escapes ? plain.replaceAll('\\\\', '\\') : plain];
    }),
  );
  return columns.slice(ownColumns).flatMap(({ name }, index) => {
    const field = fields.get(index);
    return field === undefined ? [] : [{ name, field }];
  });
}

// The definitions of custom fields that exist, and what shows in which unit the service sends amounts.
import { sql } from 'kysely';
import type { Store } from '#src/store/contract.ts';
import { decodeRow } from '#src/store/rows.ts';

export async function customFieldDefinitions({ db, engine }: Store) {
  const rows = await db.selectFrom('custom_field_definitions').selectAll().where('deleted_at', 'is', null).execute();
  return rows.map((row) => decodeRow(engine, 'custom_field_definitions', row));
}

/** Whether an amount of a contact has a fraction; undefined where no field has amounts. */
export async function hasFractions({ db, engine: { dialect } }: Store): Promise<boolean | undefined> {
  const fields = db.selectFrom('custom_field_definitions').select('uri').where('field_type', '=', 'currency');
  if ((await fields.limit(1).executeTakeFirst()) === undefined) return undefined;
  const value = dialect.itemJson('value');
  const { rows } = await sql`select 1 from contacts cross join ${dialect.items(sql`contacts.custom_fields`)}
    where ${dialect.itemText('uri')} in (${fields})
      and ${dialect.custom.number(value)} is not null and ${dialect.custom.integer(value)} is null
    limit 1`.execute(db);
  return rows.length > 0;
}

// The definitions of custom fields that exist, the values of contacts by label, and what shows in which unit the service sends amounts.
import { sql, type SqlBool } from 'kysely';
import { propertyOf } from '#schemas/wire.ts';
import type { Readable } from '#src/store/contract.ts';
import { decodeRow, readColumns } from '#src/store/rows.ts';
import type { TableRow } from '#src/store/schema/tables.ts';

export async function customFieldDefinitions({ db, engine }: Readable) {
  const rows = await db.selectFrom('custom_field_definitions').selectAll().where('deleted_at', 'is', null).execute();
  return rows.map((row) => decodeRow(engine, 'custom_field_definitions', row));
}

/** Of an item of a list of custom fields: whether its value is a number that is not whole, or beyond what every reader can hold. */
const isFraction = {
  postgres: sql<SqlBool>`case when jsonb_typeof(item.value -> 'value') = 'number' then
    (item.value -> 'value')::numeric % 1 <> 0 or abs((item.value -> 'value')::numeric) > ${sql.lit(Number.MAX_SAFE_INTEGER)} end`,
  sqlite: sql<SqlBool>`case json_type(case item.type when 'object' then item.value end, '$.value')
    when 'real' then true
    when 'integer' then abs(item.value ->> '$.value') > ${sql.lit(Number.MAX_SAFE_INTEGER)} end`,
};

/** Whether an amount of a contact has a fraction; undefined where no field has amounts. */
export async function hasFractions({ db, engine: { name, dialect } }: Readable): Promise<boolean | undefined> {
  const fields = db.selectFrom('custom_field_definitions').select('uri').where('field_type', '=', 'currency');
  if ((await fields.limit(1).executeTakeFirst()) === undefined) return undefined;
  const { rows } =
    await sql`select 1 from ${sql.table('contacts')} cross join ${dialect.items(sql`contacts.custom_fields`)}
    where ${dialect.itemText('uri')} in (${fields}) and ${isFraction[name]} limit 1`.execute(db);
  return rows.length > 0;
}

type WithFields = Pick<TableRow<'contacts'>, 'custom_fields'>;

/** The values of a contact by the label of their field. */
export interface FieldValues {
  /** The value of a single-select field is the label of the option. */
  readonly fields: ReadonlyMap<string, unknown>;
  /** The UUIDs of selected options. */
  readonly optionUuids?: ReadonlyMap<string, unknown>;
}

/** Returns how the values of one of these contacts are read, by the definitions of their fields. */
export async function customFieldReader(
  from: Readable,
  contacts: readonly WithFields[],
): Promise<(contact: WithFields) => FieldValues> {
  const rows = await readColumns(from, 'custom_field_definitions', {
    columns: ['uri', 'label', 'options'],
    key: 'uri',
    values: [...new Set(contacts.flatMap((contact) => [...valuesOf(contact).keys()]))],
  });
  const definitions = new Map(rows.map(({ uri, label, options }) => [uri, { label, options: optionsOf(options) }]));
  return (contact) => {
    const read = [...valuesOf(contact)]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([uri, { label, value }]) => {
        const definition = definitions.get(uri);
        const option = definition?.options.get(value);
        // A contact has the label of the time when it was sent.
        return { label: definition?.label ?? String(label), shown: option ?? value, uuid: option && value };
      });
    return {
      fields: new Map(read.map(({ label, shown }) => [label, shown])),
      optionUuids: new Map(read.flatMap(({ label, uuid }) => (uuid === undefined ? [] : [[label, uuid] as const]))),
    };
  };
}

/** The values of a contact by the URI of their field; the last one of each, as in the view `contact_custom_fields`. */
function valuesOf({ custom_fields: sent }: WithFields): ReadonlyMap<string, { label: unknown; value: unknown }> {
  const list: readonly unknown[] = Array.isArray(sent) ? sent : [];
  return new Map(
    list.flatMap((each) => {
      const uri = propertyOf(each, 'uri');
      const found = { label: propertyOf(each, 'label') ?? null, value: propertyOf(each, 'value') ?? null };
      return typeof uri === 'string' ? [[uri, found] as const] : [];
    }),
  );
}

/** The labels of options by their UUID. */
export function optionsOf(options: unknown): ReadonlyMap<unknown, string> {
  const list: readonly unknown[] = Array.isArray(options) ? options : [];
  return new Map(
    list.flatMap((option) => {
      const [uuid, label] = [propertyOf(option, 'uuid'), propertyOf(option, 'label')];
      return typeof uuid === 'string' && typeof label === 'string' ? [[uuid, label] as const] : [];
    }),
  );
}

// A contact as the service shows it, made of its row: with an entry for every custom field in use.
import type { ContactResource } from '#schemas/resources/contact.ts';
import { isObject, type JsonObject } from '#schemas/wire.ts';
import type { Json } from '#src/store/columns.ts';
import type { StoredRow } from '#src/store/rows.ts';

type CustomField = NonNullable<ContactResource['custom_fields']>[number];

const objectsIn = (value: Json | undefined): readonly JsonObject[] =>
  (Array.isArray(value) ? (value as readonly unknown[]) : []).filter(isObject);

export function contactRecord(row: StoredRow, definitions: readonly StoredRow[] | undefined): object {
  const same = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
  return {
    ...same('uri', 'name'),
    emails: objectsIn(row['emails']).map(({ email, is_primary }) => ({ email, is_primary: is_primary === true })),
    phone_numbers: objectsIn(row['phone_numbers']).map(({ phone_number }) => ({ phone_number })),
    ...same('timezone', 'job_title', 'company', 'country', 'state', 'city', 'linkedin'),
    ...(definitions && { custom_fields: customFields(row, definitions) }),
    ...same('first_email_date', 'last_email_date', 'next_meeting_date', 'last_meeting_date', 'last_interaction_date'),
    // A list sorted by one of them has rows that have it; the other may never have been told.
    created_at: row['created_at'] ?? row['updated_at'] ?? row['as_of'] ?? null,
    updated_at: row['updated_at'] ?? row['created_at'] ?? row['as_of'] ?? null,
  };
}

/** Those in use, in the order they were made; then what the contact was told with and no definition is known of. */
function customFields(row: StoredRow, definitions: readonly StoredRow[]): readonly CustomField[] {
  const told = new Map(objectsIn(row['custom_fields']).map((field) => [field['uri'], field] as const));
  const known = new Set<unknown>(definitions.map(({ uri }) => uri));
  const defined = definitions
    .filter((definition) => retiredAt(definition) === null)
    .map(({ uri, label, field_type }) => ({
      uri,
      value: told.get(uri)?.['value'] ?? (field_type === 'tags' ? [] : null),
      label: label ?? '',
    }));
  const others = [...told.values()]
    .filter(({ uri }) => !known.has(uri))
    .map(({ uri, value, label }) => ({ uri, value: value ?? null, label: label ?? '' }));
  return [...defined, ...others] as CustomField[];
}

/** Not a column of its own (A15); definitions are only ever read whole, so the last body says it. */
function retiredAt({ body }: StoredRow): string | null {
  const retired = isObject(body) ? body['retired_at'] : null;
  return typeof retired === 'string' ? retired : null;
}

export function definitionRecord(row: StoredRow): object {
  const { uri, label, field_type, options, currency, created_at, updated_at } = row;
  return {
    uri,
    label,
    field_type,
    ...(Array.isArray(options) && {
      options: objectsIn(options).map(({ uuid, label: name }) => ({ uuid, label: name })),
    }),
    ...(currency !== null && { currency }),
    created_at,
    updated_at,
    retired_at: retiredAt(row),
  };
}

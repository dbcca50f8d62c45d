// Contacts with a column for each custom field, typed as its definition says.
import { sql } from 'kysely';
import type { ColumnKind } from '#src/store/columns.ts';
import type { FieldColumn } from './custom-columns.ts';
import type { CustomValues, Sql, SqlDialect } from '#src/store/sql-dialect.ts';
import { json, text, time, type View, type ViewColumn } from './view.ts';

const own: Readonly<Record<string, ViewColumn>> = {
  uri: text('URI of the contact'),
  name: text('as the service says'),
  primary_email: text('the address marked primary, else the first'),
  emails: json('all addresses: `email`, `is_primary`'),
  phone_numbers: json('all numbers: `phone_number`'),
  timezone: text('as the service says'),
  job_title: text('as the service says'),
  company: text('as the service says'),
  country: text('as the service says'),
  state: text('as the service says'),
  city: text('as the service says'),
  linkedin: text('as the service says'),
  creation_source: text('as the service says'),
  owner_uuid: text('UUID of the user whose contact it is, where a delivery said so'),
  first_email_date: time('as the service says'),
  last_email_date: time('as the service says'),
  next_meeting_date: time('as the service computed it, up to a day ago'),
  last_meeting_date: time('as the service computed it, up to a day ago'),
  last_interaction_date: time('as the service computed it, up to a day ago'),
  created_at: time('when the contact was made'),
  updated_at: time('when it last changed'),
};

/** Whatever the table calls one of its columns, so that a name never means two things. */
export const reserved: ReadonlySet<string> = new Set([
  ...Object.keys(own),
  'custom_fields',
  'deleted_at',
  'deleted_source',
  'as_of',
  'version',
  'lagging',
  'extra',
]);

interface FieldType {
  readonly kind: ColumnKind;
  readonly about: string;
  readonly typed: keyof CustomValues | 'asIs';
}

const fieldTypes = new Map<string, FieldType>(
  Object.entries({
    text: { kind: 'text', about: 'a text', typed: 'text' },
    number: { kind: 'number', about: 'a number', typed: 'number' },
    boolean: { kind: 'flag', about: 'true or false', typed: 'flag' },
    currency: { kind: 'integer', about: 'an amount in minor units', typed: 'integer' },
    currency_major: { kind: 'number', about: 'an amount in units of the currency', typed: 'number' },
    date: { kind: 'date', about: 'a day', typed: 'date' },
    single_select: { kind: 'text', about: 'the label of the selected option', typed: 'option' },
    tags: { kind: 'json', about: 'a list of texts', typed: 'tags' },
    invitee_question: { kind: 'text', about: 'an answer; JSON if it is not text', typed: 'anyText' },
  } satisfies Record<string, FieldType>),
);
const unknownType: FieldType = { kind: 'json', about: 'a value of an unknown type', typed: 'asIs' };

/** The view depends on the custom fields there are; without any it has the contact's own columns. */
export function contactsWide(columns: readonly FieldColumn[]): View {
  const fields = columns.map(({ column_name, field_uri, field_type, label }) => ({
    name: column_name,
    label,
    uri: field_uri,
    type: fieldTypes.get(field_type ?? '') ?? unknownType,
  }));
  return {
    name: 'contacts_wide',
    about: 'Contacts that are not deleted, with one typed column for each custom field.',
    columns: {
      ...own,
      ...Object.fromEntries(
        fields.map(({ name, label, type: { kind, about } }) => [
          name,
          { kind, about: label ? `${label}: ${about}` : about },
        ]),
      ),
    },
    key: ['uri'],
    since: 'updated_at',
    select(dialect) {
      const { join, value } = dialect.customFields(sql`contacts.custom_fields`, fields);
      return sql`select ${sql.join([
        ...Object.keys(own).map((name) => sql.id('contacts', name)),
        ...fields.map((field) => sql`${typedValue(dialect, field, value(field))} as ${sql.id(field.name)}`),
      ])} from contacts ${fields.length === 0 ? sql`` : join} where contacts.deleted_at is null`;
    },
  };
}

function typedValue(
  { custom }: SqlDialect,
  { uri, type: { typed } }: { readonly uri: string; readonly type: FieldType },
  value: Sql,
): Sql {
  if (typed === 'asIs') return value;
  if (typed !== 'option') return custom[typed](value);
  // Looked up when it is read: an option renamed needs no new view.
  const options = sql`(select definition.options from custom_field_definitions as definition where definition.uri = ${sql.lit(uri)})`;
  return custom.option(value, options);
}

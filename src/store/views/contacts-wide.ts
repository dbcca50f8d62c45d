// Contacts with a column for each custom field, typed as its definition says.
import { sql } from 'kysely';
import type { ColumnKind } from '#src/store/columns.ts';
import { namedDefinitions, type Definition } from './custom-columns.ts';
import type { CustomValues, Sql, SqlDialect } from '#src/store/sql-dialect.ts';
import { json, text, time, type View, type ViewColumn } from './view.ts';

export interface FieldDefinition extends Definition {
  readonly currency: string | null;
}

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
  first_email_date: time('as the service says'),
  last_email_date: time('as the service says'),
  next_meeting_date: time('as the service says'),
  last_meeting_date: time('as the service says'),
  last_interaction_date: time('as the service says'),
  created_at: time('when the contact was made'),
  updated_at: time('when it last changed'),
};

/** Whatever the table calls one of its columns, so that a name never means two things. */
const reserved = new Set([
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
    date: { kind: 'date', about: 'a day', typed: 'date' },
    single_select: { kind: 'text', about: 'the label of the selected option', typed: 'option' },
    tags: { kind: 'json', about: 'a list of texts', typed: 'tags' },
    invitee_question: { kind: 'text', about: 'an answer; JSON if it is not text', typed: 'anyText' },
  } satisfies Record<string, FieldType>),
);
/** PostgreSQL and SQLite have an end of columns, at 1,600 and 2,000; beyond this the youngest definitions get none. */
const mostFields = 1_500;
const unknownType: FieldType = { kind: 'json', about: 'a value of an unknown type', typed: 'asIs' };

/** The view depends on the definitions there are; without any it has the contact's own columns. */
export function contactsWide(definitions: readonly FieldDefinition[]): View {
  const fields = namedDefinitions(definitions, reserved)
    .slice(0, mostFields)
    .map(([name, definition]) => ({
      name,
      definition,
      type: typeOf(definition),
    }));
  return {
    name: 'contacts_wide',
    about: 'Contacts that are not deleted, with one typed column for each custom field.',
    columns: {
      ...own,
      ...Object.fromEntries(fields.map(({ name, definition, type }) => [name, columnOf(definition, type)])),
    },
    key: ['uri'],
    since: 'updated_at',
    select(dialect) {
      const values = fields.map(({ definition, type }, index) => valueOf(dialect, { definition, type, index }));
      return sql`select ${sql.join([
        ...Object.keys(own).map((name) => sql.id('contacts', name)),
        ...fields.map(({ name }, index) => sql`${values[index]?.column} as ${sql.id(name)}`),
      ])} from contacts ${sql.join(
        values.map(({ join }) => join),
        sql` `,
      )} where contacts.deleted_at is null`;
    },
  };
}

function typeOf({ field_type }: Definition): FieldType {
  return fieldTypes.get(field_type ?? '') ?? unknownType;
}

function columnOf({ currency, field_type }: FieldDefinition, { kind, about }: FieldType): ViewColumn {
  return { kind, about: field_type === 'currency' && currency ? `${about} of ${currency}` : about };
}

interface Field {
  readonly definition: Definition;
  readonly type: FieldType;
  readonly index: number;
}

/**
 * The first fields are joined where the engine joins well: it then reads a page of contacts by their keys and all contacts by
 * hashing, and leaves out the join of a column that is not asked for. Further ones are a subquery each: no join limits their number.
 */
function valueOf(
  dialect: SqlDialect,
  { definition, type, index }: Field,
): { readonly column: Sql; readonly join: Sql } {
  const field = sql.id(`field_${index}`);
  const matches = sql`${field}.contact_uri = contacts.uri and ${field}.field_uri = ${sql.lit(definition.uri)}`;
  const value = typedValue(dialect, { value: sql`${field}.value`, definition, type });
  if (index >= dialect.mostJoinedFields)
    return { column: sql`(select ${value} from contact_custom_fields as ${field} where ${matches})`, join: sql`` };
  const isOption = type.typed === 'option';
  return {
    // Without a value the options are not even read.
    column: isOption ? sql`case when ${field}.value is not null then ${value} end` : value,
    join: sql`left join contact_custom_fields as ${field} on ${matches}`,
  };
}

function typedValue(
  { custom }: SqlDialect,
  { value, definition, type }: { readonly value: Sql; readonly definition: Definition; readonly type: FieldType },
): Sql {
  if (type.typed === 'asIs') return value;
  if (type.typed !== 'option') return custom[type.typed](value);
  // Looked up when it is read: an option renamed needs no new view.
  const options = sql`(select definition.options from custom_field_definitions as definition where definition.uri = ${sql.lit(definition.uri)})`;
  return custom.option(value, options);
}

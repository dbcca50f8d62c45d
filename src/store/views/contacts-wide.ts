// Contacts with a column for each custom field, typed as its definition says.
//
// The one view whose text is made: its columns are those of the installation. What the engines write differently stands side by side.
import type { ColumnKind } from '#src/store/columns.ts';
import type { FieldColumn } from './custom-columns.ts';
import type { EngineName, View, ViewColumn } from './view.ts';

const column =
  (kind: ColumnKind, holds?: 'person' | 'text') =>
  (about: string): ViewColumn => ({ kind, about, ...(holds && { holds }) });
const [text, time] = [column('text'), column('time')];

const own: Readonly<Record<string, ViewColumn>> = {
  uri: text('URI of the contact'),
  name: column('text', 'person')('as the service says'),
  primary_email: column('text', 'person')('the address marked primary, else the first'),
  emails: column('json', 'person')('all addresses: `email`, `is_primary`'),
  phone_numbers: column('json', 'person')('all numbers: `phone_number`'),
  timezone: column('text', 'person')('as the service says'),
  job_title: column('text', 'text')('as the service says'),
  company: column('text', 'text')('as the service says'),
  country: column('text', 'person')('as the service says'),
  state: column('text', 'person')('as the service says'),
  city: column('text', 'person')('as the service says'),
  linkedin: column('text', 'person')('as the service says'),
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

/** One value of a custom field in the type of its definition; null where it does not fit. */
type TypedValue = Readonly<Record<EngineName, (value: string, field: string) => string>>;

interface FieldType {
  readonly kind: ColumnKind;
  readonly about: string;
  readonly typed: TypedValue;
}

const plainText: TypedValue = {
  postgres: (value) => `case when jsonb_typeof(${value}) = 'string' then ${value} #>> '{}' end`,
  sqlite: (value) => `case when json_type(${value}) = 'text' then ${value} ->> '$' end`,
};

const number: TypedValue = {
  postgres: (value) => `case when jsonb_typeof(${value}) = 'number' then (${value})::double precision end`,
  sqlite: (value) => `case when json_type(${value}) in ('integer', 'real') then cast(${value} ->> '$' as real) end`,
};

/** What every reader of a number can hold. */
const largestInteger = Number.MAX_SAFE_INTEGER;

const integer: TypedValue = {
  postgres: (value) => `case when jsonb_typeof(${value}) = 'number' then
    case when (${value})::numeric % 1 = 0 and abs((${value})::numeric) <= ${largestInteger} then (${value})::bigint end
  end`,
  sqlite: (value) => `case when json_type(${value}) = 'integer' then
    case when abs(${value} ->> '$') <= ${largestInteger} then ${value} ->> '$' end
  end`,
};

const flag: TypedValue = {
  postgres: (value) => `case when jsonb_typeof(${value}) = 'boolean' then (${value})::boolean end`,
  sqlite: (value) => `case json_type(${value}) when 'true' then 1 when 'false' then 0 end`,
};

const date: TypedValue = {
  // The JSON path knows the calendar and refuses 30 February without an error. It also accepts 2026-3-1, but writes it differently.
  postgres: (value) => `case
    when jsonb_path_query_first(${value}, '$.datetime("yyyy-mm-dd")', silent => true) #>> '{}' = ${value} #>> '{}'
      and length(${value} #>> '{}') = 10 then (${value} #>> '{}')::date
  end`,
  // SQLite makes 2 March of 30 February instead of answering null.
  sqlite: (value) => `case
    when json_type(${value}) = 'text' and ${value} ->> '$' glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'
      and ${value} ->> '$' >= '0001' and date(${value} ->> '$', '+0 days') = ${value} ->> '$' then ${value} ->> '$'
  end`,
};

const tags: TypedValue = {
  postgres: (value) => `case when jsonb_typeof(${value}) = 'array' then
    case when not jsonb_path_exists(${value}, 'strict $[*] ? (@.type() != "string")') then ${value} end
  end`,
  sqlite: (value) => `case when json_type(${value}) = 'array' then
    case when not exists (select 1 from json_each(${value}) as tag where tag.type <> 'text') then ${value} end
  end`,
};

/** The label of the option which the value names; its UUID where it has none. Looked up when it is read: an option renamed needs no new view. */
const option: TypedValue = {
  // The labels by UUID do not depend on the row, so the server puts them together once.
  postgres: (value, field) => `(
    select jsonb_object_agg(
      option.value ->> 'uuid', coalesce(option.value ->> 'label', option.value ->> 'uuid') order by option.position desc
    )
    from jsonb_array_elements(${optionsOf(field)}) with ordinality as option (value, position)
    where option.value ->> 'uuid' is not null
  ) ->> (${plainText.postgres(value, field)})`,
  sqlite: (value, field) => `(
    select coalesce(option.value ->> '$.label', option.value ->> '$.uuid')
    from json_each(${optionsOf(field)}) as option
    where option.value ->> '$.uuid' = ${plainText.sqlite(value, field)}
    order by option.key limit 1
  )`,
};

const optionsOf = (field: string): string =>
  `(select options from custom_field_definitions where uri = ${literal(field)})`;

const anyText: TypedValue = {
  postgres: (value, field) => `coalesce(${plainText.postgres(value, field)}, ${value}::text)`,
  sqlite: (value) => `case when json_type(${value}) = 'text' then ${value} ->> '$' else ${value} end`,
};

const asReceived: TypedValue = { postgres: (value) => value, sqlite: (value) => value };

const fieldTypes: ReadonlyMap<string | null, FieldType> = new Map(
  Object.entries({
    text: { kind: 'text', about: 'a text', typed: plainText },
    number: { kind: 'number', about: 'a number', typed: number },
    boolean: { kind: 'flag', about: 'true or false', typed: flag },
    currency: { kind: 'integer', about: 'an amount in minor units', typed: integer },
    currency_major: { kind: 'number', about: 'an amount in units of the currency', typed: number },
    date: { kind: 'date', about: 'a day', typed: date },
    single_select: { kind: 'text', about: 'the label of the selected option', typed: option },
    tags: { kind: 'json', about: 'a list of texts', typed: tags },
    invitee_question: { kind: 'text', about: 'an answer; JSON if it is not text', typed: anyText },
  } satisfies Record<string, FieldType>),
);
const unknownType: FieldType = { kind: 'json', about: 'a value of an unknown type', typed: asReceived };

/** The view depends on the custom fields there are; without any it has the contact's own columns. */
export function contactsWide(columns: readonly FieldColumn[]): View {
  const fields = columns.map(({ column_name, field_uri, field_type, label }) => ({
    name: column_name,
    label,
    uri: field_uri,
    type: fieldTypes.get(field_type) ?? unknownType,
  }));
  return {
    name: 'contacts_wide',
    about: 'Contacts that are not deleted, with one typed column for each custom field.',
    columns: {
      ...own,
      ...Object.fromEntries(
        fields.map(({ name, label, type: { kind, about } }) => [
          name,
          { kind, about: label ? `${label}: ${about}` : about, holds: 'text' as const },
        ]),
      ),
    },
    key: ['uri'],
    since: 'updated_at',
    fast: ['created_at'],
    lookUp: undefined,
    select: (engine) => selectWide(engine, fields),
  };
}

interface Field {
  readonly name: string;
  readonly uri: string;
  readonly type: FieldType;
}

function selectWide(engine: EngineName, fields: readonly Field[]): string {
  const { join, valueOf } = valuesBy[engine];
  const columns = [
    ...Object.keys(own).map((name) => `contacts.${name}`),
    ...fields.map((field) => `${field.type.typed[engine](valueOf(field), field.uri)} as "${field.name}"`),
  ];
  return [
    `select\n  ${columns.join(',\n  ')}`,
    'from contacts',
    ...(fields.length === 0 ? [] : [join(fields)]),
    'where contacts.deleted_at is null',
  ].join('\n');
}

interface Values {
  /** Joins the values in the list of custom fields. */
  readonly join: (fields: readonly Field[]) => string;
  /** The last value of a field, as JSON; null where there is none. */
  readonly valueOf: (field: Field) => string;
}

const valuesBy: Readonly<Record<EngineName, Values>> = {
  // The server computes the columns that are read, and leaves out the join where none is.
  postgres: {
    join: (fields) => `left join lateral (
  select
    ${fields.map(lastValue).join(',\n    ')}
  from (
    select value ->> 'uri' as uri, position
    from jsonb_array_elements(
      case when jsonb_typeof(contacts.custom_fields) = 'array' then contacts.custom_fields else '[]' end
    ) with ordinality as item (value, position)
    offset 0
  ) as listed
) as fields on true`,
    valueOf: ({ name }) => `fields."${name}"`,
  },
  // One object per contact; of a name that it has twice, a path finds the first.
  sqlite: {
    join: () => `cross join json_each((
  select json_array(json_group_object(listed.value ->> '$.uri', listed.value -> '$.value'))
  from (
    select item.value
    from json_each(case when json_type(contacts.custom_fields) = 'array' then contacts.custom_fields else '[]' end) as item
    where case item.type when 'object' then item.value ->> '$.uri' end is not null
    order by item.key desc
  ) as listed
)) as fields`,
    valueOf: ({ uri }) => `nullif(fields.value -> ${literal(`$.${JSON.stringify(uri)}`)}, 'null')`,
  },
};

const lastValue = ({ name, uri }: Field): string => {
  const position = `(max(listed.position) filter (where listed.uri = ${literal(uri)}) - 1)::integer`;
  return `nullif(contacts.custom_fields -> ${position} -> 'value', 'null') as "${name}"`;
};

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

// The service's contacts, read from the mirror: the same queries, answers and errors, without its rate limits.
import { z } from 'zod';
import { contactGetQuery, contactListQuery } from '#schemas/contact-request.ts';
import { pageQuery } from '#schemas/pagination.ts';
import { contactResource, customFieldDefinitionResource } from '#schemas/resources/contact.ts';
import { instant } from '#schemas/resources/values.ts';
import { isObject, textOf } from '#schemas/wire.ts';
import { notFound } from '#src/http/http-error.ts';
import { listing } from '#src/http/pagination.ts';
import type { Readable } from '#src/store/contract.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { findContacts } from '#src/read/contacts/contact-page.ts';
import { findRows, tableRows, isNotDeleted } from '#src/store/record-search.ts';
import type { SharedSettings } from '#src/store/shared-settings.ts';
import { defineOperation } from './api-operation.ts';
import { getContactTimeline } from './people/timeline.ts';
import { listRows, objectsIn, rowNamed } from './row-record.ts';
import { recordsOf } from './service/record.ts';
import { declaredTables } from '#src/store/schema/tables.ts';

/** The service may send a contact that breaks its own rules; it is mirrored and shown all the same. */
const mirroredContact = z.looseObject({
  ...contactResource.shape,
  emails: z.array(z.strictObject({ email: z.string(), is_primary: z.boolean() })),
  phone_numbers: z.array(z.strictObject({ phone_number: z.string() })),
  created_at: instant.nullable(),
  updated_at: instant.nullable(),
  custom_fields: z.array(z.strictObject({ uri: z.string(), value: z.unknown(), label: z.string() })).optional(),
});

const mirroredDefinition = z.looseObject({
  ...customFieldDefinitionResource.shape,
  label: z.string().nullable(),
  field_type: z.string().nullable(),
  options: z.array(z.looseObject({ uuid: z.string().nullable(), label: z.string().nullable() })).optional(),
  currency: z.string().optional(),
  amounts_in: z
    .enum(['minor', 'major'])
    .optional()
    .describe('Unit of the values of a `currency` field (CURRENCY_FIELDS).'),
  created_at: instant.nullable(),
  updated_at: instant.nullable(),
  retired_at: z.string().nullable(),
});

const common = { method: 'GET', conventions: 'service', tag: 'Contacts' } as const;

export const listContacts = defineOperation({
  ...common,
  id: 'listContacts',
  path: '/api/contacts',
  summary: 'The contacts, searched and sorted',
  description:
    'As `GET /contacts` of the service, from the mirror: the same filters, order, pages and errors. Deleted contacts are left out. Times have six fractional digits.',
  query: contactListQuery,
  answers: 'collection',
  schema: mirroredContact,
  async run({ reading, query, pageIn }) {
    const { count: _count, page_token: _token, sort: keys = [], exclude, ...search } = query;
    // The URI is the tiebreaker for equal times, so a second sort key never decides.
    const [sort = 'created_at:asc'] = keys;
    const order = sort.startsWith('updated_at') ? 'updated_at' : 'created_at';
    const page = await findContacts(reading, { search, order, page: pageIn(sort) });
    const definitions = exclude === undefined ? await allDefinitions(reading) : undefined;
    const positionOf = (row: StoredRow) => ({ key: String(row[order]), uri: String(row['uri']) });
    return listing<StoredRow>({ ...page, positionOf }, (row) => contactRecord(row, definitions));
  },
});

export const getContact = defineOperation({
  ...common,
  id: 'getContact',
  path: '/api/contacts/{uuid}',
  summary: 'One contact',
  errors: { 404: 'No such contact, or it was deleted.' },
  query: contactGetQuery,
  answers: 'resource',
  schema: mirroredContact,
  async run({ reading, params, query }) {
    const row = await rowNamed(reading, 'contacts', params['uuid'] ?? '', 'contact');
    if (row['deleted_at'] !== null) throw notFound('No such contact.');
    return contactRecord(row, query.exclude === undefined ? await allDefinitions(reading) : undefined);
  },
});

export const listCustomFieldDefinitions = defineOperation({
  ...common,
  id: 'listCustomFieldDefinitions',
  path: '/api/contacts/custom_field_definitions',
  summary: 'The custom fields contacts can have',
  description:
    'As `GET /contacts/custom_field_definitions` of the service, from the mirror: retired ones included. `amounts_in` is ours.',
  query: pageQuery,
  answers: 'collection',
  schema: mirroredDefinition,
  run({ reading, pageIn }) {
    const recordOf = (row: StoredRow) => definitionRecord(row, reading.settings.currencyFields);
    const wanted = { order: 'created_at', page: pageIn(), where: [isNotDeleted], recordOf };
    return listRows(reading, 'custom_field_definitions', wanted);
  },
});

export const getCustomFieldDefinition = defineOperation({
  ...common,
  id: 'getCustomFieldDefinition',
  path: '/api/contacts/custom_field_definitions/{uuid}',
  summary: 'One custom field',
  errors: { 404: 'No such custom field, or it was deleted.' },
  answers: 'resource',
  schema: mirroredDefinition,
  async run({ reading, params }) {
    const row = await rowNamed(reading, 'custom_field_definitions', params['uuid'] ?? '', 'custom field');
    if (row.deleted_at !== null) throw notFound('No such custom field.');
    return definitionRecord(row, reading.settings.currencyFields);
  },
});

export const contactOperations = [
  listContacts,
  getContact,
  getContactTimeline,
  listCustomFieldDefinitions,
  getCustomFieldDefinition,
] as const;

const maxDefinitions = 1_000;

async function allDefinitions(reading: Readable): Promise<readonly StoredRow[]> {
  const page = { count: maxDefinitions, descending: false, backwards: false };
  return (await findRows(reading, tableRows('custom_field_definitions'), { order: 'created_at', page, where: [] }))
    .items;
}

const contactFields = recordsOf(declaredTables.contacts, contactResource.omit({ custom_fields: true }));

/** Without definitions the custom fields are left out. */
function contactRecord(row: StoredRow, definitions: readonly StoredRow[] | undefined): object {
  return {
    ...contactFields(row),
    emails: objectsIn(row['emails']).flatMap(({ email, is_primary }) =>
      typeof email === 'string' ? { email, is_primary: is_primary === true } : [],
    ),
    phone_numbers: objectsIn(row['phone_numbers']).flatMap(({ phone_number }) =>
      typeof phone_number === 'string' ? { phone_number } : [],
    ),
    ...(definitions && { custom_fields: customFields(row, definitions) }),
    // A list sorted by one of the two has rows that have it; the service may never have sent the other.
    created_at: row['created_at'] ?? row['updated_at'] ?? row['as_of'] ?? null,
    updated_at: row['updated_at'] ?? row['created_at'] ?? row['as_of'] ?? null,
  };
}

/**
 * Every field in use, in the order of creation; then the values of the contact whose definition is not mirrored. The service lists every
 * field in use with each contact, so one that a contact's list lacks is retired, unless it was made since: not every service says so in
 * the definition.
 */
function customFields(row: StoredRow, definitions: readonly StoredRow[]): readonly object[] {
  const asOf = typeof row['as_of'] === 'string' ? row['as_of'] : '';
  const values = new Map(objectsIn(row['custom_fields']).map((field) => [field['uri'], field] as const));
  const mirrored = new Set<unknown>(definitions.map(({ uri }) => uri));
  const defined = definitions
    .filter((definition) => retiredAt(definition) === null && definition['deleted_at'] === null)
    .filter(({ uri, created_at: madeAt }) => values.size === 0 || values.has(uri) || String(madeAt ?? '~') > asOf)
    .map(({ uri, label, field_type }) => ({
      uri,
      value: values.get(uri)?.['value'] ?? (field_type === 'tags' ? [] : null),
      label: label ?? '',
    }));
  const others = [...values.values()]
    .filter(({ uri }) => !mirrored.has(uri))
    .map(({ uri, value, label }) => ({ uri, value: value ?? null, label: textOf(label) ?? '' }));
  return [...defined, ...others];
}

/** Not a column of its own (A15). */
function retiredAt({ extra }: StoredRow): string | null {
  const retired = isObject(extra) ? extra['retired_at'] : null;
  return typeof retired === 'string' ? retired : null;
}

function definitionRecord(row: StoredRow, amountsIn: SharedSettings['currencyFields']): object {
  const { uri, label, field_type, options, currency, created_at, updated_at } = row;
  return {
    uri,
    label,
    field_type,
    ...(Array.isArray(options) && {
      options: objectsIn(options).map((option) => ({
        ...option,
        uuid: textOf(option['uuid']),
        label: textOf(option['label']),
      })),
    }),
    ...(currency !== null && { currency }),
    ...(field_type === 'currency' && { amounts_in: amountsIn }),
    created_at,
    updated_at,
    retired_at: retiredAt(row),
  };
}

// The tables of people: contacts with what belongs to them, and the users of the organization.
import { definitionFieldTypes } from '#schemas/custom-field.ts';
import { flag, integer, json, table, text, time, uri } from './declaration.ts';
import { deletedColumns, foldColumns, timeColumns } from './shared-columns.ts';

const date = (what: string) => time(`${what}; the service sends no webhook when it changes`);
const contactUri = uri('the contact', { joins: 'contacts.uri' });

export const contacts = table({
  name: 'contacts',
  key: ['uri'],
  readable: 'all',
  fast: ['created_at'],
  about: 'One row per contact. A deleted contact keeps its row, with `deleted_at`.',
  columns: {
    uri: uri('URI of the contact'),
    name: text('full name', { holds: 'person' }),
    primary_email: text('the address marked primary, else the first', { holds: 'person' }),
    emails: json('all addresses: `email`, `is_primary`; one row each in `contact_emails`', { holds: 'person' }),
    phone_numbers: json('all numbers; one row each in `contact_phone_numbers`', { holds: 'person' }),
    timezone: text('time zone, such as `Europe/Berlin`', { holds: 'person' }),
    job_title: text('job title', { holds: 'person' }),
    company: text('company', { holds: 'person' }),
    country: text('country', { holds: 'person' }),
    state: text('state or region', { holds: 'person' }),
    city: text('city', { holds: 'person' }),
    linkedin: text('address of the LinkedIn profile', { holds: 'person' }),
    custom_fields: json(
      'values of custom fields; one row each in the view `contact_custom_fields`, one column each in the view `contacts_wide`',
      { holds: 'person' },
    ),
    creation_source: text('how the contact came to be at the service', { holds: 'plain' }),
    owner_uuid: text(
      'UUID of the user whose contact it is; only deliveries of the service say it, and not all of them',
      { holds: 'plain', sentAs: 'user_uuid' },
    ),
    first_email_date: date('first e-mail'),
    last_email_date: date('last e-mail'),
    next_meeting_date: date('next meeting'),
    last_meeting_date: date('last meeting'),
    last_interaction_date: date('last interaction'),
    ...timeColumns,
    ...deletedColumns,
    ...foldColumns,
  },
});

export const contactEmails = table({
  name: 'contact_emails',
  key: ['contact_uri', 'email'],
  readable: 'all',
  about: 'One row per e-mail address of a contact.',
  columns: {
    contact_uri: contactUri,
    email: text('the address, as sent', { holds: 'person' }),
    is_primary: flag('true for the primary address'),
  },
});

export const contactPhoneNumbers = table({
  name: 'contact_phone_numbers',
  key: ['contact_uri', 'phone_number'],
  readable: 'all',
  about: 'One row per phone number of a contact.',
  columns: {
    contact_uri: contactUri,
    phone_number: text('the number, as sent', { holds: 'person' }),
    is_primary: flag('true for the primary number'),
  },
});

export const customFieldDefinitions = table({
  name: 'custom_field_definitions',
  key: ['uri'],
  readable: 'all',
  about: 'One row per custom field of contacts. `retired_at` is in `extra`.',
  columns: {
    uri: uri('URI of the definition'),
    label: text('label', { holds: 'text' }),
    field_type: text('type of its values', { oneOf: [...definitionFieldTypes, 'boolean'], orOther: true }),
    options: json('options of a `single_select`: `uuid`, `label`', { holds: 'text' }),
    currency: text('currency of a `currency` field', { holds: 'plain' }),
    ...timeColumns,
    deleted_at: deletedColumns.deleted_at,
    ...foldColumns,
  },
});

/** The column of `contacts_wide` that belongs to each custom field (`views/custom-columns.ts`). */
export const contactsWideColumns = table({
  name: 'contacts_wide_columns',
  key: ['field_uri'],
  readable: 'all',
  about:
    'One row per custom field: its column in the view `contacts_wide`, which keeps its name when the label changes.',
  columns: {
    field_uri: uri('the definition of the field', { joins: 'custom_field_definitions.uri' }),
    column_name: text('name of the column', { holds: 'text', required: true }),
    position: integer('order of the columns', { required: true }),
    label: text('label of the field at present', { holds: 'text' }),
    field_type: text(
      'type of the field by which the column is typed; `currency_major` for a `currency` field whose amounts are in units of the currency (`CURRENCY_FIELDS=major`)',
      { holds: 'plain' },
    ),
  },
});

export const users = table({
  name: 'users',
  key: ['uri'],
  readable: 'all',
  about: 'One row per user of the organization.',
  columns: {
    uri: uri('URI of the user'),
    name: text('full name', { holds: 'person' }),
    email: text('e-mail address', { holds: 'person' }),
    slug: text('last part of the address of their booking page', { holds: 'person' }),
    timezone: text('time zone', { holds: 'person' }),
    ...timeColumns,
    ...foldColumns,
  },
});

export const organizationMemberships = table({
  name: 'organization_memberships',
  key: ['uri'],
  readable: 'all',
  about: 'One row per member of the organization.',
  columns: {
    uri: uri('URI of the membership'),
    role: text('role in the organization', { oneOf: ['owner', 'admin', 'user'], orOther: true }),
    user_uri: uri('the user', { joins: 'users.uri', sentAs: 'user' }),
    organization_uri: uri('URI of the organization', { sentAs: 'organization' }),
    ...timeColumns,
    deleted_at: deletedColumns.deleted_at,
    ...foldColumns,
  },
});

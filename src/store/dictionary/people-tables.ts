// The meaning of the tables of people: contacts with what belongs to them, and the users of the organization.
import { deletedColumns, foldColumns, joins, timeColumns, type TableMeanings } from './meaning.ts';

const contact = joins('contacts.uri', 'the contact');

export const peopleTables = {
  contacts: {
    about: 'One row per contact. A deleted contact keeps its row, with `deleted_at`.',
    columns: {
      uri: 'URI of the contact',
      name: 'full name',
      primary_email: 'the address marked primary, else the first',
      emails: 'all addresses: `email`, `is_primary`; one row each in `contact_emails`',
      phone_numbers: 'all numbers; one row each in `contact_phone_numbers`',
      timezone: 'time zone, such as `Europe/Berlin`',
      job_title: 'job title',
      company: 'company',
      country: 'country',
      state: 'state or region',
      city: 'city',
      linkedin: 'address of the LinkedIn profile',
      custom_fields:
        'values of custom fields; one row each in the view `contact_custom_fields`, one column each in the view `contacts_wide`',
      creation_source: 'how the contact came to be at the service',
      owner_uuid: 'UUID of the user whose contact it is; only deliveries of the service say it, and not all of them',
      first_email_date: 'first e-mail; the service sends no webhook when it changes',
      last_email_date: 'last e-mail; the service sends no webhook when it changes',
      next_meeting_date: 'next meeting; the service sends no webhook when it changes',
      last_meeting_date: 'last meeting; the service sends no webhook when it changes',
      last_interaction_date: 'last interaction; the service sends no webhook when it changes',
      ...timeColumns,
      ...deletedColumns,
      ...foldColumns,
    },
  },
  contact_emails: {
    about: 'One row per e-mail address of a contact.',
    columns: { contact_uri: contact, email: 'the address, as sent', is_primary: 'true for the primary address' },
  },
  contact_phone_numbers: {
    about: 'One row per phone number of a contact.',
    columns: { contact_uri: contact, phone_number: 'the number, as sent', is_primary: 'true for the primary number' },
  },
  custom_field_definitions: {
    about: 'One row per custom field of contacts. `retired_at` is in `extra`.',
    columns: {
      uri: 'URI of the definition',
      label: 'label',
      field_type:
        '`text`, `number`, `boolean`, `currency`, `date`, `single_select`, `tags`, `invitee_question`, or a type that is new',
      options: 'options of a `single_select`: `uuid`, `label`',
      currency: 'currency of a `currency` field',
      ...timeColumns,
      deleted_at: deletedColumns.deleted_at,
      ...foldColumns,
    },
  },
  users: {
    about: 'One row per user of the organization.',
    columns: {
      uri: 'URI of the user',
      name: 'full name',
      email: 'e-mail address',
      slug: 'last part of the address of their booking page',
      timezone: 'time zone',
      ...timeColumns,
      ...foldColumns,
    },
  },
  organization_memberships: {
    about: 'One row per member of the organization.',
    columns: {
      uri: 'URI of the membership',
      role: '`owner`, `admin` or `user`',
      user_uri: joins('users.uri', 'the user'),
      organization_uri: 'URI of the organization',
      ...timeColumns,
      deleted_at: deletedColumns.deleted_at,
      ...foldColumns,
    },
  },
} satisfies Partial<TableMeanings>;

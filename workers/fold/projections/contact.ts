// Projects contacts: the row, its e-mail addresses, phone numbers and custom fields; and the definitions of custom fields, which are
// only ever read from the API.
import type { Contact } from '#schemas/contact.ts';
import type { CustomFieldDefinition } from '#schemas/custom-field.ts';
import type { FactKind } from '#schemas/records.ts';
import type { Json } from '#src/store/columns.ts';
import type { Fields, Projection } from './contract.ts';
import { columnsFrom, deletedFrom, extraBeside, notFoundIn, notListedIn, partOf, recordsTo } from './field-mapping.ts';
import { ranks } from './version.ts';

type Kinds = Extract<FactKind, `contact.${string}` | `custom_field_definition.${string}`>;

export const contactFields: Fields<'contacts'> = {
  ...columnsFrom<Contact>()(
    'contacts',
    'name phone_numbers timezone job_title company country state city linkedin custom_fields creation_source first_email_date last_email_date next_meeting_date last_meeting_date last_interaction_date created_at updated_at extra',
  ),
  emails: (emails) => ({ emails, primary_email: primaryOf(emails) }),
  user_uuid: (uuid) => ({ owner_uuid: uuid }),
};

export const customFieldDefinitionFields: Fields<'custom_field_definitions'> = {
  ...columnsFrom<CustomFieldDefinition>()(
    'custom_field_definitions',
    'label field_type options currency created_at updated_at extra',
  ),
  deleted_at: 'deleted_at',
};

const described = recordsTo('contacts', contactFields, extraBeside(Object.keys(contactFields), 'deleted_at'));

export const contactProjections: { [Kind in Kinds]: Projection<Kind> } = {
  'contact.created': described(ranks.created),
  'contact.updated': described(ranks.updated),
  'contact.read': described(ranks.page),
  'contact.gone': notFoundIn('contacts'),
  'contact.deleted': deletedFrom('contacts'),
  'custom_field_definition.read': recordsTo('custom_field_definitions', customFieldDefinitionFields)(ranks.page),
  'custom_field_definition.gone': notListedIn('custom_field_definitions', customFieldDefinitionFields),
};

function primaryOf(emails: Json): Json {
  const list = Array.isArray(emails) ? emails : [];
  return partOf(list.find((entry) => partOf(entry, 'is_primary') === true) ?? list[0], 'email');
}

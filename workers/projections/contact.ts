// Projects contacts: the row, its e-mail addresses, phone numbers and custom fields.
import type { Contact } from '#schemas/contact.ts';
import type { FactKind } from '#schemas/records.ts';
import type { Json } from '#src/store/columns.ts';
import type { Fact, Fields, Projection, ProjectionInput } from './contract.ts';
import { assignmentTo, columnsFrom, deletedFrom, notFoundIn, partOf } from './field-mapping.ts';
import { ranks, versionOf, type Rank } from './version.ts';

type Kinds = Extract<FactKind, `contact.${string}`>;

export const contactFields: Fields<'contacts'> = {
  ...columnsFrom<Contact>()(
    'contacts',
    'name phone_numbers timezone job_title company country state city linkedin custom_fields creation_source first_email_date last_email_date next_meeting_date last_meeting_date last_interaction_date created_at updated_at body',
  ),
  emails: (emails) => ({ emails, primary_email: primaryOf(emails) }),
};

const described =
  (rank: Rank) =>
  ({ payload, observed, tie }: ProjectionInput<'contact.created' | 'contact.updated' | 'contact.read'>): Fact => {
    const { uri } = payload;
    const version = versionOf({ updatedAt: payload.updated_at, observed, rank, tie });
    return {
      subject: { table: 'contacts', uri },
      assignments: [assignmentTo('contacts', contactFields, { uri, version, record: { ...payload, body: payload } })],
    };
  };

export const contactProjections: { [Kind in Kinds]: Projection<Kind> } = {
  'contact.created': described(ranks.created),
  'contact.updated': described(ranks.updated),
  'contact.read': described(ranks.page),
  'contact.gone': notFoundIn('contacts'),
  'contact.deleted': deletedFrom('contacts'),
};

function primaryOf(emails: Json): Json {
  const list = Array.isArray(emails) ? emails : [];
  return partOf(list.find((entry) => partOf(entry, 'is_primary') === true) ?? list[0], 'email');
}

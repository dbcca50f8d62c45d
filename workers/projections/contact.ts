// What a contact's facts do to us: its row, its e-mail addresses, phone numbers and custom fields.
import type { FactKind } from '#schemas/records.ts';
import type { Json } from '#src/store/columns.ts';
import type { Compiled, Fact, Fields, Projection } from './contract.ts';
import { columns, partOf, said } from './field-mapping.ts';
import { goneFrom } from './not-found.ts';
import { ranks, versionOf, type Rank } from './version.ts';

type Kinds = Extract<FactKind, `contact.${string}`>;

export const contactFields: Fields = {
  ...columns('name phone_numbers timezone job_title company country state city linkedin custom_fields creation_source'),
  ...columns('first_email_date last_email_date next_meeting_date last_meeting_date last_interaction_date'),
  ...columns('created_at updated_at body'),
  emails: (emails) => ({ emails, primary_email: primaryOf(emails) }),
};

const told =
  (rank: Rank) =>
  ({ payload, observed, tie }: Fact<'contact.created' | 'contact.updated' | 'contact.read'>): Compiled => {
    const version = versionOf({ updatedAt: payload.updated_at, observed, rank, tie });
    const fields = said(contactFields, { ...payload, body: payload });
    return {
      subject: { table: 'contacts', uri: payload.uri },
      assignments: [{ table: 'contacts', uri: payload.uri, version, fields }],
    };
  };

export const contactProjections: { [Kind in Kinds]: Projection<Kind> } = {
  'contact.created': told(ranks.created),
  'contact.updated': told(ranks.updated),
  'contact.read': told(ranks.page),
  'contact.gone': goneFrom('contacts'),
  'contact.deleted': ({ payload, observed }) => ({
    subject: { table: 'contacts', uri: payload.uri },
    assignments: [],
    tombstone: { table: 'contacts', uri: payload.uri, deletedAt: payload.deleted_at ?? observed, source: 'webhook' },
  }),
};

function primaryOf(emails: Json): Json {
  const list = Array.isArray(emails) ? emails : [];
  return partOf(list.find((entry) => partOf(entry, 'is_primary') === true) ?? list[0], 'email');
}

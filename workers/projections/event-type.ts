// What an event type's facts do to us. Deleted, it keeps its last values beneath the tombstone.
import type { FactKind } from '#schemas/records.ts';
import type { Json } from '#src/store/columns.ts';
import type { Compiled, Fact, Fields, Projection } from './contract.ts';
import { columns, said, spread } from './field-mapping.ts';
import { goneFrom } from './not-found.ts';
import { ranks, versionOf, type Rank } from './version.ts';

type Kinds = Extract<FactKind, `event_type.${string}`>;

export const eventTypeFields: Fields = {
  ...columns('name active slug scheduling_url duration kind pooling_type type color internal_note description_plain'),
  ...columns('description_html secret booking_method custom_questions admin_managed locations position locale'),
  ...columns('created_at updated_at body'),
  profile: spread('profile', { owner_uri: 'owner' }),
};

const told =
  (rank: Rank) =>
  ({ event, payload, observed, tie }: Fact<Exclude<Kinds, 'event_type.gone'>>): Compiled => {
    const { deleted_at: deletedAt, ...record } = payload;
    const version = versionOf({ updatedAt: record.updated_at, observed, rank, tie });
    const fields = said(eventTypeFields, record);
    // Only `uri` and `deleted_at`: a delete, not a description.
    if (Object.keys(fields).length > 0) fields['body'] = { body: record as Json };
    const deleted = event === 'event_type.deleted' ? (deletedAt ?? observed) : deletedAt;
    const source = event === 'event_type.read' ? 'reconcile' : 'webhook';
    return {
      subject: { table: 'event_types', uri: payload.uri },
      assignments: [{ table: 'event_types', uri: payload.uri, version, fields }],
      ...(deleted && { tombstone: { table: 'event_types', uri: payload.uri, deletedAt: deleted, source } }),
    };
  };

export const eventTypeProjections: { [Kind in Kinds]: Projection<Kind> } = {
  'event_type.created': told(ranks.created),
  'event_type.updated': told(ranks.updated),
  'event_type.deleted': told(ranks.final),
  'event_type.read': told(ranks.page),
  'event_type.gone': goneFrom('event_types'),
};

// Projects event types. A deleted one keeps its last values beneath the tombstone.
import type { FactKind, FactPayload } from '#schemas/records.ts';
import type { Fact, Fields, Projection, ProjectionInput } from './contract.ts';
import { assignmentTo, columnsFrom, extraBeside, notFoundIn, spread } from './field-mapping.ts';
import { ranks, versionOf, type Rank } from './version.ts';

type Kinds = Extract<FactKind, `event_type.${string}`>;

export const eventTypeFields: Fields<'event_types'> = {
  ...columnsFrom<FactPayload<'event_type.read'>>()(
    'event_types',
    'name active slug scheduling_url duration kind pooling_type type color internal_note description_plain description_html secret booking_method custom_questions admin_managed locations position locale created_at updated_at extra',
  ),
  profile: spread('event_types', 'profile', { owner_uri: 'owner' }),
};

const extraOf = extraBeside(Object.keys(eventTypeFields));

const described =
  (rank: Rank) =>
  ({ event, payload, observed, tie }: ProjectionInput<Exclude<Kinds, 'event_type.gone'>>): Fact => {
    const { deleted_at: deletedAt, ...record } = payload;
    const { uri } = payload;
    const version = versionOf({ updatedAt: record.updated_at, observed, rank, tie });
    // With only `uri` and `deleted_at` it is a delete without a description, so the row keeps its last values.
    const isDescribed = Object.entries(record).some(
      ([key, value]) => value !== undefined && key !== 'extra' && Object.hasOwn(eventTypeFields, key),
    );
    const content = { ...record, extra: isDescribed ? extraOf(record) : undefined };
    const deleted = event === 'event_type.deleted' ? (deletedAt ?? observed) : deletedAt;
    const source = event === 'event_type.read' ? 'reconcile' : 'webhook';
    return {
      subject: { table: 'event_types', uri },
      assignments: [assignmentTo('event_types', eventTypeFields, { uri, version, record: content })],
      ...(deleted && { tombstone: { table: 'event_types', uri, deletedAt: deleted, source } }),
    };
  };

export const eventTypeProjections: { [Kind in Kinds]: Projection<Kind> } = {
  'event_type.created': described(ranks.created),
  'event_type.updated': described(ranks.updated),
  'event_type.deleted': described(ranks.final),
  'event_type.read': described(ranks.page),
  'event_type.gone': notFoundIn('event_types'),
};

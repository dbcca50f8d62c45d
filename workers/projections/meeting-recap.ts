// What a recap's facts do to us. Its updates may lack `updated_at`, so what was observed last wins.
import type { FactKind } from '#schemas/records.ts';
import type { Compiled, Fact, Fields, Projection } from './contract.ts';
import { columns, partOf, said } from './field-mapping.ts';
import { goneFrom } from './not-found.ts';
import { ranks, versionByObservation, type Rank } from './version.ts';

type Kinds = Extract<FactKind, `meeting_recap.${string}`>;

export const meetingRecapFields: Fields = {
  ...columns('transcript summary_md action_items_md discussion_md share_link created_at updated_at body'),
  event: (event) => ({
    event_uri: partOf(event, 'uri'),
    event_name: partOf(event, 'name'),
    event_start_time: partOf(event, 'start_time'),
    event_end_time: partOf(event, 'end_time'),
    event_location: partOf(event, 'location'),
    attendees: partOf(event, 'attendees'),
  }),
};

const told =
  (rank: Rank) =>
  ({ payload, observed, tie }: Fact<Exclude<Kinds, 'meeting_recap.gone'>>): Compiled => ({
    subject: { table: 'meeting_recaps', uri: payload.uri },
    assignments: [
      {
        table: 'meeting_recaps',
        uri: payload.uri,
        version: versionByObservation({ updatedAt: payload.updated_at, observed, rank, tie }),
        fields: said(meetingRecapFields, { ...payload, body: payload }),
      },
    ],
  });

export const meetingRecapProjections: { [Kind in Kinds]: Projection<Kind> } = {
  'meeting_recap.created': told(ranks.created),
  'meeting_recap.updated': told(ranks.updated),
  'meeting_recap.read': told(ranks.page),
  'meeting_recap.gone': goneFrom('meeting_recaps'),
  'meeting_recap.deleted': ({ payload, observed }) => ({
    subject: { table: 'meeting_recaps', uri: payload.uri },
    assignments: [],
    tombstone: {
      table: 'meeting_recaps',
      uri: payload.uri,
      deletedAt: payload.deleted_at ?? observed,
      source: 'webhook',
    },
  }),
};

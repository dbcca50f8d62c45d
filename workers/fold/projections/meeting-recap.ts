// Projects meeting recaps. Their updates may lack `updated_at`, so the one observed last wins.
import type { MeetingRecap } from '#schemas/meeting-recap.ts';
import type { FactKind } from '#schemas/records.ts';
import { isObject } from '#schemas/wire.ts';
import type { Fact, Fields, Projection, ProjectionInput } from './contract.ts';
import { assignmentTo, columnsFrom, deletedFrom, extraBeside, notFoundIn, type ExtraOf } from './field-mapping.ts';
import { ranks, versionByObservation, type Rank } from './version.ts';

type Kinds = Extract<FactKind, `meeting_recap.${string}` | `meeting_recap_transcript.${string}`>;

const recapFields: Fields<'meeting_recaps'> = {
  ...columnsFrom<MeetingRecap>()(
    'meeting_recaps',
    'transcript summary_md action_items_md discussion_md share_link created_at updated_at extra',
  ),
  // Each by itself: a record may have some facts of the meeting and not the others.
  event_uri: 'event_uri',
  event_name: 'event_name',
  event_start_time: 'event_start_time',
  event_end_time: 'event_end_time',
  event_location: 'event_location',
  attendees: 'attendees',
};

/** Who spoke is read from the transcript, which is another record. */
export const meetingRecapFields: Fields<'meeting_recaps'> = { ...recapFields, speakers: 'speakers' };

const extraOfRecord = extraBeside(Object.keys(recapFields), 'deleted_at', 'event');
const extraOfEvent = extraBeside(['name', 'start_time', 'end_time', 'location', 'attendees']);

/** No column holds the event whole, so what is beyond its columns stays under its key. */
const extraOf: ExtraOf = (record) => {
  const event = isObject(record['event']) ? extraOfEvent(record['event']) : null;
  const extra = extraOfRecord(record);
  const odd = extra?.['event'];
  return event === null ? extra : { ...extra, event: { ...event, ...(isObject(odd) && odd) } };
};

type RecapInput = Pick<ProjectionInput<'meeting_recap.read'>, 'payload' | 'observed' | 'tie'>;

const described =
  (rank: Rank) =>
  ({ payload, observed, tie }: RecapInput): Fact => {
    const { uri, event } = payload;
    const record = {
      ...payload,
      speakers: undefined,
      event_uri: event?.uri,
      event_name: event?.name,
      event_start_time: event?.start_time,
      event_end_time: event?.end_time,
      event_location: event?.location,
      attendees: event?.attendees,
      extra: extraOf(payload),
    };
    const version = versionByObservation({ updatedAt: payload.updated_at, observed, rank, tie });
    return {
      subject: { table: 'meeting_recaps', uri },
      assignments: [assignmentTo('meeting_recaps', meetingRecapFields, { uri, version, record })],
    };
  };

const speakersOf: Projection<'meeting_recap_transcript.read'> = ({ payload: { uri, speakers }, observed, tie }) => {
  const version = versionByObservation({ updatedAt: null, observed, rank: ranks.page, tie });
  const assignment = assignmentTo('meeting_recaps', meetingRecapFields, { uri, version, record: { speakers } });
  return { subject: { table: 'meeting_recaps', uri }, assignments: [assignment] };
};

export const meetingRecapProjections: { [Kind in Kinds]: Projection<Kind> } = {
  'meeting_recap.created': described(ranks.created),
  'meeting_recap.updated': described(ranks.updated),
  'meeting_recap.read': described(ranks.page),
  'meeting_recap_transcript.read': speakersOf,
  'meeting_recap.gone': notFoundIn('meeting_recaps'),
  'meeting_recap.deleted': deletedFrom('meeting_recaps'),
};

// Projects meeting recaps. Their updates may lack `updated_at`, so the one observed last wins.
import type { MeetingRecap } from '#schemas/meeting-recap.ts';
import type { FactKind } from '#schemas/records.ts';
import { isObject } from '#schemas/wire.ts';
import type { Fields, Projection } from './contract.ts';
import {
  assignmentTo,
  columnsFrom,
  deletedFrom,
  extraBeside,
  notFoundIn,
  partOf,
  recordsTo,
  type ExtraOf,
} from './field-mapping.ts';
import { ranks, versionByObservation } from './version.ts';

type Kinds = Extract<FactKind, `meeting_recap.${string}` | `meeting_recap_transcript.${string}`>;

const recapFields: Fields<'meeting_recaps'> = {
  ...columnsFrom<MeetingRecap>()(
    'meeting_recaps',
    'transcript summary_md action_items_md discussion_md share_link created_at updated_at extra',
  ),
  event: (event) => ({
    event_uri: partOf(event, 'uri'),
    event_name: partOf(event, 'name'),
    event_start_time: partOf(event, 'start_time'),
    event_end_time: partOf(event, 'end_time'),
    event_location: partOf(event, 'location'),
    attendees: partOf(event, 'attendees'),
  }),
};

/** Who spoke is read from the transcript, which is another record. */
export const meetingRecapFields: Fields<'meeting_recaps'> = { ...recapFields, speakers: 'speakers' };

const extraOfRecord = extraBeside(Object.keys(recapFields), 'deleted_at');
const extraOfEvent = extraBeside(['name', 'start_time', 'end_time', 'location', 'attendees']);

/** The event is spread over columns; no column holds it whole, so what is beyond them stays under its key. */
const extraOf: ExtraOf = (record) => {
  const event = isObject(record['event']) ? extraOfEvent(record['event']) : null;
  const extra = extraOfRecord(record);
  return event === null ? extra : { ...extra, event };
};

const described = recordsTo('meeting_recaps', meetingRecapFields, {
  extraOf,
  versionBy: versionByObservation,
  assignedElsewhere: { speakers: undefined },
});

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

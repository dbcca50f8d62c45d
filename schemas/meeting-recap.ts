// A meeting recap, flat or nested on the wire (A4c), always one flat record once read.
import { z } from 'zod';
import { noNotes, type EventContract } from './event.ts';
import { flag, isObject, loosely, moment, propertyOf, text, uri, type JsonObject } from './wire.ts';

const attendee = z.looseObject({ host: flag, user_email: text, user_name: text });

/** The meeting a recap is about. An external meeting has no URI. */
const recapEvent = z.looseObject({
  uri: text,
  name: text,
  start_time: moment,
  end_time: moment,
  location: z.optional(z.unknown()),
  attendees: loosely(z.array(attendee)),
});

export const meetingRecap = z.looseObject({
  uri,
  transcript: text,
  summary_md: text,
  action_items_md: text,
  discussion_md: text,
  share_link: text,
  created_at: moment,
  updated_at: moment,
  deleted_at: moment,
  event: z.nullish(recapEvent),
});

/** Every word of a meeting, with who said it: in segments, or as plain text with a line `Name: words` for each utterance (A26). */
export const transcript = z.looseObject({
  uri: text,
  recap: text,
  language: text,
  segments: loosely(z.array(z.looseObject({ speaker: text, text }))),
  text,
});

/**
 * Who spoke in a meeting, from its transcript: the record that is stored of a transcript, never its words. The URI and the time are
 * those of the recap.
 */
export const recapSpeakers = z.looseObject({ uri, created_at: moment, speakers: loosely(z.array(z.string())) });

/**
 * The record of a transcript that was read: each speaker once, in the order in which they first spoke. `speakers` is null where no
 * speaker could be read, so that the transcript is read again.
 */
export function speakersRecord(
  recap: { readonly uri: string; readonly created_at: string | null },
  { segments, text: words }: Transcript,
): JsonObject {
  const named = [
    ...(Array.isArray(segments) ? segments : []).map((segment: unknown) => propertyOf(segment, 'speaker')),
    ...[...(words ?? '').matchAll(speakerOfLine)].map(([, speaker]) => speaker),
  ];
  const speakers = new Set(named.flatMap((speaker) => (typeof speaker === 'string' ? speaker.trim() || [] : [])));
  return { uri: recap.uri, created_at: recap.created_at, speakers: speakers.size > 0 ? [...speakers] : null };
}

/** `Name: words`, perhaps with the time before or behind the name. */
const speakerOfLine =
  /^(?:[[(]?\d{1,2}(?::\d{2}){1,2}[\])]?[ \t]+)?([^:\r\n]{1,80}?)(?:[ \t]*[[(]\d{1,2}(?::\d{2}){1,2}[\])])?:[ \t]/gm;

export type MeetingRecap = z.output<typeof meetingRecap>;
export type Transcript = z.output<typeof transcript>;

/**
 * The meeting is an object under `event`, or its facts are beside `event`, which is then its URI, or null for an external meeting. A key
 * that is in neither place stays absent, so that a record which only names the meeting's URI says nothing else of the meeting.
 */
function unwrap(payload: JsonObject): JsonObject {
  const { recap, ...wrapper } = payload;
  // The recap's own `created_at` wins over the wrapper's.
  const { event, ...record } = isObject(recap) ? { ...wrapper, ...recap } : payload;
  const beside: Record<string, unknown> = {};
  const rest: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(record)) (isOfMeeting(key) ? beside : rest)[key] = value;
  if (isObject(event)) return { ...rest, event: { ...beside, ...event } };
  if (event === undefined && Object.keys(beside).length === 0) return rest;
  return { ...rest, event: event === undefined ? beside : { ...beside, uri: event } };
}

const isOfMeeting = (key: string): boolean => key !== 'uri' && Object.hasOwn(recapEvent.shape, key);

const contract = {
  family: 'meeting-recap',
  allowedScopes: ['user'],
  requiredCallerScope: 'meeting_recaps:read',
  inRequestEnum: true,
  unwrap,
  schema: meetingRecap,
  notes: noNotes,
} as const satisfies EventContract<MeetingRecap>;

export const meetingRecapEvents = {
  'meeting_recap.created': contract,
  'meeting_recap.updated': contract,
  'meeting_recap.deleted': contract,
} as const;

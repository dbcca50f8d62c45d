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
  location: z.unknown().optional(),
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
  event: recapEvent.nullish(),
});

/** Every word of a meeting, with who said it (A26). */
export const transcript = z.looseObject({
  uri: text,
  recap: text,
  language: text,
  segments: loosely(z.array(z.looseObject({ speaker: text, text }))),
});

/**
 * Who spoke in a meeting, from its transcript: the record that is stored of a transcript, never its words. The URI and the time are
 * those of the recap.
 */
export const recapSpeakers = z.looseObject({ uri, created_at: moment, speakers: loosely(z.array(z.string())) });

/** The record of a transcript that was read: each speaker once, in the order in which they first spoke. */
export function speakersRecord(
  recap: { readonly uri: string; readonly created_at: string | null },
  { segments }: Transcript,
): JsonObject {
  const named = (Array.isArray(segments) ? segments : []).map((segment: unknown) => propertyOf(segment, 'speaker'));
  const speakers = named.flatMap((speaker) => (typeof speaker === 'string' ? speaker.trim() || [] : []));
  return { uri: recap.uri, created_at: recap.created_at, speakers: [...new Set(speakers)] };
}

export type MeetingRecap = z.output<typeof meetingRecap>;
export type Transcript = z.output<typeof transcript>;

function unwrap(payload: JsonObject): JsonObject {
  const { recap, ...wrapper } = payload;
  // The recap's own `created_at` wins over the wrapper's.
  const record = isObject(recap) ? { ...wrapper, ...recap } : payload;
  return typeof record['event'] === 'string' ? { ...record, event: { uri: record['event'] } } : record;
}

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

/** A recap of the API, which may come in either shape too. */
export const meetingRecapAnswer = z
  .custom<JsonObject>(isObject, 'expected an object')
  .transform((record): unknown => unwrap(record))
  .pipe(meetingRecap);

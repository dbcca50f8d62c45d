// A meeting recap and its transcript. The specification shows neither record: the fields are assumed (A26).
import { z } from 'zod';
import { uri } from '#schemas/wire.ts';
import { instant, nullableText, nullableUri } from './values.ts';

export const recapMeeting = z.strictObject({
  name: z.string(),
  start_time: instant,
  end_time: instant,
  location: nullableText,
  attendees: z.array(z.strictObject({ host: z.boolean(), user_email: z.email(), user_name: z.string() })),
});

export const meetingRecapResource = z.strictObject({
  uri,
  user: uri,
  organization: uri,
  /** Null for an external meeting, which is on no calendar of the service. */
  event: nullableUri,
  ...recapMeeting.shape,
  transcript: uri,
  summary_md: nullableText,
  action_items_md: nullableText,
  discussion_md: nullableText,
  notes: nullableText,
  share_link: nullableText,
  created_at: instant,
  updated_at: instant,
});

export const transcriptResource = z.strictObject({
  uri,
  recap: uri,
  language: z.string(),
  segments: z.array(z.strictObject({ speaker: z.string(), start_seconds: z.number().min(0), text: z.string() })),
});

export type MeetingRecapResource = z.output<typeof meetingRecapResource>;
export type RecapMeeting = z.output<typeof recapMeeting>;
export type TranscriptResource = z.output<typeof transcriptResource>;

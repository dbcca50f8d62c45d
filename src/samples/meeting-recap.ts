// A recap of a meeting that took place: summary, action items, discussion.
import type { Booking } from './invitee.ts';
import type { Random } from './random.ts';
import { minuteMs, serviceUrl, wireTime } from './sample.ts';
import type { JsonRecord } from './sample.ts';

export interface Recap {
  readonly uri: string;
  readonly booking: Booking;
  readonly createdMs: number;
  updatedMs: number;
  summary: string;
  shareLink: string | null;
}

const summaries = [
  'Walked through the import; two questions left open.',
  'Agreed on a trial for the support team.',
  'Reviewed last month and set the next goals.',
] as const;

export function makeRecap(random: Random, booking: Booking, atMs: number): Recap {
  return {
    uri: `${serviceUrl}/meeting_recaps/${random.uuid()}`,
    booking,
    createdMs: atMs,
    updatedMs: atMs,
    summary: random.pick(summaries),
    shareLink: null,
  };
}

export function changeRecap(random: Random, recap: Recap, atMs: number): void {
  recap.updatedMs = atMs;
  recap.summary = random.pick(summaries);
  recap.shareLink = `https://recaps.example.test/${random.uuid().slice(0, 8)}`;
}

export function recapRecord(recap: Recap): JsonRecord {
  const { meeting, person } = recap.booking;
  const { host, name, minutes } = meeting.offer;
  return {
    created_at: wireTime(recap.createdMs),
    event: {
      uri: meeting.uri,
      name,
      start_time: wireTime(meeting.startMs),
      end_time: wireTime(meeting.startMs + minutes * minuteMs),
      attendees: [
        { host: true, user_email: host.email, user_name: host.name },
        { host: false, user_email: person.email, user_name: person.name },
      ],
    },
    recap: {
      uri: recap.uri,
      transcript: `${recap.uri}/transcript`,
      summary_md: `## Summary\n${recap.summary}`,
      action_items_md: '- Send the notes\n- Book the next call',
      discussion_md: null,
      share_link: recap.shareLink,
      created_at: wireTime(recap.createdMs),
      updated_at: wireTime(recap.updatedMs),
    },
  };
}

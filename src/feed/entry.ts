// One entry of the feed: what it holds, and the JSON text in which it leaves.
import { z } from 'zod';
import type { FeedRow } from '#src/store/log/feed.ts';
import { payloadText } from './payload.ts';

/** As documented; entries are made as text, and never pass through it. */
export const feedEntry = z.strictObject({
  seq: z.int().describe('Its place in the log. Rises; a number may be missing.'),
  event: z
    .string()
    .nullable()
    .describe('`contact.updated`, …; `contact.read` for what was read from the API. Null when it could not be read.'),
  source: z.string().describe('`webhook`, `backfill`, `reconcile` or `operator`.'),
  subject_uri: z.string().nullable().describe('Whom it is about.'),
  occurred_at: z
    .string()
    .nullable()
    .describe('When the service says it happened; for a read, when it was last seen so.'),
  received_at: z.string(),
  outcome: z.string().describe('`applied`, `unchanged`, `superseded`, `tombstoned`, `quarantined` or `unhandled`.'),
  changes: z
    .record(z.string(), z.record(z.string(), z.tuple([z.json(), z.json()])))
    .nullable()
    .describe('What it changed: table → column → [before, after].'),
  payload: z
    .json()
    .describe(
      'What was sent. Null when it was not JSON or is not kept any more; a stub for somebody who was forgotten.',
    ),
});

export interface FeedEntry {
  readonly seq: number;
  readonly event: string | null;
  readonly subjectUri: string | null;
  readonly occurredAt: string | null;
  readonly receivedAt: string;
  /** JSON, in one line. */
  readonly text: string;
}

export function entryOf(row: FeedRow): FeedEntry {
  const { seq, event, source, subject_uri, occurred_at, received_at, outcome, changes } = row;
  const known =
    `{"seq":${seq},"event":${quoted(event)},"source":${quoted(source)},"subject_uri":${quoted(subject_uri)},` +
    `"occurred_at":${quoted(occurred_at)},"received_at":${quoted(received_at)},"outcome":${quoted(outcome)}`;
  const text = `${known},"changes":${changes ?? 'null'},"payload":${payloadText(row)}}`;
  return { seq, event, subjectUri: subject_uri, occurredAt: occurred_at, receivedAt: received_at, text };
}

const quoted = (text: string | null): string => (text === null ? 'null' : JSON.stringify(text));

// The feed's entries as JSON text, and the one way in which the API, the streams, the command line and the sinks read them.
import { z } from 'zod';
import { json } from '#schemas/wire.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { readFeedRows, type FeedFilter, type FeedRange, type FeedRow } from '#src/store/log/feed.ts';
import { factIn, isUnprojected } from '#workers/fold/pipeline/parse.ts';
import { erasureEvent } from '#schemas/events.ts';
import { payloadText } from './payload.ts';
import { rowsAfter } from './rows.ts';

/** The documented schema. Entries are built as text and are not validated by it. */
export const feedEntry = z.strictObject({
  seq: z.int().describe('Its position in the log. Rises; numbers may be missing.'),
  event: z
    .string()
    .nullable()
    .describe(
      '`contact.updated`, …; `contact.read` for a record read from the API. Null when the entry could not be parsed.',
    ),
  source: z.string().describe('`webhook`, `backfill`, `reconcile` or `operator`.'),
  subject_uri: z.string().nullable().describe('The record it is about.'),
  occurred_at: z
    .string()
    .nullable()
    .describe(
      'When it happened according to the service; for a record read from the API, when it was last seen unchanged.',
    ),
  received_at: z.string(),
  outcome: z.string().describe('`applied`, `unchanged`, `superseded`, `tombstoned`, `quarantined` or `unhandled`.'),
  changes: z
    .record(z.string(), z.record(z.string(), z.tuple([json, json])))
    .nullable()
    .describe(
      'What it changed: table → column → [before, after]. A row that it created has no columns here: the payload has its values. In place of a value longer than 4,000 characters of JSON is its length.',
    ),
  payload: json.describe(
    'What the service sent. Null when it was not JSON or was pruned; only URI and times when the person was erased.',
  ),
  row: z
    .record(z.string(), z.record(z.string(), json).nullable())
    .nullable()
    .optional()
    .describe(
      'With `include=row`: table → the row that the entry is about, as it is now; null in place of a deleted row. Null when the entry changes no row.',
    ),
});

export interface FeedEntry {
  readonly seq: number;
  readonly event: string | null;
  readonly subjectUri: string | null;
  readonly occurredAt: string | null;
  readonly receivedAt: string;
  /** Its subject was deleted, or the person in it erased. */
  readonly isDeletion: boolean;
  readonly text: string;
}

/** `after` is the value of `row`; undefined where rows are not included. */
export function entryOf(row: FeedRow, after?: object | null): FeedEntry {
  const { seq, event, source, subject_uri, occurred_at, received_at, outcome } = row;
  const head =
    `{"seq":${seq},"event":${quoted(event)},"source":${quoted(source)},"subject_uri":${quoted(subject_uri)},` +
    `"occurred_at":${quoted(occurred_at)},"received_at":${quoted(received_at)},"outcome":${quoted(outcome)}`;
  const tail = after === undefined ? '' : `,"row":${JSON.stringify(after)}`;
  const text = `${head},"changes":${row.changes ?? 'null'},"payload":${payloadText(row)}${tail}}`;
  const isDeletion = subject_uri !== null && isDeleting(row);
  return { seq, event, subjectUri: subject_uri, occurredAt: occurred_at, receivedAt: received_at, isDeletion, text };
}

/** Also true for what arrives late about a deleted record: a reader that acts on it must not create the record again. */
function isDeleting(row: FeedRow): boolean {
  const { event, source, outcome } = row;
  if (isUnprojected(row)) return false;
  if (outcome === 'tombstoned' || (event === erasureEvent && source === 'operator')) return true;
  // An unmark, `invitee_no_show.deleted`, deletes no record; and an update of an event type can say that it was deleted.
  if (event === null || event.startsWith('invitee_no_show.')) return false;
  if (event.endsWith('.deleted') || event.endsWith('.gone')) return true;
  return event.startsWith('event_type.') && factIn(row)?.tombstone !== undefined;
}

const quoted = (text: string | null): string => (text === null ? 'null' : JSON.stringify(text));

export interface FeedPage {
  /** Empty only at the end of the log; shorter than requested when entries are large. */
  readonly entries: readonly FeedEntry[];
  /** Where the next page starts; also past entries that the filter excluded. */
  readonly nextAfter: number;
}

export interface FeedRequest extends FeedRange {
  /** What entries carry besides what they are: the rows after the change as well, or nothing. */
  readonly include?: Inclusion | undefined;
}

export type Inclusion = (typeof included)[number];
export const included = ['row', 'none'] as const;

/** Rows may be much larger than the entries about them, so a page has fewer of them. */
const maxEntriesWithRows = 100;

export async function readFeed(from: Store | Unit, filter: FeedFilter, request: FeedRequest): Promise<FeedPage> {
  const { include, after, limit } = request;
  if (include !== 'row') {
    const { rows, nextAfter } = await readFeedRows(from, filter, { after, limit, bare: include === 'none' });
    return { entries: rows.map((row) => entryOf(row)), nextAfter };
  }
  const { rows, nextAfter } = await readFeedRows(from, filter, { after, limit: Math.min(limit, maxEntriesWithRows) });
  const present = await rowsAfter(from, rows);
  return { entries: rows.map((row, index) => entryOf(row, present[index] ?? null)), nextAfter };
}

// Parses a queued delivery, a record read from the API or an operator's entry into a log entry and the fact it holds.
// Anyone who can write to the queue can forge a job, so no part of a job's shape is trusted.
import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { readApiRecord } from '#schemas/api-record.ts';
import { readDelivery } from '#schemas/delivery.ts';
import type { FactKind, FactPayload } from '#schemas/records.ts';
import { normalizeTimestamp, propertyOf } from '#schemas/wire.ts';
import type { LogEntry, NewEntry } from '#src/store/log/read.ts';
import { factOfAnswer } from '#workers/fold/projections/attendance.ts';
import type { Fact } from '#workers/fold/projections/contract.ts';
import { factOfErasure } from '#workers/fold/projections/erasure.ts';
import { project } from '#workers/fold/projections/registry.ts';

export interface ParsedItem {
  readonly entry: NewEntry;
  /** The payload in its known shape; null when it could not be parsed. */
  readonly record: Readonly<Record<string, unknown>> | null;
  /** Null when nothing is projected: the entry's outcome and reason then say why. */
  readonly fact: Fact | null;
  /** What a delivery names as its organization, if it names one. */
  readonly organization?: string;
}

/** Parses a queue job. `now` replaces the time of receipt where a forged job has none. */
export function parseBatch(batch: unknown, now: string): ParsedItem[] {
  const deliveries = propertyOf(batch, 'deliveries');
  if (propertyOf(batch, 'v') !== 1 || !Array.isArray(deliveries)) return [parseForged(batch, now)];
  return deliveries.map((delivery) => parseQueued(delivery, now));
}

function parseQueued(delivery: unknown, now: string): ParsedItem {
  const body = propertyOf(delivery, 'body');
  const encoding = propertyOf(delivery, 'encoding');
  const receivedAt = propertyOf(delivery, 'receivedAt');
  if (!isStorableText(body) || typeof receivedAt !== 'string' || normalizeTimestamp(receivedAt) !== receivedAt)
    return parseForged(delivery, now);
  const blank = { ...blankEntry, received_at: receivedAt, body };
  if (encoding === undefined) return parseText(body, blank);
  if (encoding !== 'base64') return parseForged(delivery, now);
  const id = createHash('sha256').update(Buffer.from(body, 'base64')).digest('hex');
  const entry: NewEntry = { ...blank, encoding, delivery_id: id, tie: id.slice(0, 16) };
  return unprojected(entry, 'quarantined', 'The body is not UTF-8 text.');
}

/** Parses the text of a new or stored entry. Only the entry's source decides whether it is an API read or an operator's entry. */
export function parseText(body: string, blank: NewEntry): ParsedItem {
  if (blank.source === 'operator')
    return { entry: blank, record: null, fact: factOfErasure(body) ?? factOfAnswer(body) };
  return isApiRead(blank) ? parseApiRecord(body, blank) : parseDelivery(body, blank);
}

/** Parses a stored entry with today's schemas. Its identity, and what it records about its own past, stay. */
export function reparse(entry: LogEntry): ParsedItem {
  if (entry.encoding !== null || entry.body === null) return { entry, record: null, fact: null };
  const { seq: _seq, ...rest } = entry;
  return parseText(entry.body, { ...rest, reason: null });
}

/** What the fact of a stored entry follows from. */
export type StoredContent = Pick<LogEntry, 'source' | 'occurred_at' | 'body' | 'encoding'>;

/** The fact of a stored entry. Without its tie only the values of the fact are right, and no version. */
export function factIn({ body, ...entry }: StoredContent & Partial<Pick<LogEntry, 'tie'>>): Fact | null {
  if (entry.encoding !== null || body === null) return null;
  return parseText(body, { ...blankEntry, tie: '0'.repeat(16), ...entry, delivery_id: 'stored' }).fact;
}

/** Whether we read it from the API: no sender can produce such an entry. */
export const isApiRead = ({ source }: Pick<NewEntry, 'source'>): boolean =>
  source === 'backfill' || source === 'reconcile';

/** Whether the log holds it without having projected it. */
export const isUnprojected = ({ outcome }: Pick<LogEntry, 'outcome'>): boolean =>
  outcome === 'quarantined' || outcome === 'unhandled';

export function quarantined<Item extends ParsedItem>(item: Item, reason: string): Item {
  return { ...item, fact: null, entry: { ...item.entry, outcome: 'quarantined', reason } };
}

function parseApiRecord(body: string, blank: NewEntry): ParsedItem {
  const read = readApiRecord(body);
  const isKnown = read.state === 'known';
  const entry = { ...blank, event: read.event, subject_uri: isKnown ? read.payload.uri : read.subjectUri };
  if (!isKnown) return unprojected(entry, 'quarantined', read.reason);
  if (entry.occurred_at === null) return unprojected(entry, 'quarantined', 'observed: expected an ISO 8601 timestamp');
  return projected({ ...read, observed: entry.occurred_at }, entry);
}

function parseDelivery(body: string, blank: NewEntry): ParsedItem {
  // A stored entry keeps its identity: a redacted body no longer yields it.
  const stored = blank.delivery_id === '' ? undefined : { deliveryId: blank.delivery_id, tie: blank.tie };
  const read = readDelivery(body, stored);
  const entry = {
    ...blank,
    delivery_id: read.deliveryId,
    tie: read.tie,
    event: read.event,
    occurred_at: read.createdAt,
    subject_uri: read.state === 'known' ? read.payload.uri : read.subjectUri,
  };
  if (read.state === 'unknown')
    return unprojected(entry, 'unhandled', 'This version does not know this kind of event. It is stored.');
  if (read.state === 'malformed') return unprojected(entry, 'quarantined', read.reason);
  const parsed = projected({ ...read, observed: read.createdAt }, entry);
  return read.organization === null ? parsed : { ...parsed, organization: read.organization };
}

interface KnownPayload {
  readonly event: FactKind;
  readonly payload: FactPayload<FactKind>;
  readonly observed: string;
  readonly notes: readonly string[];
}

function projected({ event, payload, observed, notes }: KnownPayload, entry: NewEntry): ParsedItem {
  try {
    const fact = project({ event, payload, observed, tie: entry.tie });
    // A value beyond a limit of the specification is reported in the log; it is no reason to reject the entry.
    const reason = notes.length > 0 ? `Noted: ${notes.join('; ')}.` : null;
    return { entry: { ...entry, reason }, record: payload, fact };
  } catch (error) {
    // Projections are pure, so an exception is a bug of ours. It must not block the other entries of the batch.
    const name = error instanceof Error ? error.name : 'unknown';
    return unprojected(entry, 'quarantined', `The projection failed (${name}).`);
  }
}

function parseForged(job: unknown, now: string): ParsedItem {
  const body = textOf(job);
  const id = createHash('sha256').update(body).digest('hex');
  const entry = { ...blankEntry, received_at: now, body, delivery_id: id, tie: id.slice(0, 16) };
  return unprojected(entry, 'quarantined', 'The queue held something that is not a delivery.');
}

export const blankEntry: NewEntry = {
  delivery_id: '',
  source: 'webhook',
  event: null,
  subject_uri: null,
  occurred_at: null,
  received_at: '',
  outcome: 'quarantined',
  reason: null,
  duplicates: 0,
  changes: null,
  body: null,
  encoding: null,
  tie: '',
  redacted: false,
  dismissed_at: null,
};

function unprojected(entry: NewEntry, outcome: 'quarantined' | 'unhandled', reason: string): ParsedItem {
  return { entry: { ...entry, outcome, reason }, record: null, fact: null };
}

function textOf(job: unknown): string {
  try {
    return JSON.stringify(job) ?? 'null';
  } catch {
    // It is nested too deeply to serialize; an operator gets enough of it to recognize it.
    return inspect(job, { depth: 8, maxArrayLength: 100, maxStringLength: 1_000 });
  }
}

/** Text that both databases store unchanged; the receiver sends anything else as base64. */
function isStorableText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
}

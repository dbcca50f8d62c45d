// Reads what came off the queue, or was read from the API: it becomes a log entry in waiting, with its compiled fact when it
// has one.
// The queue is a trust boundary (anyone who can write to it can forge a job), so nothing about the shape is believed.
import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { readApiRecord } from '#schemas/api-record.ts';
import { readDelivery } from '#schemas/delivery.ts';
import type { FactKind, FactPayload } from '#schemas/records.ts';
import { normalizeTimestamp } from '#schemas/wire.ts';
import type { NewEntry } from '#src/store/log/log.ts';
import { compiledErasure } from '#workers/privacy/erasure-entry.ts';
import type { Compiled } from '#workers/projections/contract.ts';
import { compile } from '#workers/projections/registry.ts';

export interface Reading {
  readonly entry: NewEntry;
  /** The record as it was understood; null when it was not. */
  readonly record: Readonly<Record<string, unknown>> | null;
  /** Null for what is kept but not projected: the entry's outcome and reason then say why. */
  readonly compiled: Compiled | null;
}

/** What a queue job holds, as readings. `now` stands in for the time of receipt where a forged job has none. */
export function readBatch(batch: unknown, now: string): Reading[] {
  const deliveries = partOf(batch, 'deliveries');
  if (partOf(batch, 'v') !== 1 || !Array.isArray(deliveries)) return [readForged(batch, now)];
  return deliveries.map((delivery) => readQueued(delivery, now));
}

function readQueued(delivery: unknown, now: string): Reading {
  const body = partOf(delivery, 'body');
  const encoding = partOf(delivery, 'encoding');
  const receivedAt = partOf(delivery, 'receivedAt');
  if (!isText(body) || typeof receivedAt !== 'string' || normalizeTimestamp(receivedAt) !== receivedAt)
    return readForged(delivery, now);
  const blank = { ...unread, received_at: receivedAt, body };
  if (encoding === undefined) return readText(body, blank);
  if (encoding !== 'base64') return readForged(delivery, now);
  const id = createHash('sha256').update(Buffer.from(body, 'base64')).digest('hex');
  return kept(
    { ...blank, encoding, delivery_id: id, tie: id.slice(0, 16) },
    'quarantined',
    'The body is not UTF-8 text.',
  );
}

/** Reads a body that is text, whether it is new or stands in the log. Only its source says whether it may tell of a read, or of an erasure. */
export function readText(body: string, blank: NewEntry): Reading {
  if (blank.source === 'operator') return { entry: blank, record: null, compiled: compiledErasure(body) };
  return isRead(blank) ? readRecord(body, blank) : readDelivered(body, blank);
}

/** Whether we asked for it ourselves: nobody can send such an entry. */
export const isRead = ({ source }: Pick<NewEntry, 'source'>): boolean =>
  source === 'backfill' || source === 'reconcile';

function readRecord(body: string, blank: NewEntry): Reading {
  const read = readApiRecord(body);
  const known = read.state === 'known';
  const entry = { ...blank, event: read.event, subject_uri: known ? read.payload.uri : read.subjectUri };
  if (!known) return kept(entry, 'quarantined', read.reason);
  if (entry.occurred_at === null) return kept(entry, 'quarantined', 'observed: expected an ISO 8601 timestamp');
  return project({ ...read, observed: entry.occurred_at }, entry);
}

function readDelivered(body: string, blank: NewEntry): Reading {
  const read = readDelivery(body);
  const entry = {
    ...blank,
    // What stands in the log keeps its identity: a redacted body no longer yields it.
    delivery_id: blank.delivery_id || read.deliveryId,
    tie: blank.tie || read.tie,
    event: read.event,
    occurred_at: read.createdAt,
    subject_uri: read.state === 'known' ? read.payload.uri : read.subjectUri,
  };
  if (read.state === 'unknown') return kept(entry, 'unhandled', 'No projection for this kind of event.');
  if (read.state === 'malformed') return kept(entry, 'quarantined', read.reason);
  return project({ ...read, observed: read.createdAt }, entry);
}

interface Understood {
  readonly event: FactKind;
  readonly payload: FactPayload<FactKind>;
  readonly observed: string;
  readonly notes: readonly string[];
}

function project({ event, payload, observed, notes }: Understood, entry: NewEntry): Reading {
  try {
    const compiled = compile({ event, payload, observed, tie: entry.tie as string });
    // Beyond a limit of the specification: said where an operator looks, and no reason to refuse it.
    const reason = notes.length > 0 ? `Noted: ${notes.join('; ')}.` : null;
    return { entry: { ...entry, reason }, record: payload, compiled };
  } catch (error) {
    // A projection is pure: that it throws is a bug of ours, and must not hold up the neighbours.
    return kept(entry, 'quarantined', `The projection failed (${error instanceof Error ? error.name : 'unknown'}).`);
  }
}

/** Something that is not a delivery at all, kept whole. */
function readForged(thing: unknown, now: string): Reading {
  const body = textOf(thing);
  const id = createHash('sha256').update(body).digest('hex');
  return kept(
    { ...unread, received_at: now, body, delivery_id: id, tie: id.slice(0, 16) },
    'quarantined',
    'The queue held something that is not a delivery.',
  );
}

export const unread: NewEntry = {
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
};

function kept(entry: NewEntry, outcome: 'quarantined' | 'unhandled', reason: string): Reading {
  return { entry: { ...entry, outcome, reason }, record: null, compiled: null };
}

function textOf(thing: unknown): string {
  try {
    return JSON.stringify(thing) ?? 'null';
  } catch {
    // Nested deeper than can be written: enough of it to see what it was.
    return inspect(thing, { depth: 8, maxArrayLength: 100, maxStringLength: 1_000 });
  }
}

/** Text both databases store as it is: the receiver sends anything else as base64. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
}

function partOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

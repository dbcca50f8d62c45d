// Reads what came off the queue: a delivery becomes a log entry in waiting, with its compiled fact when it has one.
// The queue is a trust boundary (anyone who can write to it can forge a job), so nothing about the shape is believed.
import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { readDelivery, type ReadDelivery } from '#schemas/delivery.ts';
import { normalizeTimestamp } from '#schemas/wire.ts';
import type { NewEntry } from '#src/store/log.ts';
import type { Compiled } from './projections/contract.ts';
import { compile } from './projections/projections.ts';

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

/** Reads a body that is text, whether it came off the queue or stands in the log. */
export function readText(body: string, blank: NewEntry): Reading {
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
  return project(read, entry);
}

function project(read: Extract<ReadDelivery, { state: 'known' }>, entry: NewEntry): Reading {
  try {
    const compiled = compile({
      event: read.event,
      payload: read.payload,
      observed: read.createdAt,
      tie: entry.tie as string,
    });
    // Beyond a limit of the specification: said where an operator looks, and no reason to refuse it.
    const reason = read.notes.length > 0 ? `Noted: ${read.notes.join('; ')}.` : null;
    return { entry: { ...entry, reason }, record: read.payload, compiled };
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
  received_at: null,
  outcome: null,
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

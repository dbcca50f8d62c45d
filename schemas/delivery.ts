// Reads one delivery: what it says, when it knows the kind and the payload fits; what it is called and hashed as, always.
import { hash } from 'node:crypto';
import type { z } from 'zod';
import { contractOf, isEventKind, type EventKind, type PayloadOf } from './events.ts';
import { readJson } from './json-text.ts';
import { expectedBy, readRecord } from './odd-values.ts';
import { canonicalJson, isObject, isUri, normalizeTimestamp, sortedKeys, textOf, type JsonObject } from './wire.ts';

interface Identity {
  /** SHA-256 of the canonical body without `created_by`: the same fact sent to two subscriptions is one delivery (A1). */
  readonly deliveryId: string;
  /** Breaks ties between facts of one instant: the first 16 hex digits of the canonical payload's SHA-256. */
  readonly tie: string;
}

export type KnownDelivery = {
  [Kind in EventKind]: Identity & {
    readonly state: 'known';
    readonly event: Kind;
    readonly createdAt: string;
    readonly payload: PayloadOf<Kind>;
    readonly notes: readonly string[];
    /** The value of `organization` in the envelope or the payload: no kind of the specification has it, and it may be anything. */
    readonly organization: string | null;
  };
}[EventKind];

interface UnreadDelivery extends Identity {
  readonly createdAt: string | null;
  readonly subjectUri: string | null;
}

export interface UnknownDelivery extends UnreadDelivery {
  readonly state: 'unknown';
  readonly event: string;
}

export interface MalformedDelivery extends UnreadDelivery {
  readonly state: 'malformed';
  readonly event: string | null;
  /** Names the path and what was expected there, never the value: it may be a person. */
  readonly reason: string;
}

export type ReadDelivery = KnownDelivery | UnknownDelivery | MalformedDelivery;

/** `known` is the identity of a delivery that was read before: hashing its body again is half of the work. */
export function readDelivery(body: string, known?: Identity): ReadDelivery {
  const json = readJson(body);
  if (!json.ok) return unreadable(json.reason, known ?? identityOfText(body));
  if (!isObject(json.value))
    return unreadable(
      `the body is ${nameOf(json.value)}, not an object`,
      known ?? identityOfText(canonicalJson(json.value)),
    );

  const envelope = json.value;
  const { event, payload } = envelope;
  const identity = known ?? identityOf(envelope);
  const createdAt = timeOf(envelope['created_at']);
  const unread = (): UnreadDelivery => ({ createdAt, subjectUri: subjectOf(payload), ...identity });
  const malformed = (name: string | null, reason: string): MalformedDelivery => {
    return { state: 'malformed', event: name, reason, ...unread() };
  };

  if (typeof event !== 'string' || event === '') return malformed(null, 'event: expected string');
  if (!isEventKind(event)) return { state: 'unknown', event: storableName(event), ...unread() };
  const contract = contractOf(event);
  const record = isObject(payload) ? contract.unwrap(payload) : undefined;
  const occurredAt = createdAt ?? timeIn(record);
  if (occurredAt === null) return malformed(event, untimed);
  if (record === undefined || !isObject(payload)) return malformed(event, 'payload: expected object');
  const read = readRecord(contract.schema, record);
  if (!read.ok) return malformed(event, reasonOf(read.issue));
  return {
    state: 'known',
    event,
    createdAt: occurredAt,
    payload: read.record,
    notes: [...(createdAt === null ? [untimed] : []), ...read.notes, ...contract.notes(read.record)],
    organization: textOf(envelope['organization']) ?? textOf(payload['organization']),
    ...identity,
    // The contract was looked up by `event`, so the payload is that kind's: a link the compiler cannot follow.
  } as KnownDelivery;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

const untimed = 'created_at: expected an ISO 8601 timestamp';

/** Where the envelope has no time, the record's own says when the delivery was. */
function timeIn(record: JsonObject | undefined): string | null {
  const times = [record?.['updated_at'], record?.['created_at'], record?.['deleted_at']];
  return times.map(timeOf).find((time) => time !== null) ?? null;
}

/** Nothing in it can be trusted but its text. */
function unreadable(reason: string, identity: Identity): MalformedDelivery {
  return { state: 'malformed', event: null, reason, createdAt: null, subjectUri: null, ...identity };
}

function identityOfText(text: string): Identity {
  const deliveryId = sha256(text);
  return { deliveryId, tie: deliveryId.slice(0, 16) };
}

function identityOf(envelope: JsonObject): Identity {
  // The payload is most of the body, so its text is made once and serves both hashes.
  const payload = canonicalJson(envelope['payload']);
  const tie = sha256(payload).slice(0, 16);
  let body = '';
  for (const key of sortedKeys(envelope)) {
    if (key === 'created_by') continue;
    const value = key === 'payload' ? payload : canonicalJson(envelope[key]);
    body += (body === '' ? '{' : ',') + JSON.stringify(key) + ':' + value;
  }
  return { deliveryId: sha256(body === '' ? '{}' : body + '}'), tie };
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

function timeOf(value: unknown): string | null {
  return typeof value === 'string' ? (normalizeTimestamp(value) ?? null) : null;
}

/** Whom a payload is about, as far as it says so in a place where one would look. */
export function subjectOf(payload: unknown): string | null {
  if (!isObject(payload)) return null;
  const records = [payload, payload['contact'], payload['recap']].filter(isObject);
  return records.map((record) => record['uri']).find(isUri) ?? null;
}

/** An unverified name goes into a column and a log line: without control characters, and limited in length. */
function storableName(name: string): string {
  return name
    .slice(0, 200)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, '\uFFFD');
}

/** The path and what was expected there. */
export function reasonOf(issue: z.core.$ZodIssue | undefined): string {
  return issue ? `${['payload', ...issue.path].join('.')}: ${expectedBy(issue)}` : 'payload: not as expected';
}

export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const mostProblems = 50;

/** Everything that keeps a delivery from being read, each with its path, where the reason names only the first. */
export function problemsIn(body: string): readonly Problem[] {
  // Its identity is not needed.
  const read = readDelivery(body, { deliveryId: '', tie: '' });
  if (read.state !== 'malformed') return [];
  const json = readJson(body);
  const envelope = json.ok && isObject(json.value) ? json.value : {};
  const { event, payload } = envelope;
  if (typeof event === 'string' && isEventKind(event) && isObject(payload) && read.createdAt !== null) {
    const contract = contractOf(event);
    const wrapper = ['contact', 'recap'].filter((key) => isObject(payload[key]));
    const { issues = [] } = contract.schema.safeParse(contract.unwrap(payload)).error ?? {};
    return issues.slice(0, mostProblems).map((issue) => {
      const path = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
      const isWrapped = !Object.hasOwn(payload, path[0] ?? '');
      return { path: ['payload', ...(isWrapped ? wrapper : []), ...path], message: expectedBy(issue) };
    });
  }
  const [, field, message] = /^(event|created_at|payload): (.*)$/s.exec(read.reason) ?? [];
  return [{ path: field === undefined ? [] : [field], message: message ?? read.reason }];
}

// Parses the log entry of an API record: `{event: "contact.read", payload}`. The time of observation is not part of it, so the same
// content observed again is the same record.
import { reasonOf, subjectOf } from './delivery.ts';
import { readJson } from './json-text.ts';
import { readRecord } from './odd-values.ts';
import { readerOf, type FactPayload, type ReadFactKind } from './records.ts';
import { isObject } from './wire.ts';

export type KnownRecord = {
  [Kind in ReadFactKind]: {
    readonly state: 'known';
    readonly event: Kind;
    readonly payload: FactPayload<Kind>;
    readonly notes: readonly string[];
  };
}[ReadFactKind];

export interface MalformedRecord {
  readonly state: 'malformed';
  readonly event: string | null;
  readonly subjectUri: string | null;
  /** Names the path and what was expected there, never the value: it may be personal data. */
  readonly reason: string;
}

export function readApiRecord(body: string): KnownRecord | MalformedRecord {
  const json = readJson(body);
  if (!json.ok) return { state: 'malformed', event: null, subjectUri: null, reason: json.reason };
  const { event, payload } = isObject(json.value) ? json.value : {};
  const malformed = (reason: string): MalformedRecord => ({
    state: 'malformed',
    event: typeof event === 'string' ? event : null,
    subjectUri: subjectOf(payload),
    reason,
  });
  const reader = typeof event === 'string' ? readerOf(event) : undefined;
  if (reader === undefined) return malformed('event: expected the name of something that is read');
  if (!isObject(payload)) return malformed('payload: expected object');
  const read = readRecord(reader.schema, reader.unwrap(payload));
  if (!read.ok) return malformed(reasonOf(read.issue));
  const notes = [...read.notes, ...reader.notes(read.record)];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the reader was looked up by `event`, so the payload is that kind's
  return { state: 'known', event, payload: read.record, notes } as KnownRecord;
}

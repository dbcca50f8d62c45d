// A record of the API as a log entry. Its identity is its content, so the same content is one entry, however often it is read.
import { hash } from 'node:crypto';
import { isFinalDelete, type RecordKind } from '#schemas/records.ts';
import { canonicalJson, normalizeTimestamp, type JsonObject } from '#schemas/wire.ts';
import type { Unit } from '#src/store/contract.ts';
import { observeAgain } from '#src/store/log/append.ts';
import type { NewEntry } from '#src/store/log/read.ts';
import { blankEntry, parseText, type ParsedItem } from '#workers/fold/pipeline/parse.ts';

export type RecordSource = 'backfill' | 'reconcile';

/** A record that was observed over the API, with its identity. */
export interface ObservedRecord {
  readonly kind: RecordKind;
  readonly event: string;
  readonly record: JsonObject;
  /** Normalized; empty when the given time is invalid. */
  readonly observed: string;
  readonly id: string;
  readonly tie: string;
  /** How many records of the batch have this content. */
  readonly copies: number;
}

export interface ParsedRecord extends ParsedItem {
  readonly source: ObservedRecord;
}

export function observedRecord(given: Pick<ObservedRecord, 'kind' | 'event' | 'record' | 'observed'>): ObservedRecord {
  const content = hash('sha256', canonicalJson(given.record), 'hex');
  return {
    ...given,
    observed: normalizeTimestamp(given.observed) ?? '',
    // The prefix keeps it apart from deliveries: no sender can produce the identity of a read.
    id: `${given.event}-${content}`,
    tie: content.slice(0, 16),
    copies: 1,
  };
}

/** One record per content: the latest; for a final delete the earliest, since it counts from when it was first observed. */
export function distinctRecords(records: readonly ObservedRecord[]): ObservedRecord[] {
  const byId = new Map<string, ObservedRecord>();
  for (const record of records) {
    const known = byId.get(record.id);
    const copies = (known?.copies ?? 0) + 1;
    const replaces = known === undefined || isFinalDelete(known.event) === record.observed < known.observed;
    byId.set(record.id, { ...(replaces ? record : known), copies });
  }
  return [...byId.values()];
}

export function parseRecord(source: ObservedRecord, input: { source: RecordSource; now: string }): ParsedRecord {
  const { event, record, observed, id, tie } = source;
  const body = JSON.stringify({ event, payload: record });
  const blank: NewEntry = {
    ...blankEntry,
    source: input.source,
    delivery_id: id,
    tie,
    received_at: input.now,
    occurred_at: observed || null,
    body,
  };
  return { ...parseText(body, blank), source };
}

/** Stores new times of observation, with one statement per time; all records of a page have the same. The log must be locked. */
export async function storeObservations(unit: Unit, records: readonly ObservedRecord[]): Promise<void> {
  const timed = records.filter(({ observed }) => observed !== '');
  for (const keep of ['latest', 'earliest'] as const) {
    const matching = timed.filter(({ event }) => isFinalDelete(event) === (keep === 'earliest'));
    for (const [at, group] of Map.groupBy(matching, ({ observed }) => observed))
      await observeAgain(
        unit,
        group.map(({ id }) => id),
        { at, keep },
      );
  }
}

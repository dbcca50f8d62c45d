// A record of the API as a log entry in waiting. Its identity is its content, so that the same content read again, however
// often, is one entry.
import { hash } from 'node:crypto';
import { isGone, type RecordKind } from '#schemas/records.ts';
import { canonicalJson, normalizeTimestamp, type JsonObject } from '#schemas/wire.ts';
import type { Unit } from '#src/store/contract.ts';
import { observeAgain, type NewEntry } from '#src/store/log/log.ts';
import { readText, unread, type Reading } from '#workers/pipeline/parse.ts';

export type RecordSource = 'backfill' | 'reconcile';

/** Something seen over the API, with what it is known by. */
export interface Sighting {
  readonly kind: RecordKind;
  readonly event: string;
  readonly record: JsonObject;
  /** Normalised; empty when what was given is no time. */
  readonly observed: string;
  readonly id: string;
  readonly tie: string;
  /** How many of what was handed in say just this. */
  readonly copies: number;
}

export interface RecordReading extends Reading {
  readonly sighting: Sighting;
}

export function sightingOf(seen: Pick<Sighting, 'kind' | 'event' | 'record' | 'observed'>): Sighting {
  const content = hash('sha256', canonicalJson(seen.record), 'hex');
  // Named for what it is: no text that anybody may send can have the identity of a read.
  return {
    ...seen,
    observed: normalizeTimestamp(seen.observed) ?? '',
    id: `${seen.event}-${content}`,
    tie: content.slice(0, 16),
    copies: 1,
  };
}

/** One sighting for each content: the latest; of what is gone the earliest, since a delete counts from when it was first known. */
export function distinct(sightings: readonly Sighting[]): Sighting[] {
  const byId = new Map<string, Sighting>();
  for (const sighting of sightings) {
    const known = byId.get(sighting.id);
    const copies = (known?.copies ?? 0) + 1;
    const replaces = known === undefined || isGone(known.event) === sighting.observed < known.observed;
    byId.set(sighting.id, { ...(replaces ? sighting : known), copies });
  }
  return [...byId.values()];
}

export function readSighting(sighting: Sighting, input: { source: RecordSource; now: string }): RecordReading {
  const { event, record, observed, id, tie } = sighting;
  const body = JSON.stringify({ event, payload: record });
  const blank: NewEntry = {
    ...unread,
    source: input.source,
    delivery_id: id,
    tie,
    received_at: input.now,
    occurred_at: observed || null,
    body,
  };
  return { ...readText(body, blank), sighting };
}

/** One statement for each moment; a page of records was asked for at one. */
export async function observe(unit: Unit, seen: readonly Sighting[]): Promise<void> {
  const timed = seen.filter(({ observed }) => observed !== '');
  const groups = Map.groupBy(timed, ({ event, observed }) => `${isGone(event) ? 'earliest' : 'latest'} ${observed}`);
  for (const [group, sightings] of groups) {
    const [keep, at] = group.split(' ') as ['earliest' | 'latest', string];
    await observeAgain(
      unit,
      sightings.map(({ id }) => id),
      { at, keep },
    );
  }
}

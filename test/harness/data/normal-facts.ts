// Facts as the oracle reads them, by means of its own: flat, in UTC, and comparable.
import { createHash } from 'node:crypto';
import type { Fact } from './delivery-histories.ts';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type Record_ = { [key: string]: Json };

/** Payloads flat, times in UTC with six digits, amounts as numbers. */
export interface NormalFact {
  readonly event: string;
  readonly observed: string;
  readonly tie: string;
  readonly payload: Record_;
}

const known = new WeakMap<Fact, NormalFact>();

export function normal(fact: Fact): NormalFact {
  const normalFact = known.get(fact) ?? normalized(fact);
  known.set(fact, normalFact);
  return normalFact;
}

function normalized({ event, created_at, payload }: Fact): NormalFact {
  const { contact, recap, ...rest } = tidy(payload) as { contact?: Record_; recap?: Record_ } & Record_;
  const flat: Record_ = { ...rest, ...contact, ...recap };
  if (event.startsWith('meeting_recap.')) gatherMeeting(flat);
  const tie = createHash('sha256')
    .update(JSON.stringify(sortKeys(payload)))
    .digest('hex')
    .slice(0, 16);
  return { event, observed: instant(created_at), tie, payload: flat };
}

/** The facts of a recap's meeting are in `event`, or beside it, where `event` is its URI or null. */
function gatherMeeting(flat: Record_): void {
  const beside: Record_ = {};
  for (const key of ['name', 'start_time', 'end_time', 'location', 'attendees']) {
    if (flat[key] !== undefined) beside[key] = flat[key];
    delete flat[key];
  }
  const { event } = flat;
  if (typeof event === 'object' && event !== null) flat['event'] = { ...beside, ...event };
  else if (event !== undefined) flat['event'] = { ...beside, uri: event };
  else if (Object.keys(beside).length > 0) flat['event'] = beside;
}

/** Compares tuples from the left; ISO text of one width compares as time does. */
export function before(a: readonly (string | number)[], b: readonly (string | number)[]): boolean {
  const place = a.findIndex((part, index) => part !== b[index]);
  return place >= 0 && (a[place] as string) < (b[place] as string);
}

function tidy(value: unknown, key = ''): Json {
  if (Array.isArray(value)) return value.map((entry) => tidy(entry));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, tidy(part, name)]));
  }
  if (typeof value !== 'string') return value as Json;
  if (key === 'amount') return Number(value);
  return /_(at|date|time)$/.test(key) ? instant(value) : value;
}

function instant(text: string): string {
  if (/^.{19}\.\d{6}Z$/.test(text)) return text;
  const [, seconds, fraction = '', zone = ''] = /^(.{19})(?:\.(\d+))?(.*)$/.exec(text) ?? [];
  const utc = new Date(`${seconds}${zone.replace(/(\d\d)(\d\d)$/, '$1:$2')}`).toISOString().slice(0, 19);
  return `${utc}.${fraction.padEnd(6, '0')}Z`;
}

export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sortKeys(part)]),
  );
}

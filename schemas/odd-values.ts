// Reads a record although some of its values do not fit: each such value is set aside, with a note, and the rest is read. Only a
// record without what is required of it, its URI above all, cannot be read.
import type { z } from 'zod';
import { isObject, propertyOf, type JsonObject } from './wire.ts';

export type RecordResult<Item> =
  | {
      readonly ok: true;
      readonly record: Item;
      /** Names the path of each value that was set aside and what was expected there, never the value: it may be personal data. */
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly issue: z.core.$ZodIssue | undefined };

export function readRecord<Item>(schema: z.ZodType<Item>, value: unknown): RecordResult<Item> {
  const read = schema.safeParse(value);
  if (read.success) return { ok: true, record: read.data, notes: [] };
  if (!isObject(value)) return { ok: false, issue: read.error.issues[0] };
  return readRest(schema, structuredClone(value), read.error.issues);
}

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

/** A value that was set aside can leave a part without what is required of it, which is then set aside as well. */
const mostRounds = 5;
/** With more issues than this, whole fields are set aside: a note for each value would be longer than the record. */
const mostIssues = 20;

function readRest<Item>(schema: z.ZodType<Item>, rest: JsonObject, first: readonly Issue[]): RecordResult<Item> {
  const odd: Record<string, unknown> = {};
  const notes = new Set<string>();
  const oddInEvent: Record<string, unknown> = {};
  let issues = first;
  for (let round = 0; round < mostRounds; round += 1) {
    const paths =
      issues.length > mostIssues ? issues.map(({ path }) => path.slice(0, 1)) : issues.map(removable).map(whole);
    const required = issues.find((_, index) => paths[index]?.length === 0);
    if (required) return { ok: false, issue: first.find(({ path }) => isSamePath(path, required.path)) ?? required };
    for (const [index, issue] of issues.entries()) {
      notes.add(`${(paths[index] ?? []).join('.')}: ${expectedBy(issue)}`);
      const [head = '', ...inner] = paths[index] ?? [];
      // The meeting that an invitee embeds has a row of its own, with what is set aside of it.
      if (head === embedded && inner.length > 0) setAside(oddInEvent, rest[embedded], inner);
      else setAside(odd, rest, [head, ...inner]);
    }
    removeHoles(rest);
    const read = schema.safeParse(rest);
    if (read.success) return { ok: true, record: withOdd(read.data, odd, oddInEvent), notes: [...notes] };
    issues = read.error.issues;
  }
  return { ok: false, issue: issues[0] };

  /** The path of the list where none of its items fits: an empty list would say that there are none. */
  function whole(path: Path, _: number, all: readonly Path[]): Path {
    const list = path.slice(0, -1);
    const value = list.reduce(propertyOfAny, rest);
    if (!Array.isArray(value)) return path;
    const odd = new Set(all.filter((one) => isSamePath(one.slice(0, -1), list)).map((one) => one.at(-1)));
    return odd.size === value.length ? list : path;
  }

  /** The path of the issue; of the part around it where the value is required and missing. */
  function removable({ path }: Issue): Path {
    const value = path.reduce(propertyOfAny, rest);
    return value === undefined || value === hole ? path.slice(0, -1) : path;
  }
}

const embedded = 'scheduled_event';
const propertyOfAny = (value: unknown, key: PropertyKey): unknown => propertyOf(value, String(key));
const isSamePath = (one: Path, other: Path): boolean => one.join('.') === other.join('.');

/** Marks the place of an item that was taken out of a list, so that the positions of the others hold until all are taken. */
const hole = Symbol('hole');

/** Moves the value at the path from one object to the same path of another. */
function setAside(to: Record<string, unknown>, from: unknown, path: Path): void {
  const [key = '', ...inner] = path.map(String);
  const value = propertyOf(from, key);
  if (value === undefined || value === hole || typeof from !== 'object' || from === null) return;
  if (inner.length > 0) {
    const part = to[key];
    const whole = isObject(part) ? { ...part } : {};
    setAside(whole, value, inner);
    to[key] = whole;
    return;
  }
  to[key] = value;
  if (Array.isArray(from)) Reflect.set(from, key, hole);
  else Reflect.deleteProperty(from, key);
}

function removeHoles(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const others = value.filter((item) => item !== hole);
    value.splice(0, value.length, ...others);
  }
  for (const inner of Object.values(value)) removeHoles(inner);
}

const oddValues = Symbol('odd values');

function withOdd<Item>(record: Item, odd: JsonObject, oddInEvent: JsonObject): Item {
  const event = isObject(record) ? record[embedded] : undefined;
  return {
    ...record,
    [oddValues]: odd,
    ...(isObject(event) && { [embedded]: { ...event, [oddValues]: oddInEvent } }),
  };
}

/** What was set aside of a record, under the paths where it was; undefined for most records. */
export function oddValuesOf(record: object): JsonObject | undefined {
  const odd: unknown = Reflect.get(record, oddValues);
  return isObject(odd) && Object.keys(odd).length > 0 ? odd : undefined;
}

export const expectedBy = (issue: Issue): string =>
  issue.code === 'invalid_type' ? `expected ${issue.expected}` : issue.message;

// How values look on the wire: time, identity and numbers, each read into the one form the rest of the program compares. What deliveries
// are read with is made of zod's functions, not its methods: `slotstream/webhooks` has only those functions in it, and is small.
import { z } from 'zod';

export type JsonObject = { readonly [key: string]: unknown };

/** Any JSON: one schema, so that documents name it once. */
export const json = z.json();

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The own property of an object or list, and undefined of any other value. */
export function propertyOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

/** The last part of a URI, which names the record in an address. */
export const idOf = (uri: string): string => uri.slice(uri.lastIndexOf('/') + 1);

/** Null for what is no text. */
export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const timestampForm =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/;

/**
 * UTC with exactly six fractional digits, so that text order is time order (A5); undefined when it is no ISO 8601 instant.
 * Digits beyond the sixth are cut, not rounded: rounding could carry into the second and reorder two facts.
 */
export function normalizeTimestamp(text: string): string | undefined {
  if (!timestampForm.test(text) || !dayExists(text)) return undefined;
  if (text.length === 27 && text.endsWith('Z')) return text;
  const [fraction = ''] = /(?<=\.)\d+/.exec(text) ?? [];
  const seconds = text.slice(0, 19);
  const utc = text.endsWith('Z') ? seconds : inUtc(seconds, text);
  return utc === undefined ? undefined : `${utc}.${fraction.slice(0, 6).padEnd(6, '0')}Z`;
}

function dayExists(text: string): boolean {
  const day = Number(text.slice(8, 10));
  return (
    day <= 28 ||
    day <= new Date(Date.UTC(2000 + (Number(text.slice(0, 4)) % 400), Number(text.slice(5, 7)), 0)).getUTCDate()
  );
}

function inUtc(seconds: string, text: string): string | undefined {
  const offset = /([+-])(\d\d):?(\d\d)$/.exec(text);
  if (offset === null) return undefined;
  const minutes = Number(`${offset[1]}1`) * (Number(offset[2]) * 60 + Number(offset[3]));
  const utc = new Date(Date.parse(`${seconds}Z`) - minutes * 60_000).toISOString();
  // A year outside 0001…9999 would be written with a sign, or refused by PostgreSQL.
  return /^(?!0000)\d{4}-/.test(utc) ? utc.slice(0, 19) : undefined;
}

export const timestamp = z.pipe(
  z.string(),
  z.transform((text: string, context) => {
    const normalized = normalizeTimestamp(text);
    if (normalized !== undefined) return normalized;
    context.issues.push({ code: 'custom', message: 'expected an ISO 8601 timestamp', input: text });
    return z.NEVER;
  }),
);

/** Short enough, and plain enough, to be a key in either database (PostgreSQL refuses index entries over 2,704 bytes, and some keys are two URIs). */
const uriForm = /^https?:\/\/[\x21-\x7e]{1,1016}$/;

export function isUri(value: unknown): value is string {
  return typeof value === 'string' && uriForm.test(value);
}

/** The URI a record is known by: opaque, compared as text (A5). */
export const uri = z.string().check(z.regex(uriForm, 'expected an http(s) URI of at most 1,024 characters'));

/** A string we keep but do not depend on: references, names, open enums. Absent stays absent, null stays null. */
export const text = z.nullish(z.string());
export const flag = z.nullish(z.boolean());
export const moment = z.nullish(timestamp);

/** A field a request may leave out; null says the same. Not for fields that null clears. */
export const omittable = <Field extends z.ZodType>(field: Field) =>
  field
    .nullish()
    .transform((value) => value ?? undefined)
    .optional();

/**
 * A part that is only ever kept whole as JSON: read by its schema where it fits, kept as sent where it does not. A guest list
 * of another shape is no reason to quarantine a booking.
 */
export const loosely = <Part extends z.ZodType>(part: Part) => z.union([z.nullish(part), z.unknown()]);

const numericForm = /^-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?$/;

/** A number, also when sent as a string (A4a); one that a double cannot hold exactly stays the text it was. */
export const amount = z.pipe(
  z.unknown(),
  z.transform((value: unknown, context): number | string => {
    if (typeof value === 'number') return value;
    if (typeof value === 'string' && numericForm.test(value)) {
      const number = Number(value);
      return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : value;
    }
    context.issues.push({ code: 'custom', message: 'expected number', input: value });
    return z.NEVER;
  }),
);

/** A whole number for a column of whole numbers, also when sent as a string. */
export const integer = z.pipe(
  z.unknown(),
  z.transform((value: unknown, context): number => {
    const number = typeof value === 'string' && numericForm.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
    context.issues.push({ code: 'custom', message: 'expected integer', input: value });
    return z.NEVER;
  }),
);

/**
 * One text for one JSON value, whatever the order of its keys: sorted at every level, no white space. The ground of delivery
 * identity and of the tie-break. Recursive: for values of bounded depth, as a read delivery is.
 */
export function canonicalJson(value: unknown): string {
  const copy = sorted(value);
  return copy === unsortable ? canonicalText(value) : (JSON.stringify(copy) ?? 'null');
}

const unsortable = Symbol('unsortable');

/** The value with sorted keys. `JSON.stringify` makes one flat text of it, which is hashed four times faster than a text made of parts. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const copy = value.map(sorted);
    return copy.includes(unsortable) ? unsortable : copy;
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object that is not an array; checking it again costs throughput
  const record = value as JsonObject;
  const copy: Record<string, unknown> = {};
  for (const key of sortedKeys(record)) {
    const inner = record[key];
    const innerCopy = typeof inner === 'object' ? sorted(inner) : inner;
    if (innerCopy === unsortable || isReordered(key)) return unsortable;
    copy[key] = innerCopy;
  }
  return copy;
}

/** JavaScript puts keys that are numbers first, in the order of the numbers, and `__proto__` is not a key. */
function isReordered(key: string): boolean {
  const first = key.charCodeAt(0);
  return (first >= 0x30 && first <= 0x39) || key === '__proto__';
}

/** By the number of keys and the first of them. */
const sortedLists = new Map<number, Map<string, readonly string[]>>();
const mostKeys = 100;

/** The records of one kind have the same keys, and looking for each takes less time than sorting them. */
export function sortedKeys(record: JsonObject): readonly string[] {
  const keys = Object.keys(record);
  const [first, second] = keys;
  if (first === undefined || second === undefined) return keys;
  if (keys.length === 2) return first < second ? keys : [second, first];
  if (keys.length > mostKeys) return keys.sort();
  let known = sortedLists.get(keys.length);
  if (known === undefined) sortedLists.set(keys.length, (known = new Map()));
  const list = known.get(first);
  // As many keys, and every one of them: then it is the same set.
  if (list !== undefined && hasAll(record, list)) return list;
  keys.sort();
  if ((list !== undefined || known.size < mostKeys) && !keys.some(isInherited)) known.set(first, keys);
  return keys;
}

/** Every record seems to have such a key, `toString` for example. */
const isInherited = (key: string): boolean => key in Object.prototype;

function hasAll(record: JsonObject, keys: readonly string[]): boolean {
  for (let index = 0; index < keys.length; index += 1) if (record[keys[index] ?? ''] === undefined) return false;
  return true;
}

/** The same text, made of parts. */
function canonicalText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const sortedEntries = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sortedEntries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalText(inner)}`).join()}}`;
}

/** Whether two JSON values are equal, whatever the order of their keys. Absent and undefined properties count as the same. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index += 1) if (!isSameJson(a[index], b[index])) return false;
    return true;
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both are objects and no arrays; checking again costs throughput
  return isSameObject(a as JsonObject, b as JsonObject);
}

function isSameObject(a: JsonObject, b: JsonObject): boolean {
  let count = 0;
  for (const key in a) {
    if (a[key] === undefined) continue;
    if (!Object.hasOwn(b, key) || !isSameJson(a[key], b[key])) return false;
    count += 1;
  }
  for (const key in b) if (b[key] !== undefined) count -= 1;
  return count === 0;
}

// Redacts erased people from an entry and its fact. The fact still assigns the same fields with the same versions, only without the
// person, so the order in which facts and erasures arrive does not matter and rows can be corrected in place.
import { readJson } from '#schemas/json-text.ts';
import { canonicalJson, isObject, isUri, propertyOf, type JsonObject } from '#schemas/wire.ts';
import type { NewEntry } from '#src/store/log/read.ts';
import { isApiRead, parseText, type ParsedItem } from '#workers/fold/pipeline/parse.ts';
import type { ErasedSubject } from '#workers/fold/projections/erasure.ts';
import { embeddedRecord, embeddedUri, tableOfEvent } from '#workers/fold/projections/touches.ts';
import type { Erasures } from './erasure-index.ts';
import { redactedBody } from './redact-deleted.ts';
import { containsAddress, isOwnRecord, redactMentions, type RedactionScope } from './redact-mentions.ts';
import { retainFields } from './retained-fields.ts';

/** In place of the name of an unknown kind that contains an erased address. */
export const redactedKind = 'unknown';

/** Returns the same item where it concerns no erased person. */
export function redactErased<Item extends ParsedItem>(erasures: Erasures, item: Item): Item {
  const { entry, record, fact } = item;
  if (erasures.seq === 0 || entry.source === 'operator') return item;
  const scope = { erasures, at: timeOf(item) };
  if (entry.body === null && !containsAddress(scope, entry.event)) return item;
  // An entry newer than every erasure can only concern an erased subject, and most entries are newer.
  if (record !== null && scope.at > erasures.latest && !namesSubject(erasures, entry, record)) return item;
  const content = contentOf(entry);
  if (entry.body !== null && !concerns(scope, entry, content)) return item;
  // Nothing in an unparsed entry can be retained, and no replay will help it: it is emptied like a pruned one.
  if (record === null) {
    // The log holds the beginning of a long name, which may end within the address.
    const names = [entry.event, propertyOf(content.json, 'event')];
    const event = containsAddress(scope, names) ? redactedKind : entry.event;
    return { ...item, entry: { ...entry, event, body: null, encoding: null, redacted: true } };
  }
  for (const body of redactedBodies(scope, { entry, record, content })) {
    if (body === entry.body) return item;
    const redacted = { ...entry, body, encoding: null, redacted: true };
    const reparsed = parseText(body, redacted);
    // A quarantined entry stays unprojected.
    if (reparsed.record !== null)
      return { ...item, entry: redacted, record: reparsed.record, fact: fact && reparsed.fact };
  }
  return item;
}

/**
 * The time for which an entry's content holds. A record read from the API has its own times, whenever it was read; without any it
 * counts as old. An entry that cannot be parsed is as old as its receipt.
 */
export function timeOf({ entry, record }: Pick<ParsedItem, 'entry' | 'record'>): string {
  if (isApiRead(entry)) return textAt(record, 'updated_at') ?? textAt(record, 'created_at') ?? '';
  return entry.occurred_at ?? entry.received_at;
}

/** The records in an entry that are an erased person's: the subject, or the user it embeds; for an invitee also meetings and form. */
export function erasedSubjectsIn(erasures: Erasures, item: ParsedItem): ErasedSubject[] {
  const { entry, record } = item;
  const table = tableOfEvent(entry.event);
  if (record === null || table === undefined) return [];
  const scope = { erasures, at: timeOf(item) };
  const found: ErasedSubject[] = [];
  if (isUri(record['uri']) && isOwnRecord(scope, table, record)) found.push({ uri: record['uri'], table });
  const user = table === 'organization_memberships' ? memberOf(record) : undefined;
  if (isUri(user?.['uri']) && isOwnRecord(scope, 'users', user)) found.push({ uri: user['uri'], table: 'users' });
  if (found.length === 0 || table !== 'invitees') return found;
  const form = record['routing_form_submission'];
  // A URI that contains the address itself must not be recorded.
  if (isUri(form) && !containsAddress(scope, form)) found.push({ uri: form, table: 'routing_form_submissions' });
  const meetings = [record['event'], embeddedUri(record, { key: 'scheduled_event' })].filter(isUri);
  return [...found, ...[...new Set(meetings)].map((uri) => ({ uri, table: 'scheduled_events' as const }))];
}

/** The user of a membership: embedded, or named by the URI alone. */
const memberOf = (membership: JsonObject): JsonObject =>
  embeddedRecord(membership, { key: 'user' }) ?? { uri: membership['user'] };

export function entryContainsAddress(erasures: Erasures, item: ParsedItem): boolean {
  const scope = { erasures, at: timeOf(item) };
  const { text, json } = contentOf(item.entry);
  return json === undefined ? erasures.containsAddress(text, scope.at) : containsAddress(scope, json);
}

interface ParsedContent {
  readonly entry: NewEntry;
  readonly record: JsonObject;
  readonly content: Content;
}

/** Bodies to try in this order, the most complete first; none when the present body may stay. */
function redactedBodies(scope: RedactionScope, { entry, record, content }: ParsedContent): string[] {
  const stub = redactedBody(entry, record);
  const table = tableOfEvent(entry.event);
  // An erased contact is reduced to a stub as a deleted one is: its row is a tombstone without values.
  if (table === undefined || (table === 'contacts' && isOwnRecord(scope, table, record))) return [stub];
  const reduced = envelope(entry, redactMentions(scope, retainFields(table, record)));
  const isReduced =
    isOwnRecord(scope, table, record) ||
    (table === 'organization_memberships' && isOwnRecord(scope, 'users', memberOf(record)));
  const bodies = isReduced ? [reduced] : [redactMentions(scope, content.json), reduced];
  if (canonicalJson(bodies[0]) === canonicalJson(content.json)) return [];
  return [...bodies.map((body) => JSON.stringify(body)), stub];
}

function envelope(entry: NewEntry, payload: unknown): JsonObject {
  const { event, occurred_at: created_at } = entry;
  return isApiRead(entry) ? { event, payload } : { event, created_at, payload };
}

function concerns(scope: RedactionScope, entry: NewEntry, { text, json }: Content): boolean {
  const { erasures, at } = scope;
  if (json !== undefined) return namesSubject(erasures, entry, json) || containsAddress(scope, json);
  if (namesSubject(erasures, entry, null) || erasures.containsAddress(text, at)) return true;
  return text.matchAll(uriPattern).some(([uri]) => erasures.subjects.has(uri));
}

const namesSubject = ({ subjects }: Erasures, { subject_uri }: NewEntry, json: unknown): boolean =>
  (subject_uri !== null && subjects.has(subject_uri)) || containsSubject(subjects, json);

function containsSubject(subjects: Erasures['subjects'], value: unknown): boolean {
  if (typeof value === 'string') return subjects.has(value);
  if (Array.isArray(value)) return value.some((each) => containsSubject(subjects, each));
  return isObject(value) && Object.values(value).some((each) => containsSubject(subjects, each));
}

interface Content {
  readonly text: string;
  /** Undefined when the body is not JSON. */
  readonly json: unknown;
}

/** Text that is not valid JSON may still use JSON escapes. */
function contentOf({ body, encoding }: NewEntry): Content {
  const raw = encoding === 'base64' ? Buffer.from(body ?? '', 'base64').toString() : (body ?? '');
  const read = readJson(raw);
  if (read.ok) return { text: raw, json: read.value };
  const unescaped = raw.replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return { text: unescaped.replaceAll('\\/', '/'), json: undefined };
}

const uriPattern = /https?:\/\/[\x21\x23-\x5b\x5d-\x7e]{1,1016}/g;

function textAt(record: ParsedItem['record'], key: string): string | undefined {
  const value = record?.[key];
  return typeof value === 'string' ? value : undefined;
}

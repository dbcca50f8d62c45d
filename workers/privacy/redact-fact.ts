// A fact as it is kept once somebody in it is erased. It still assigns the same fields with the same versions, only without the
// person: so the order in which facts and erasures come does not matter, and rows can be mended in place.
import { readJson } from '#schemas/json-text.ts';
import { canonicalJson, isObject, isUri, type JsonObject } from '#schemas/wire.ts';
import type { NewEntry } from '#src/store/log/log.ts';
import type { MirrorTable } from '#workers/projections/contract.ts';
import { stubOf } from '#workers/projections/redacted-body.ts';
import { isRead, readText, type Reading } from '#workers/pipeline/parse.ts';
import { tableOf } from '#workers/sync/record-tables.ts';
import type { ErasedSubject } from './erasure-entry.ts';
import type { Erasures } from './erasure-index.ts';
import { withoutPerson } from './retained-fields.ts';
import { holds, isOwn, withoutMentions, type Sought } from './redact-mentions.ts';

/** The very same reading where nobody in it is erased. */
export function withoutErased<Read extends Reading>(erasures: Erasures, reading: Read): Read {
  const { entry, record, compiled } = reading;
  if (erasures.seq === 0 || entry.source === 'operator' || entry.body === null) return reading;
  const sought = { erasures, at: timeOf(reading) };
  // What is newer than every erasure can only be about a subject, and most of what comes is newer.
  if (record !== null && sought.at > erasures.latest && !isNamed(erasures, entry, record)) return reading;
  const content = contentOf(entry);
  if (!concerns(sought, entry, content)) return reading;
  // What cannot be read has nothing in it that could stay, and waits for nothing any more: like what was pruned.
  if (record === null) return { ...reading, entry: { ...entry, body: null, encoding: null, redacted: true } };
  for (const body of readable(sought, { entry, record, content })) {
    if (body === entry.body) return reading;
    const kept = { ...entry, body, encoding: null, redacted: true };
    const again = readText(body, kept);
    // What was kept without being projected stays so.
    if (again.record !== null)
      return { ...reading, entry: kept, record: again.record, compiled: compiled && again.compiled };
  }
  return reading;
}

/**
 * When what it says was so. A record read from the API tells by its own times, whenever it was read; one without any is taken
 * for old. What cannot be read so far is as old as it is here.
 */
export function timeOf({ entry, record }: Pick<Reading, 'entry' | 'record'>): string {
  if (isRead(entry)) return textIn(record, 'updated_at') ?? textIn(record, 'created_at') ?? '';
  return entry.occurred_at ?? (entry.received_at as string);
}

/** What of it is an erased person's record: itself, or the user it embeds; of an invitee their meetings and their form besides. */
export function ownSubjects(erasures: Erasures, reading: Reading): ErasedSubject[] {
  const { entry, record } = reading;
  const table = tableIn(entry);
  if (record === null || table === undefined) return [];
  const sought = { erasures, at: timeOf(reading) };
  const user = table === 'organization_memberships' && isObject(record['user']) ? record['user'] : undefined;
  const own: ErasedSubject[] = [];
  if (isUri(record['uri']) && isOwn(sought, table, record)) own.push({ uri: record['uri'], table });
  if (isUri(user?.['uri']) && isOwn(sought, 'users', user)) own.push({ uri: user['uri'], table: 'users' });
  if (own.length === 0 || table !== 'invitees') return own;
  const form = record['routing_form_submission'];
  // What holds the address itself is no name to remember anybody by.
  if (isUri(form) && !holds(sought, form)) own.push({ uri: form, table: 'routing_form_submissions' });
  return [...own, ...meetingsOf(record).map((uri) => ({ uri, table: 'scheduled_events' as const }))];
}

/** The meetings an invitee's record names. */
function meetingsOf(record: Reading['record']): string[] {
  const embedded = isObject(record?.['scheduled_event']) ? record['scheduled_event'] : {};
  return [...new Set([record?.['event'], embedded['uri']].filter(isUri))];
}

/** Whether anything in it may be of an erased person, whenever it was so. */
export function mayTell(erasures: Erasures, json: unknown): boolean {
  return erasures.seq > 0 && (names(erasures.subjects, json) || holds({ erasures, at: '' }, json));
}

/** Whether an erased address stands anywhere in it. */
export function carriesAddress(erasures: Erasures, reading: Reading): boolean {
  const sought = { erasures, at: timeOf(reading) };
  const { text, json } = contentOf(reading.entry);
  return json === undefined ? erasures.carries(text, sought.at) : holds(sought, json);
}

export function tableIn({ event }: Pick<NewEntry, 'event'>): MirrorTable | undefined {
  const [of = ''] = (event ?? '').split('.');
  if (of === 'invitee_no_show') return 'invitees';
  return Object.hasOwn(tableOf, of) ? tableOf[of as keyof typeof tableOf] : undefined;
}

interface Understood {
  readonly entry: NewEntry;
  readonly record: JsonObject;
  readonly content: Content;
}

/** Bodies to try in this order, the fullest first; the body it has, when that can stay. */
function readable(sought: Sought, { entry, record, content }: Understood): string[] {
  const occurredAt = isRead(entry) ? null : entry.occurred_at;
  const stub = stubOf({ event: entry.event, occurredAt, uri: entry.subject_uri, record });
  const table = tableIn(entry);
  // An erased contact is kept as a deleted one is: its row is a tombstone, and holds no values.
  if (table === undefined || (table === 'contacts' && isOwn(sought, table, record))) return [stub];
  const reduced = envelope(entry, withoutMentions(sought, withoutPerson(table, record)));
  const bodies = isOwn(sought, table, record) ? [reduced] : [withoutMentions(sought, content.json), reduced];
  if (canonicalJson(bodies[0]) === canonicalJson(content.json)) return [entry.body as string];
  return [...bodies.map((body) => JSON.stringify(body)), stub];
}

function envelope(entry: NewEntry, payload: unknown): JsonObject {
  const { event, occurred_at: created_at } = entry;
  return isRead(entry) ? { event, payload } : { event, created_at, payload };
}

/** Whether it names an erased subject, or holds an erased address. */
function concerns(sought: Sought, entry: NewEntry, { text, json }: Content): boolean {
  const { erasures, at } = sought;
  if (json !== undefined) return isNamed(erasures, entry, json) || (at <= erasures.latest && holds(sought, json));
  const isKnown = (uri: string) => erasures.subjects.has(uri);
  return isNamed(erasures, entry, null) || erasures.carries(text, at) || urisIn(text).some(isKnown);
}

const isNamed = ({ subjects }: Erasures, { subject_uri }: NewEntry, json: unknown): boolean =>
  (subject_uri !== null && subjects.has(subject_uri)) || names(subjects, json);

function names(subjects: Erasures['subjects'], value: unknown): boolean {
  if (typeof value === 'string') return subjects.has(value);
  if (Array.isArray(value)) return value.some((each) => names(subjects, each));
  return isObject(value) && Object.values(value).some((each) => names(subjects, each));
}

interface Content {
  readonly text: string;
  /** Undefined when it is none. */
  readonly json: unknown;
}

/** Text that is no JSON may spell signs as JSON does; of a line break spelled so, the letter may belong to what follows, or not. */
function contentOf({ body, encoding }: NewEntry): Content {
  const raw = encoding === 'base64' ? Buffer.from(body ?? '', 'base64').toString() : (body ?? '');
  const read = encoding === null ? readJson(raw) : undefined;
  if (read?.ok) return { text: raw, json: read.value };
  const spelled = raw.replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  const plain = spelled.replaceAll('\\/', '/');
  return { text: `${plain} ${plain.replaceAll(/\\[bfnrt]/g, ' ')}`, json: undefined };
}

const urisIn = (text: string): string[] => text.match(/https?:\/\/[\x21\x23-\x5b\x5d-\x7e]{1,1016}/g) ?? [];

const textIn = (record: Reading['record'], key: string): string | undefined => {
  const value = record?.[key];
  return typeof value === 'string' ? value : undefined;
};

// Which bookings a stretch of the log may have changed, for rules to be asked about them again: those it tells of, those of the
// same meeting when that changed, and those of the same person where a rule looks at the person.
import { readJson } from '#schemas/json-text.ts';
import type { Store } from '#src/store/contract.ts';
import { lowerCaseEmail } from '#src/store/email-case.ts';
import { readColumns } from '#src/store/rows.ts';
import { chunks } from '#src/store/prepared-sql.ts';
import { erasureEvent } from '#workers/projections/erasure.ts';
import { addressesOf, bookingsByAddress, bookingsOfEvents, marksByAddress } from './person-lookup.ts';

export interface Stretch {
  /** Everything up to here was looked at. */
  readonly end: number;
  readonly entries: readonly Entry[];
}

interface Entry {
  readonly seq: number;
  /** What it is about: `invitee`, `contact`. */
  readonly of: string;
  readonly uri: string;
  /** Whether it may have forgotten a contact: then nobody knows its addresses any more. */
  readonly forgets: boolean;
}

/** What rules look at besides the booking itself. */
export interface Interest {
  /** The names of the rules that look at contacts. */
  readonly contacts: readonly string[];
  readonly marks: boolean;
  readonly events: boolean;
}

const ofBookings = new Set(['invitee', 'invitee_no_show']);
const ofErasures = erasureEvent.split('.')[0] as string;

/** The next entries after a place that changed anything; their content is not read. */
export async function nextStretch(
  { db }: Store,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<Stretch> {
  const rows = await db
    .selectFrom('event_log')
    .select(['seq', 'event', 'subject_uri', 'outcome'])
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute();
  const entries = rows.flatMap(({ seq, event, subject_uri: uri, outcome }) => {
    if (outcome !== 'applied' || uri === null) return [];
    const [of = '', how] = String(event).split('.');
    const forgets = of === ofErasures || (of === 'contact' && (how === 'deleted' || how === 'gone'));
    return [{ seq: seq, of, uri: uri, forgets }];
  });
  return { end: rows.at(-1)?.seq ?? after, entries };
}

/** The bookings these entries may have changed anything about. What happened before `since` is not told any more. */
export async function bookingsIn(
  store: Store,
  entries: readonly Entry[],
  { interest, since }: { readonly interest: Interest; readonly since: string },
): Promise<readonly string[]> {
  const direct = entries.filter(({ of }) => ofBookings.has(of) || of === ofErasures);
  const contacts = interest.contacts.length > 0 ? entries.filter(({ of }) => of === 'contact') : [];
  const isChangeAsked = interest.marks || interest.events;
  const before = await changesOf(store, isChangeAsked ? [...direct, ...contacts] : contacts);
  const told = direct.map(({ uri }) => uri);
  const found = [...told];
  if (interest.events) {
    const read = entries.flatMap(({ of, uri }) => (of === 'scheduled_event' ? [uri] : []));
    const shaken = direct.flatMap(({ seq }) => before.get(seq)?.event ?? []);
    found.push(...(await bookingsOfEvents(store, distinct([...read, ...shaken]))));
  }
  if (interest.contacts.length > 0) {
    const former = contacts.flatMap(({ seq }) => before.get(seq)?.addresses ?? []);
    const addresses = [...(await addressesOf(store, distinct(contacts.map(({ uri }) => uri)))), ...former];
    found.push(...(await bookingsByAddress(store, distinct(addresses))));
    if (entries.some(({ forgets }) => forgets)) found.push(...(await toldOf(store, interest.contacts, since)));
  }
  if (interest.marks) {
    const columns = ['uri', 'email'] as const;
    const rows = await readColumns(store, 'invitees', { columns, key: 'uri', values: told });
    const former = direct.flatMap(({ seq }) => before.get(seq)?.addresses ?? []);
    const now = rows.flatMap(({ email }) => (email === null || email === undefined ? [] : [lowerCaseEmail(email)]));
    const marks = await marksByAddress(store, distinct([...now, ...former]));
    found.push(...[...marks.values()].flat().map(({ inviteeUri }) => inviteeUri));
  }
  return distinct(found);
}

/** The bookings of which these rules told something that happened since. */
async function toldOf({ db, engine }: Store, rules: readonly string[], since: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('alerts')
    .select('subject_uri')
    .where('rule', 'in', rules)
    .where('occurred_at', '>=', engine.encode('time', since))
    .execute();
  return rows.map(({ subject_uri: uri }) => uri);
}

interface Before {
  /** Addresses that were theirs before. */
  readonly addresses: readonly string[];
  /** The meeting of which it changed what rules ask: others may be invited to it as well. */
  readonly event: string | undefined;
}

const askedOfEvents = ['name', 'event_type', 'start_time', 'hosts'];

async function changesOf({ db, engine }: Store, entries: readonly Entry[]): Promise<ReadonlyMap<number, Before>> {
  const found = new Map<number, Before>();
  for (const chunk of chunks(entries.map(({ seq }) => seq))) {
    const rows = await db
      .selectFrom('event_log')
      .select(['seq', 'changes', 'body'])
      .where('seq', 'in', chunk)
      .execute();
    for (const { seq, changes, body } of rows) found.set(seq, beforeOf(engine.decode('json', changes), body));
  }
  return found;
}

/** Table → column → [before, after]. */
function beforeOf(changes: unknown, body: unknown): Before {
  const event = partOf(changes, 'scheduled_events');
  const emails = partOf(partOf(partOf(changes, 'contacts'), 'emails'), '0');
  const listed = Array.isArray(emails) ? emails.map((each: unknown) => partOf(each, 'email')) : [];
  const own = partOf(partOf(partOf(changes, 'invitees'), 'email'), '0');
  return {
    addresses: [own, ...listed].flatMap((one) => (typeof one === 'string' ? [lowerCaseEmail(one)] : [])),
    event: askedOfEvents.some((column) => partOf(event, column) !== undefined) ? eventIn(body) : undefined,
  };
}

/** It need not be the one that the row names: another fact may know better. */
function eventIn(body: unknown): string | undefined {
  const read = readJson(String(body));
  const uri = read.ok ? partOf(partOf(partOf(read.value, 'payload'), 'scheduled_event'), 'uri') : undefined;
  return typeof uri === 'string' ? uri : undefined;
}

const partOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;

const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)];

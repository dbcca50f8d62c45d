// The timeline of a booking with its reschedules, and of a person: the timelines of their bookings and what happened to the contact.
// Each moment has the log entry that reports it.
import { isObject } from '#schemas/wire.ts';
import { isCreated } from '#src/base/changed-items.ts';
import { readOptionLabels } from '#src/read/contacts/option-labels.ts';
import { peopleOfContacts } from '#src/read/people/people.ts';
import type { Readable } from '#src/store/contract.ts';
import type { Page, PageRequest } from '#src/store/keyset.ts';
import { lowerCaseEmail } from '#src/store/sql-dialect.ts';
import type { TableRow } from '#src/store/schema/tables.ts';
import { bookingMoments } from './booking-moments.ts';
import { changeSentence, contactMoments } from './contact-moments.ts';
import { momentKinds, type Moment, type Origin } from './moment.ts';
import {
  aroundBookings,
  bookingsByAddress,
  contentOfEntries,
  newestEntriesAbout,
  type Booking,
  type SubjectEntry,
} from './timeline-rows.ts';

/** A moment with its log entry: null when no delivery reports it, or it is no longer known. */
type TimelineMoment = Omit<Moment, 'seq' | 'origin'> & { readonly seq: number | null };

/** In order of time. `members`: the invitees of the booking. */
export async function bookingTimeline(
  store: Readable,
  members: readonly Booking[],
): Promise<readonly TimelineMoment[]> {
  const moments = bookingMoments(members, await aroundBookings(store, members));
  return withEntries(store, moments.toSorted(byTime));
}

/** Newest first, over all addresses of the contact and of the person it belongs to. */
export async function personTimeline(
  store: Readable,
  contact: TableRow<'contacts'>,
  page: PageRequest,
): Promise<Page<TimelineMoment>> {
  const own = (Array.isArray(contact.emails) ? contact.emails : []).flatMap((each) =>
    isObject(each) && typeof each['email'] === 'string' ? lowerCaseEmail(each['email']) : [],
  );
  const [person] = await peopleOfContacts(store, [contact.uri]);
  const bookings = await bookingsByAddress(store, [...new Set([...own, ...(person?.emails ?? [])])]);
  const found = pageOf(
    [
      ...contactMoments(contact, await newestEntriesAbout(store, [contact.uri])),
      ...bookingMoments(bookings, await aroundBookings(store, bookings)),
    ],
    page,
  );
  const sentences = await changeSentences(store, found.items);
  const items = (await withEntries(store, found.items)).map((moment) => ({
    ...moment,
    sentence: sentences.get(moment.seq) ?? moment.sentence,
  }));
  return { ...found, items };
}

const byTime = (a: Moment, b: Moment): number =>
  a.at === b.at ? momentKinds.indexOf(a.kind) - momentKinds.indexOf(b.kind) : a.at < b.at ? -1 : 1;

async function withEntries(store: Readable, moments: readonly Moment[]): Promise<readonly TimelineMoment[]> {
  const subjects = moments.flatMap(({ origin, subject }) => (origin === undefined ? [] : (origin.subject ?? subject)));
  const entries = Map.groupBy(await newestEntriesAbout(store, [...new Set(subjects)]), (entry) => entry.subject_uri);
  return moments.map(({ origin, seq, ...moment }) => {
    const entry = origin && entryOf(entries.get(origin.subject ?? moment.subject) ?? [], origin);
    return { ...moment, seq: seq ?? entry?.seq ?? null };
  });
}

/** The entry that made the change; else the first one of its event, or the one that made the row, whose changes are not stored. */
function entryOf(
  entries: readonly SubjectEntry[],
  { table, column, event, isChange }: Origin,
): SubjectEntry | undefined {
  const changesIn = ({ changes }: SubjectEntry) => (isObject(changes) ? changes[table] : undefined);
  const made = entries.find((entry) => {
    const columns = changesIn(entry);
    const change = isObject(columns) ? columns[column] : undefined;
    return Array.isArray(change) && isChange(change[0], change[1]);
  });
  return (
    made ??
    entries.findLast((entry) => entry.event === event && entry.outcome !== 'quarantined') ??
    entries.findLast((entry) => isCreated(changesIn(entry)))
  );
}

/** What changed, with values, by the entry that reports it. */
async function changeSentences(
  store: Readable,
  moments: readonly Moment[],
): Promise<ReadonlyMap<number | null, string>> {
  const changed = moments.filter(({ kind }) => kind === 'contact_changed').flatMap(({ seq }) => seq ?? []);
  if (changed.length === 0) return new Map();
  const options = await readOptionLabels(store);
  const entries = await contentOfEntries(store, changed);
  return new Map(
    entries.flatMap((entry) => {
      const sentence = changeSentence(entry, options);
      return sentence === undefined ? [] : [[entry.seq, sentence] as const];
    }),
  );
}

/** Newest first; the id decides between equal times. */
function pageOf(moments: readonly Moment[], { count, from, backwards }: PageRequest): Page<Moment> {
  const keyOf = ({ at, id }: { readonly at: string; readonly id: string }) => `${at} ${id}`;
  const sorted = moments.toSorted((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1));
  const start = from && keyOf({ at: from.key, id: from.uri });
  const newer = start === undefined ? 0 : sorted.filter((moment) => keyOf(moment) > start).length;
  const older = start === undefined ? 0 : newer + (sorted[newer] && keyOf(sorted[newer]) === start ? 1 : 0);
  const [first, end] = backwards ? [Math.max(0, newer - count), newer] : [older, older + count];
  return { items: sorted.slice(first, end), hasPrevious: first > 0, hasNext: end < sorted.length };
}

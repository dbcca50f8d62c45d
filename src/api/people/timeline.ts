// A person's whole history: what happened to the contact, and to the bookings with any of its addresses, newest first.
import { z } from 'zod';
import { pageQuery } from '#schemas/pagination.ts';
import { instant } from '#schemas/resources/values.ts';
import { instantOf } from '#src/base/time.ts';
import { defineOperation } from '#src/api/api-operation.ts';
import { namesOf, objectsIn, rowNamed } from '#src/api/row-record.ts';
import { listing } from '#src/http/pagination.ts';
import type { Store } from '#src/store/contract.ts';
import type { Page, PageRequest } from '#src/store/keyset.ts';
import {
  aroundBookings,
  bookingsByAddress,
  contentOfEntries,
  firstEntriesAbout,
  mostOfPerson,
  newestEntriesAbout,
} from '#src/read/timeline/timeline-rows.ts';
import { readOptionLabels } from '#src/read/contacts/option-labels.ts';
import { peopleOfContacts } from '#src/read/people/people.ts';
import { lowerCaseEmail } from '#src/store/sql-dialect.ts';
import type { TableRow } from '#src/store/tables.ts';
import { bookingMoments } from '#src/read/timeline/booking-moments.ts';
import { completeChanges } from '#workers/pipeline/stored-changes.ts';
import { changeSentence, contactMoments } from '#src/read/timeline/contact-moments.ts';
import { momentKinds, type Moment } from '#src/read/timeline/moment.ts';

const timelineItem = z
  .strictObject({
    id: z.string(),
    time: instant,
    kind: z.enum(momentKinds),
    sentence: z.string().describe('What happened, in one sentence.'),
    meeting_start: instant.nullable().describe('When the meeting of this booking starts.'),
    subject_uri: z.string().describe('The contact, the booking, the recap or the submission.'),
    page: z.string().nullable().describe('The page of the dashboard about it.'),
    seq: z.int().nullable().describe('The log entry that reported it, where one did.'),
  })
  .meta({ id: 'TimelineItem' });

export const getContactTimeline = defineOperation({
  id: 'getContactTimeline',
  method: 'GET',
  path: '/api/contacts/{uuid}/timeline',
  conventions: 'service',
  tag: 'Contacts',
  summary: 'What happened with a person, newest first',
  description: `Over all addresses of the contact and of the person it belongs to: changes of the contact, bookings, moves, cancellations, no-shows, meetings that were held, recaps, submissions of routing forms, and alerts. Of the bookings, and of the entries about the contact, the newest ${mostOfPerson.toLocaleString('en')} are read. A deleted contact has no addresses any more: only its own changes are listed.`,
  errors: { 404: 'No such contact.' },
  query: pageQuery,
  answers: 'collection',
  schema: timelineItem,
  async run({ store, params, pageIn, clock }) {
    const contact = await rowNamed(store, 'contacts', params['uuid'] ?? '', 'contact');
    const page = pageOfMoments(await momentsOf(store, contact, instantOf(clock())), pageIn('time:desc'));
    const shown = page.items.filter(({ event }) => event !== undefined).map(({ subject }) => subject);
    const seqOf = await firstEntriesAbout(store, [...new Set(shown)]);
    const sentences = await changeSentences(store, page.items);
    return listing({ ...page, positionOf: ({ time, id }) => ({ key: time, uri: id }) }, (moment) => ({
      id: moment.id,
      time: moment.time,
      kind: moment.kind,
      sentence: sentences.get(moment.seq) ?? moment.sentence,
      meeting_start: moment.meetingStart ?? null,
      subject_uri: moment.subject,
      page: moment.page ?? null,
      seq: moment.seq ?? (moment.event === undefined ? null : seqOf(moment.subject, moment.event)),
    }));
  },
});

async function momentsOf(store: Store, contact: TableRow<'contacts'>, now: string): Promise<readonly Moment[]> {
  const own = objectsIn(contact.emails).flatMap(({ email }) =>
    typeof email === 'string' ? lowerCaseEmail(email) : [],
  );
  const [person] = await peopleOfContacts(store, [contact.uri]);
  const addresses = [...own, ...(person?.emails ?? [])];
  const bookings = await bookingsByAddress(store, [...new Set(addresses)]);
  const around = await aroundBookings(store, bookings);
  const forms = await namesOf(
    store,
    'routing_forms',
    around.submissions.map((submission) => submission.routing_form),
  );
  return [
    ...contactMoments(contact, await newestEntriesAbout(store, contact.uri)),
    ...bookingMoments({ bookings, ...around, forms }, now),
  ];
}

/** What changed, with values, by the entry that reports it. */
async function changeSentences(
  store: Store,
  moments: readonly Moment[],
): Promise<ReadonlyMap<number | undefined, string>> {
  const changed = moments.filter(({ kind }) => kind === 'contact_changed').flatMap(({ seq }) => seq ?? []);
  if (changed.length === 0) return new Map();
  const options = await readOptionLabels(store);
  const entries = await contentOfEntries(store, changed);
  return new Map(
    entries.flatMap((entry) => {
      const sentence = changeSentence({ source: entry.source, changes: completeChanges(entry) }, options);
      return sentence === undefined ? [] : [[entry.seq, sentence] as const];
    }),
  );
}

/** Newest first; the id decides between equal times. */
function pageOfMoments(moments: readonly Moment[], { count, from, backwards }: PageRequest): Page<Moment> {
  const keyOf = ({ time, id }: { readonly time: string; readonly id: string }) => `${time} ${id}`;
  const sorted = moments.toSorted((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1));
  const at = from && keyOf({ time: from.key, id: from.uri });
  const newer = at === undefined ? 0 : sorted.filter((moment) => keyOf(moment) > at).length;
  const older = at === undefined ? 0 : newer + (sorted[newer] && keyOf(sorted[newer]) === at ? 1 : 0);
  const [start, end] = backwards ? [Math.max(0, newer - count), newer] : [older, older + count];
  return { items: sorted.slice(start, end), hasPrevious: start > 0, hasNext: end < sorted.length };
}

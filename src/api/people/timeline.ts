// A person's whole history: what happened to the contact, and to the bookings with any of its addresses, newest first.
import { z } from 'zod';
import { pageQuery } from '#schemas/pagination.ts';
import { instant } from '#schemas/resources/values.ts';
import { idOf } from '#schemas/wire.ts';
import { defineOperation } from '#src/api/api-operation.ts';
import { rowNamed } from '#src/api/row-record.ts';
import { listing } from '#src/http/pagination.ts';
import { momentKinds, type Moment } from '#src/read/timeline/moment.ts';
import { mostOfPerson } from '#src/read/timeline/timeline-rows.ts';
import { personTimeline } from '#src/read/timeline/timeline.ts';

/** Kinds that this operation has under another name. */
const published = {
  alert_pending: 'alert',
  alert_sent: 'alert',
  alert_failed: 'alert',
} as const satisfies Partial<Record<Moment['kind'], string>>;
const isRenamed = (kind: Moment['kind']): kind is keyof typeof published => kind in published;
const kindOf = (kind: Moment['kind']) => (isRenamed(kind) ? published[kind] : kind);

const timelineItem = z
  .strictObject({
    id: z.string(),
    time: instant,
    kind: z.enum([...new Set(momentKinds.map(kindOf))]),
    sentence: z.string().describe('What happened, in one sentence.'),
    meeting_start: instant.nullable().describe('When the meeting of this booking starts; of a move, the new one.'),
    subject_uri: z.string().describe('The contact, the booking, the recap or the submission.'),
    page: z.string().nullable().describe('The page of the dashboard about it.'),
    seq: z.int().nullable().describe('The log entry that reported it, where one did.'),
  })
  .meta({ id: 'TimelineItem' });

export const getContactTimeline = defineOperation({
  id: 'getContactTimeline',
  method: 'GET',
  path: '/api/contacts/{uuid}/timeline',
  tag: 'Contacts',
  summary: 'What happened with a person, newest first',
  description: `Over all addresses of the contact and of the person it belongs to: changes of the contact, bookings, moves, cancellations, no-shows, meetings, recaps, submissions of routing forms, and alerts. Of the bookings, and of the entries about the contact, the newest ${mostOfPerson.toLocaleString('en')} are read. A deleted contact has no addresses any more: only its own changes are listed.`,
  errors: { 404: 'No such contact.' },
  query: pageQuery,
  answers: 'collection',
  schema: timelineItem,
  async run({ reading, params, pageIn }) {
    const contact = await rowNamed(reading, 'contacts', params['uuid'] ?? '', 'contact');
    const page = await personTimeline(reading, contact, pageIn('time:desc'));
    return listing({ ...page, positionOf: ({ at, id }) => ({ key: at, uri: id }) }, (moment) => ({
      id: moment.id,
      time: moment.at,
      kind: kindOf(moment.kind),
      sentence: moment.sentence,
      meeting_start: moment.meetingStart ?? null,
      subject_uri: moment.subject,
      page: pageOf(moment),
      seq: moment.seq,
    }));
  },
});

function pageOf({ kind, subject }: Pick<Moment, 'kind' | 'subject'>): string | null {
  if (kind.startsWith('contact_')) return null;
  if (kind.startsWith('alert_')) return `/mirror/alerts?subject=${encodeURIComponent(subject)}`;
  const section = kind.startsWith('recap') ? 'recaps' : kind === 'form_submitted' ? 'routing' : 'bookings';
  return `/${section}/${encodeURIComponent(idOf(subject))}`;
}

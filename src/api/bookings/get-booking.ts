// One booking with everything the mirror has about it: its reschedules, meeting, answers, contact, recaps, no-show marks, alerts and its
// timeline.
import { z } from 'zod';
import { instant } from '#schemas/resources/values.ts';
import { defineOperation } from '#src/api/api-operation.ts';
import { columnsOf, objectsIn, rowNamed } from '#src/api/row-record.ts';
import { notFound } from '#src/http/http-error.ts';
import { alertsAbout } from '#src/store/alerts/alert-rows.ts';
import { alertStates } from '#src/store/schema/own-state.ts';
import { isLinkPending } from '#src/store/follow-up-rows.ts';
import type { Readable } from '#src/store/contract.ts';
import { rowsByUri } from '#src/store/record-search.ts';
import { readColumns } from '#src/store/rows.ts';
import { bookingOfInvitee, type InviteeBooking } from '#src/read/bookings/bookings.ts';
import { momentKinds } from '#src/read/timeline/moment.ts';
import { bookingTimeline } from '#src/read/timeline/timeline.ts';
import type { TableRow } from '#src/store/schema/tables.ts';
import { bookingFields, bookingRecord } from './booking-record.ts';

const text = z.string().nullable();
const time = instant.nullable();

const timelinePoint = z.strictObject({
  kind: z.enum(momentKinds),
  at: instant,
  sentence: z.string(),
  start_time: time.describe('Of the meeting that was booked, or to which it was moved.'),
  subject_uri: z.string().describe('The invitee, the recap or the submission; of a move, the invitee that was left.'),
  seq: z
    .int()
    .nullable()
    .describe('The log entry it comes from; null when no delivery reports it, or it is no longer known.'),
});

const bookingDetail = z
  .strictObject({
    ...bookingFields,
    bookings: z
      .array(
        z.strictObject({
          uri: z.string(),
          start_time: time,
          created_at: time,
          canceled_at: time,
          canceler_type: text,
          cancel_reason: text,
        }),
      )
      .describe('The first booking and each reschedule, in order, as far as they are mirrored.'),
    meeting: z
      .strictObject({
        uri: z.string(),
        name: text,
        status: text,
        start_time: time,
        end_time: time,
        location: text.describe('The type of the location and the address or number that the service reports.'),
        join_url: text,
        link_pending: z
          .boolean()
          .describe('The link of the conference is still being created; it is read when it is ready.'),
        hosts: z.array(z.strictObject({ uri: text, name: text, email: text, timezone: text })),
        guests: z.array(z.string()).describe('Their e-mail addresses.'),
      })
      .nullable()
      .describe('Of the last booking; null when it is not mirrored.'),
    answers: z.array(z.strictObject({ question: text, answer: text })),
    payment: z
      .strictObject({
        provider: text,
        amount: z.number().nullable(),
        currency: text,
        successful: z.boolean().nullable(),
      })
      .nullable(),
    links: z.strictObject({ reschedule: text, cancel: text }),
    contact: z.strictObject({ uri: z.string(), name: text, company: text, job_title: text }).nullable(),
    recaps: z.array(z.strictObject({ uri: z.string(), created_at: time, summary_md: text })),
    alerts: z.array(
      z.strictObject({
        rule: z.string(),
        channel: z.string(),
        state: z.enum(alertStates),
        due_at: instant,
        sent_at: time,
      }),
    ),
    timeline: z.array(timelinePoint).describe('In order of time; a meeting that is still to come is the last point.'),
  })
  .meta({ id: 'BookingDetail' });

export const getBooking = defineOperation({
  id: 'getBooking',
  method: 'GET',
  path: '/api/bookings/{uuid}',
  tag: 'Bookings',
  summary: 'One booking with its timeline',
  description:
    'The booking that an invitee belongs to: `uuid` is the last part of the URI of any invitee of its chain of reschedules.',
  params: z.object({ uuid: z.string() }),
  errors: { 404: 'No such booking.' },
  answers: 'resource',
  schema: bookingDetail,
  async run({ reading, params }) {
    const invitee = await rowNamed(reading, 'invitees', params.uuid, 'booking');
    const found = await bookingOfInvitee(reading, invitee['uri']);
    if (found === undefined) throw notFound('No such booking.');
    return detailOf(reading, found);
  },
});

async function detailOf(store: Readable, { booking, members: uris }: InviteeBooking) {
  const record = bookingRecord(booking);
  const members = await rowsByUri(store, 'invitees', uris);
  const eventUris = members.flatMap(({ event_uri: uri }) => uri ?? []);
  const events = new Map((await rowsByUri(store, 'scheduled_events', eventUris)).map((row) => [row.uri, row]));
  const recaps = await readColumns(store, 'meeting_recaps', {
    columns: ['uri', 'created_at', 'summary_md', 'deleted_at'],
    key: 'event_uri',
    values: eventUris,
  });
  const alerts = await alertsAbout(store, uris);
  const [contact] = await rowsByUri(store, 'contacts', [String(record['contact_uri'])]);
  const timeline = await bookingTimeline(store, members);
  const last = members.at(-1);
  const meeting = events.get(last?.event_uri ?? '');
  return {
    ...record,
    bookings: members.map((member) => bookingOf(member, events.get(member.event_uri ?? ''))),
    meeting: meeting ? await meetingOf(store, meeting) : null,
    answers: objectsIn(last?.questions_and_answers ?? members[0]?.questions_and_answers).map(
      ({ question, answer }) => ({
        question: textOf(question),
        answer: textOf(answer),
      }),
    ),
    payment: members.map(paymentOf).findLast((payment) => payment !== null) ?? null,
    links: { reschedule: last?.reschedule_url ?? null, cancel: last?.cancel_url ?? null },
    contact: contact ? columnsOf(contact, 'uri', 'name', 'company', 'job_title') : null,
    recaps: recaps.filter(({ deleted_at: at }) => at === null).map(({ deleted_at: _deleted, ...recap }) => recap),
    alerts: alerts.map((alert) => columnsOf(alert, 'rule', 'channel', 'state', 'due_at', 'sent_at')),
    timeline: timeline.map(({ kind, at, sentence, meetingStart = null, subject, seq }) => ({
      kind,
      at,
      sentence,
      start_time: kind === 'booked' || kind === 'moved' ? meetingStart : null,
      subject_uri: subject,
      seq,
    })),
  };
}

function bookingOf(member: TableRow<'invitees'>, meeting: TableRow<'scheduled_events'> | undefined) {
  return {
    uri: member.uri,
    start_time: meeting?.start_time ?? null,
    ...columnsOf(member, 'created_at', 'canceled_at', 'canceler_type', 'cancel_reason'),
  };
}

async function meetingOf(store: Readable, meeting: TableRow<'scheduled_events'>) {
  const hosts = objectsIn(meeting.hosts);
  const uris = hosts.map(({ user }) => String(user));
  const users = new Map((await rowsByUri(store, 'users', uris)).map((row) => [row.uri, row]));
  const [where] = objectsIn([meeting.location]);
  const parts = [textOf(where?.['type'] ?? where?.['kind']), textOf(where?.['location'])].filter(Boolean);
  return {
    ...columnsOf(meeting, 'uri', 'name', 'status', 'start_time', 'end_time', 'join_url'),
    location: parts.length === 0 ? null : parts.join(': '),
    link_pending: isLinkPending(where?.['status']),
    hosts: hosts.map(({ user, user_name, user_email }) => {
      const known = users.get(String(user));
      const email = known?.email ?? textOf(user_email);
      return { uri: textOf(user), name: known?.name ?? textOf(user_name), email, timezone: known?.timezone ?? null };
    }),
    guests: objectsIn(meeting.guests).flatMap(({ email }) => textOf(email) ?? []),
  };
}

function paymentOf({ payment, ...row }: TableRow<'invitees'>) {
  if (payment === null) return null;
  return {
    provider: row.payment_provider,
    amount: row.payment_amount,
    currency: row.payment_currency,
    successful: row.payment_successful,
  };
}

/** JSON of the service may hold anything. */
const textOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value);

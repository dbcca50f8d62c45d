// One booking with everything the mirror has about it: its reschedules, meeting, answers, contact, recaps, alerts and its timeline.
import { isObject } from '#schemas/wire.ts';
import { alertsAbout } from '#src/store/alerts/alert-rows.ts';
import { isLinkPending } from '#src/store/follow-up-rows.ts';
import type { Readable } from '#src/store/contract.ts';
import { rowsByUri } from '#src/store/record-search.ts';
import { readColumns } from '#src/store/rows.ts';
import { bookingTimeline } from '#src/read/timeline/timeline.ts';
import type { TableRow } from '#src/store/schema/tables.ts';
import { bookingOfInvitee } from './bookings.ts';

export type BookingDetail = NonNullable<Awaited<ReturnType<typeof readBookingDetail>>>;

/** By any invitee of its chain; undefined for an invitee without a meeting. */
export async function readBookingDetail(store: Readable, invitee: string) {
  const found = await bookingOfInvitee(store, invitee);
  if (found === undefined) return undefined;
  const { booking, members: uris } = found;
  const members = await rowsByUri(store, 'invitees', uris);
  const eventUris = members.flatMap(({ event_uri: uri }) => uri ?? []);
  const events = new Map((await rowsByUri(store, 'scheduled_events', eventUris)).map((row) => [row.uri, row]));
  const recaps = await readColumns(store, 'meeting_recaps', {
    columns: ['uri', 'created_at', 'summary_md', 'deleted_at'],
    key: 'event_uri',
    values: eventUris,
  });
  const [contact] = await rowsByUri(store, 'contacts', [booking.contact_uri ?? '']);
  const last = members.at(-1);
  const meeting = events.get(last?.event_uri ?? '');
  return {
    booking,
    /** The first invitee and that of each reschedule, in order, as far as they are mirrored. */
    members: members.map((member) => ({
      ...member,
      start_time: events.get(member.event_uri ?? '')?.start_time ?? null,
    })),
    /** Of the last invitee; undefined where nothing describes it. */
    meeting: meeting && (await meetingOf(store, meeting)),
    answers: objectsIn(last?.questions_and_answers ?? members[0]?.questions_and_answers).map(
      ({ question, answer }) => ({ question: textOf(question), answer: textOf(answer) }),
    ),
    /** The invitee with the last payment. */
    paid: members.findLast(({ payment }) => payment !== null),
    contact,
    recaps: recaps.filter(({ deleted_at: at }) => at === null),
    alerts: await alertsAbout(store, uris),
    /** In order of time; a meeting that is still to come is the last point. */
    timeline: await bookingTimeline(store, members),
  };
}

async function meetingOf(store: Readable, meeting: TableRow<'scheduled_events'>) {
  const hosts = objectsIn(meeting.hosts);
  const uris = hosts.map(({ user }) => String(user));
  const users = new Map((await rowsByUri(store, 'users', uris)).map((row) => [row.uri, row]));
  const [where] = objectsIn([meeting.location]);
  const parts = [textOf(where?.['type'] ?? where?.['kind']), textOf(where?.['location'])].filter(Boolean);
  return {
    joinUrl: meeting.join_url,
    /** The type of the location and the address or number that the service reports. */
    location: parts.length === 0 ? null : parts.join(': '),
    /** The link of the conference is still being created; it is read when it is ready. */
    isLinkPending: isLinkPending(where?.['status']),
    hosts: hosts.map(({ user, user_name, user_email }) => {
      const known = users.get(String(user));
      const email = known?.email ?? textOf(user_email);
      return { name: known?.name ?? textOf(user_name), email, timezone: known?.timezone ?? null };
    }),
    /** Their e-mail addresses. */
    guests: objectsIn(meeting.guests).flatMap(({ email }) => textOf(email) ?? []),
  };
}

const objectsIn = (value: unknown) => (Array.isArray(value) ? value : []).filter(isObject);

/** JSON of the service may hold anything. */
const textOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value);

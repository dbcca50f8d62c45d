// What happened to the bookings of a person, from the rows about them.
import type { aroundBookings, PersonBooking } from './timeline-rows.ts';
import { pageOf, type Moment } from './moment.ts';

interface PersonRows extends Awaited<ReturnType<typeof aroundBookings>> {
  readonly bookings: readonly PersonBooking[];
  /** Names of routing forms by URI. */
  readonly forms: ReadonlyMap<string, string>;
}

type Meeting = PersonRows['meetings'][number];

export function bookingMoments(rows: PersonRows, now: string): readonly Moment[] {
  const meetings = new Map(rows.meetings.map((meeting) => [meeting.uri, meeting]));
  const bookings = new Map(rows.bookings.map((booking) => [booking.uri, booking]));
  const left = new Set(rows.bookings.map((booking) => booking.old_invitee));
  const meetingOf = (inviteeUri: string) => meetings.get(bookings.get(inviteeUri)?.event_uri ?? '');
  return [
    ...rows.bookings.flatMap((booking) => {
      const isMissed = rows.marks.some((mark) => mark.invitee_uri === booking.uri && mark.unmarked_at === null);
      const hasLater = bookings.has(booking.new_invitee ?? '') || left.has(booking.uri);
      return momentsOf(booking, { meeting: meetings.get(booking.event_uri ?? ''), hasLater, isMissed, now });
    }),
    ...rows.marks.flatMap((mark) => markMoments(mark, meetingOf(mark.invitee_uri))),
    ...rows.recaps.flatMap(({ uri, event_uri: event, event_name: name, created_at: time, deleted_at: deleted }) => {
      if (time === null || deleted !== null) return [];
      const meeting = name ?? meetings.get(event ?? '')?.name ?? 'a meeting';
      const found = {
        kind: 'recap',
        id: `recap ${uri}`,
        time,
        sentence: `A recap of ${meeting} was written.`,
      } as const;
      return [{ ...found, subject: uri, page: pageOf('recaps', uri), event: 'meeting_recap.created' }];
    }),
    ...rows.submissions.flatMap(({ uri, routing_form: form, created_at: time }) => {
      if (time === null) return [];
      const sentence = `Submitted the form ${rows.forms.get(form ?? '') ?? 'of a routing page'}.`;
      const found = { kind: 'form_submitted', id: `submission ${uri}`, time, sentence } as const;
      return [{ ...found, subject: uri, page: pageOf('routing', uri), event: 'routing_form_submission.created' }];
    }),
    ...rows.alerts.map(({ id, rule, channel, state, subject_uri: subject, created_at: created, sent_at: sent }) => ({
      kind: 'alert' as const,
      id: `alert ${id}`,
      time: sent ?? created,
      sentence: alertSentences[state]?.(rule, channel) ?? `The alert ${rule} to ${channel} is ${state}.`,
      subject,
      page: `/mirror/alerts?subject=${encodeURIComponent(subject)}`,
      meetingStart: meetingOf(subject)?.start_time ?? null,
    })),
  ];
}

const alertSentences: Readonly<Record<string, (rule: string, channel: string) => string>> = {
  pending: (rule, channel) => `The alert ${rule} waits to be sent to ${channel}.`,
  sent: (rule, channel) => `The alert ${rule} was sent to ${channel}.`,
  retracted: (rule, channel) => `The alert ${rule} to ${channel} was retracted.`,
  failed: (rule, channel) => `The alert ${rule} could not be sent to ${channel}.`,
};

interface MomentInput {
  readonly meeting: Meeting | undefined;
  /** The booking to which this one was moved is mirrored. */
  readonly hasLater: boolean;
  readonly isMissed: boolean;
  readonly now: string;
}

function momentsOf(booking: PersonBooking, { meeting, hasLater, isMissed, now }: MomentInput): readonly Moment[] {
  const { uri, old_invitee: earlier, new_invitee: later } = booking;
  const name = meeting?.name ?? 'a meeting';
  const at = (kind: Moment['kind'], time: string | null | undefined, sentence: string, event: string): Moment[] =>
    time ? [{ kind, id: `${kind} ${uri}`, time, sentence, event, ...aboutBooking(uri, meeting) }] : [];
  const moved = earlier ? `Moved ${name} to another time.` : undefined;
  const isMoved = booking.rescheduled === true || Boolean(later);
  const isCanceled = booking.status === 'canceled' || meeting?.status === 'canceled';
  const isOver = (meeting?.end_time ?? now) < now;
  return [
    ...at(moved ? 'moved' : 'booked', booking.created_at, moved ?? `Booked ${name}.`, 'invitee.created'),
    ...at('confirmed', booking.reconfirmed_at, `Confirmed ${name}.`, 'invitee.created'),
    // The booking at the new time says that it was moved; only where it is not mirrored, the old one does.
    ...(isMoved && !hasLater
      ? at('moved', booking.canceled_at, `Moved ${name} to a time that is not mirrored.`, 'invitee.canceled').map(
          (moment) => ({ ...moment, id: `left ${uri}` }),
        )
      : []),
    ...(isCanceled && !isMoved
      ? at('canceled', booking.canceled_at ?? booking.updated_at, cancellation(booking, name), 'invitee.canceled')
      : []),
    ...(isOver && !isCanceled && !isMoved && !isMissed
      ? at('held', meeting?.end_time, `${meeting?.name ?? 'A meeting'} ended.`, 'invitee.created').map(
          ({ event: _none, ...held }) => held,
        )
      : []),
  ];
}

function cancellation({ canceler_type: by, cancel_reason: reason }: PersonBooking, name: string): string {
  const what = by === 'host' ? `The host canceled ${name}` : `Canceled ${name}`;
  return reason ? `${what}: ${reason}` : `${what}.`;
}

function markMoments(mark: PersonRows['marks'][number], meeting: Meeting | undefined): readonly Moment[] {
  const name = meeting?.name ?? 'a meeting';
  const about = aboutBooking(mark.invitee_uri, meeting);
  const set = { kind: 'no_show', time: mark.marked_at, sentence: `Did not show up for ${name}.` } as const;
  const removed = { kind: 'no_show_removed', sentence: `The no-show mark for ${name} was removed.` } as const;
  const id = `${mark.invitee_uri} ${mark.marked_at}`;
  return [
    { ...set, ...about, id: `marked ${id}`, event: 'invitee_no_show.created' },
    ...(mark.unmarked_at === null
      ? []
      : [{ ...removed, ...about, time: mark.unmarked_at, id: `unmarked ${id}`, event: 'invitee_no_show.deleted' }]),
  ];
}

const aboutBooking = (uri: string, meeting: Meeting | undefined) => ({
  subject: uri,
  page: pageOf('bookings', uri),
  meetingStart: meeting?.start_time ?? null,
});

// What happened to bookings and around them, in words: the view `booking_moments`, forms, recaps and alerts.
import { isSameJson } from '#schemas/wire.ts';
import type { Json } from '#src/store/columns.ts';
import type { Moment, Origin } from './moment.ts';
import type { Booking, BookingMoment, TimelineRows } from './timeline-rows.ts';

type Meeting = TimelineRows['meetings'][number];

export function bookingMoments(bookings: readonly Booking[], rows: TimelineRows): readonly Moment[] {
  const meetings = new Map(rows.meetings.map((meeting) => [meeting.uri, meeting]));
  const byUri = new Map(bookings.map((booking) => [booking.uri, booking]));
  const meetingWith = (invitee: string | null) => meetings.get(byUri.get(invitee ?? '')?.event_uri ?? '');
  const ends = new Map(rows.ends.map((end) => [end.last_invitee, end]));
  const forms = new Map(rows.forms.map(({ uri, name }) => [uri, name]));
  return [
    ...rows.moments.flatMap((row) => {
      const about = { booking: byUri.get(row.invitee), meeting: meetingWith(row.invitee), end: ends.get(row.invitee) };
      const next = byUri.has(row.next_invitee ?? '') ? meetingWith(row.next_invitee) : undefined;
      return momentOf(row, { ...about, next });
    }),
    ...bookings.flatMap((booking) =>
      moment('confirmation_requested', booking.reconfirmation_sent_at, {
        subject: booking.uri,
        sentence: `The invitee was asked to confirm ${nameOf(meetingWith(booking.uri))}.`,
        meetingStart: meetingWith(booking.uri)?.start_time ?? null,
        origin: setting('invitees', 'reconfirmation_sent_at', booking.reconfirmation_sent_at, 'invitee.created'),
      }),
    ),
    ...rows.ends.flatMap(({ last_invitee: subject, outcome }) => {
      const meeting = meetingWith(subject);
      const start = meeting?.start_time ?? null;
      const sentence = `Start of ${nameOf(meeting)}.`;
      return outcome === 'upcoming' ? moment('meeting', start, { subject, meetingStart: start, sentence }) : [];
    }),
    ...rows.recaps.flatMap((recap) =>
      recapMoments(recap, recap.event_name ?? nameOf(meetings.get(recap.event_uri ?? ''))),
    ),
    ...rows.submissions.flatMap(({ uri, routing_form: form, created_at: at }) =>
      moment('form_submitted', at, {
        subject: uri,
        sentence: `Submitted the form ${forms.get(form ?? '') || 'of a routing page'}.`,
        origin: setting('routing_form_submissions', 'created_at', at, 'routing_form_submission.created'),
      }),
    ),
    ...rows.alerts.flatMap((alert) => alertMoments(alert, meetingWith(alert.subject_uri))),
  ];
}

const nameOf = (meeting: Meeting | undefined): string => meeting?.name || 'the meeting';

/** None without a time. */
const moment = (
  kind: Moment['kind'],
  at: string | null,
  about: Omit<Moment, 'kind' | 'at' | 'id'> & { readonly id?: string },
): readonly Moment[] => (at === null ? [] : [{ kind, at, ...about, id: `${kind} ${about.id ?? about.subject}` }]);

const setting = (table: Origin['table'], column: string, value: Json, event: string): Origin => ({
  table,
  column,
  event,
  isChange: (_before, after) => isSameJson(after, value),
});

interface About {
  /** Undefined for one of another address. */
  readonly booking: Booking | undefined;
  readonly meeting: Meeting | undefined;
  /** Of the last invitee of a booking. */
  readonly end: TimelineRows['ends'][number] | undefined;
  /** The meeting that a move led to, where it has one of the addresses. */
  readonly next: Meeting | undefined;
}

function momentOf(row: BookingMoment, about: About): readonly Moment[] {
  const { moment: kind, at, invitee, mark } = row;
  const meetingStart = (kind === 'moved' ? about.next : about.meeting)?.start_time ?? null;
  const origin = originOf(row, about);
  const id = mark === '' ? invitee : `${invitee} ${mark}`;
  return moment(kind, at, {
    subject: invitee,
    id,
    sentence: sentenceOf(row, about),
    meetingStart,
    ...(origin && { origin }),
  });
}

function sentenceOf(row: BookingMoment, { booking, meeting, end, next }: About): string {
  const { moment: kind, by, entry } = row;
  const name = nameOf(meeting);
  const reason = end?.cancel_reason ?? booking?.cancel_reason;
  switch (kind) {
    case 'booked':
      return `Booked ${name}.`;
    case 'moved':
      return booking === undefined
        ? `${done(by, 'moved')} ${nameOf(next)} here from a booking with another address.`
        : withReason(`${done(by, 'moved')} ${name} to ${whereTo(row, next)}`, reason);
    case 'canceled':
      return withReason(`${done(by, 'canceled')} ${name}`, reason);
    case 'no_show':
      return `Marked as a no-show for ${name}.`;
    case 'no_show_removed':
      return `The no-show mark for ${name} was removed.`;
    case 'came':
      return entry === null
        ? `A recap shows that the invitee came to ${name}.`
        : `The answer about ${name}: they came${answeredBy[by ?? ''] ?? ''}.`;
    case 'reconfirmed':
      return `The invitee confirmed ${name}.`;
    case 'ended':
      return `End of ${name}.`;
  }
}

const withReason = (text: string, reason: string | null | undefined): string =>
  reason ? `${text}: ${reason}` : `${text}.`;

function whereTo({ next_invitee: uri }: BookingMoment, next: Meeting | undefined): string {
  if (next !== undefined) return 'another time';
  return `a booking ${uri === null ? 'that is not mirrored' : 'with another address'}`;
}

const answeredBy: Readonly<Record<string, string>> = {
  host: ' (by a link to the host)',
  dashboard: ' (on the dashboard)',
  api: ' (over the API)',
};

/** With who did it, where that is known. */
function done(by: string | null, verb: 'moved' | 'canceled'): string {
  return by === 'host' || by === 'invitee' ? `The ${by} ${verb}` : verb === 'moved' ? 'Moved' : 'Canceled';
}

/** What reports a moment. No delivery reports that a meeting took place. */
function originOf(
  { moment: kind, at, entry, mark, next_invitee: next }: BookingMoment,
  { booking, end }: About,
): Origin | undefined {
  switch (kind) {
    case 'booked':
      return setting('invitees', 'created_at', at, 'invitee.created');
    case 'moved':
    case 'canceled':
      if (booking?.status === 'canceled' || next === null)
        return setting('invitees', 'canceled_at', booking?.canceled_at ?? null, 'invitee.canceled');
      return { ...setting('invitees', 'created_at', at, 'invitee.created'), subject: next };
    case 'no_show':
      return setting('invitees', 'no_show_uri', mark, 'invitee_no_show.created');
    case 'no_show_removed':
      return {
        ...setting('invitees', 'no_show_uri', mark, 'invitee_no_show.deleted'),
        isChange: (before, after) => before === mark && after !== mark,
      };
    case 'came':
      return entry === null
        ? {
            ...setting('meeting_recaps', 'created_at', at, 'meeting_recap.created'),
            subject: end?.attendance_basis ?? '',
          }
        : setting('invitees', 'attendance_confirmed_at', at, 'attendance.confirmed');
    case 'reconfirmed':
      return setting('invitees', 'reconfirmed_at', at, 'invitee.created');
    case 'ended':
      return undefined;
  }
}

function recapMoments(recap: TimelineRows['recaps'][number], name: string): readonly Moment[] {
  const { uri: subject, created_at: created, as_of: known, deleted_at: deleted } = recap;
  const originOf = (column: string, value: Json, event: string) => setting('meeting_recaps', column, value, event);
  return [
    ...moment('recap', created ?? known, {
      subject,
      sentence: `A recap of ${name} was written.`,
      origin: originOf('created_at', created, 'meeting_recap.created'),
    }),
    ...moment('recap_deleted', deleted, {
      subject,
      sentence: `The recap of ${name} was deleted.`,
      origin: originOf('deleted_at', deleted, 'meeting_recap.deleted'),
    }),
  ];
}

/** By the first word of the column `fact`; anything else is the URI of a no-show. */
const alertTopics: Readonly<Record<string, string>> = {
  booked: 'the booking',
  canceled: 'the cancellation',
  suspected_no_show: 'a suspected no-show',
  unconfirmed: 'a meeting without proof of attendance',
};

/** None where it was retracted before it was sent. */
function alertMoments(alert: TimelineRows['alerts'][number], meeting: Meeting | undefined): readonly Moment[] {
  const { rule, channel, state, fact, subject_uri: subject } = alert;
  const what = `alert “${rule}” about ${alertTopics[fact.split(' ')[0] ?? ''] ?? 'the no-show'}`;
  const at = (kind: Moment['kind'], time: string, end: string, of = '') =>
    moment(kind, time, {
      subject,
      id: `${alert.id}${of === '' ? '' : '-retraction'}`,
      sentence: `The ${of}${what} ${end} ${channel}.`,
      meetingStart: meeting?.start_time ?? null,
    });
  if (alert.sent_at === null) {
    if (state === 'failed') return at('alert_failed', alert.updated_at, 'could not be sent to');
    return state === 'pending' ? at('alert_pending', alert.created_at, 'waits to be sent to') : [];
  }
  const retraction = 'retraction of the ';
  return [
    ...at('alert_sent', alert.sent_at, 'was sent to'),
    ...(state === 'retracting' ? at('alert_pending', alert.due_at, 'waits to be sent to', retraction) : []),
    ...(state === 'retracted' ? at('alert_sent', alert.updated_at, 'was sent to', retraction) : []),
    ...(state === 'failed' ? at('alert_failed', alert.updated_at, 'could not be sent to', retraction) : []),
  ];
}

// What happened to bookings, from the rows about them.
import { isSameJson } from '#schemas/wire.ts';
import type { Json } from '#src/store/columns.ts';
import type { Moment, Origin } from './moment.ts';
import type { Booking, TimelineRows } from './timeline-rows.ts';

type Meeting = TimelineRows['meetings'][number];

/** `chains`: the bookings, each with its reschedules, in order. */
export function bookingMoments(
  chains: readonly (readonly Booking[])[],
  rows: TimelineRows,
  now: string,
): readonly Moment[] {
  const meetings = new Map(rows.meetings.map((meeting) => [meeting.uri, meeting]));
  const meetingOf = ({ event_uri: uri }: { readonly event_uri: string | null }) => meetings.get(uri ?? '');
  const bookings = new Map(chains.flat().map((booking) => [booking.uri, booking]));
  const meetingWith = (invitee: string) => meetings.get(bookings.get(invitee)?.event_uri ?? '');
  const isFollowed = ({ uri, new_invitee: next }: Booking) =>
    rows.successors.some((other) => other.uri === next || other.old_invitee === uri);
  const forms = new Map(rows.forms.map(({ uri, name }) => [uri, name]));
  return [
    ...chains.flatMap((chain) => [
      ...chain.flatMap((booking, index) => inviteeMoments(booking, chain[index - 1], meetingOf(booking))),
      ...chain.slice(-1).flatMap((last) => endMoments(last, meetingOf(last), { now, isFollowed: isFollowed(last) })),
    ]),
    ...rows.marks.flatMap((mark) => markMoments(mark, meetingWith(mark.invitee_uri))),
    ...rows.recaps.flatMap((recap) => recapMoments(recap, recap.event_name ?? nameOf(meetingOf(recap)))),
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

function inviteeMoments(
  booking: Booking,
  earlier: Booking | undefined,
  meeting: Meeting | undefined,
): readonly Moment[] {
  const name = nameOf(meeting);
  const at = (kind: Moment['kind'], column: 'created_at' | (`reconf${string}` & keyof Booking), sentence: string) =>
    moment(kind, booking[column], {
      subject: booking.uri,
      sentence,
      meetingStart: meeting?.start_time ?? null,
      origin: setting('invitees', column, booking[column], 'invitee.created'),
    });
  return [
    ...(earlier || booking.old_invitee
      ? at('moved', 'created_at', `${changed(earlier, 'moved')} ${name} to another time.`)
      : at('booked', 'created_at', `Booked ${name}.`)),
    ...at('confirmation_requested', 'reconfirmation_sent_at', `The invitee was asked to confirm ${name}.`),
    ...at('reconfirmed', 'reconfirmed_at', `The invitee confirmed ${name}.`),
    ...moment('came', booking.attendance_confirmed_at, {
      subject: booking.uri,
      sentence: `The answer about ${name}: they came${answeredBy[booking.attendance_confirmed_by ?? ''] ?? ''}.`,
      meetingStart: meeting?.start_time ?? null,
      origin: setting('invitees', 'attendance_confirmed_at', booking.attendance_confirmed_at, 'attendance.confirmed'),
    }),
  ];
}

const answeredBy: Readonly<Record<string, string>> = {
  host: ' (by a link to the host)',
  dashboard: ' (on the dashboard)',
  api: ' (over the API)',
};

/** With who did it, where that is known. */
function changed(canceled: Booking | undefined, verb: 'moved' | 'canceled'): string {
  const by = canceled?.canceler_type;
  return by === 'host' || by === 'invitee' ? `The ${by} ${verb}` : verb === 'moved' ? 'Moved' : 'Canceled';
}

/** How a booking ended, or when its meeting is. No delivery reports that a meeting took place. */
function endMoments(
  last: Booking,
  meeting: Meeting | undefined,
  { now, isFollowed }: { readonly now: string; readonly isFollowed: boolean },
): readonly Moment[] {
  const name = nameOf(meeting);
  const about = { subject: last.uri, meetingStart: meeting?.start_time ?? null };
  const isMovedOn = last.rescheduled === true || Boolean(last.new_invitee);
  if (isMovedOn || last.status === 'canceled' || meeting?.status === 'canceled') {
    const what = isMovedOn
      ? `${changed(last, 'moved')} ${name} to a booking ${isFollowed ? 'with another address' : 'that is not mirrored'}`
      : `${changed(last, 'canceled')} ${name}`;
    return moment(isMovedOn ? 'moved_on' : 'canceled', last.canceled_at ?? last.updated_at, {
      ...about,
      sentence: last.cancel_reason ? `${what}: ${last.cancel_reason}` : `${what}.`,
      origin: setting('invitees', 'canceled_at', last.canceled_at, 'invitee.canceled'),
    });
  }
  const end = meeting?.end_time ?? meeting?.start_time ?? null;
  // A meeting may be marked as missed before it begins.
  return last.no_show_at === null && end !== null && end <= now
    ? moment('held', end, { ...about, sentence: `End of ${name}.` })
    : moment('meeting', meeting?.start_time ?? null, { ...about, sentence: `Start of ${name}.` });
}

function markMoments(mark: TimelineRows['marks'][number], meeting: Meeting | undefined): readonly Moment[] {
  const { invitee_uri: subject, no_show_uri: uri, marked_at: marked, unmarked_at: unmarked } = mark;
  const about = { subject, id: `${subject} ${marked} ${uri}`, meetingStart: meeting?.start_time ?? null };
  const name = nameOf(meeting);
  const created = setting('invitees', 'no_show_uri', uri, 'invitee_no_show.created');
  const deleted: Origin = {
    ...created,
    event: 'invitee_no_show.deleted',
    isChange: (before, after) => before === uri && after !== uri,
  };
  return [
    ...moment('no_show_marked', marked, { ...about, sentence: `Marked as a no-show for ${name}.`, origin: created }),
    ...moment('no_show_unmarked', unmarked, {
      ...about,
      sentence: `The no-show mark for ${name} was removed.`,
      origin: deleted,
    }),
  ];
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

// Controls for what people do on the hosted pages: cancel, reschedule, mark a no-show, submit a form, and write recaps.
import { z } from 'zod';
import { cancelerTypes } from '#schemas/invitee.ts';
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import type { ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import type { UserResource } from '#schemas/resources/user.ts';
import { trackingRequest } from '#schemas/tracking.ts';
import { omittable, timestamp, uri } from '#schemas/wire.ts';
import { invalid } from '#src/http/http-error.ts';
import { hourMs, instantOf, minuteMs } from '#src/sandbox/clock.ts';
import { cancelInvitee, markNoShow, rescheduleInvitee, unmarkNoShow } from '#src/sandbox/world/bookings/bookings.ts';
import { updateMeeting } from '#src/sandbox/world/bookings/meetings.ts';
import { mainOrganization } from '#src/sandbox/world/organizations.ts';
import { createRecap, deleteRecap, externalMeeting, updateRecap } from '#src/sandbox/world/recaps.ts';
import { submitForm, type Answers } from '#src/sandbox/world/routing.ts';
import { bookThroughLink } from '#src/sandbox/world/scheduling-links.ts';
import { found, type Service, type State } from '#src/sandbox/world/service.ts';
import { bookPerson, slotAfter, type Booker } from '#src/sandbox/world/visitors.ts';
import { control } from './control.ts';

type InviteeField = 'uri' | 'invitee';

/** People try either of the two fields. */
const whichInvitee = { uri: omittable(uri), invitee: omittable(uri) };

export const inviteeControls = [
  control('PATCH', '/scheduled_events', {
    summary: 'Gives a meeting another host or another link; no webhook is sent',
    body: z.strictObject({ uri, host: omittable(uri), join_url: omittable(z.url()) }),
    answers: 'resource',
    run({ service, body: { uri: named, host, join_url } }) {
      const meeting = found(service.state.scheduledEvents.get(named), 'scheduled event', 'uri');
      const user = host === undefined ? undefined : found(service.state.users.get(host), 'user', 'host');
      return updateMeeting(service, meeting, { host: user, join_url });
    },
  }),
  control('POST', '/invitees/cancel', {
    summary: 'An invitee cancels, or the host does',
    body: z.strictObject({
      ...whichInvitee,
      /** The same as `canceler_type`, the word of the service. */
      by: omittable(z.enum(cancelerTypes)),
      canceler_type: omittable(z.enum(cancelerTypes)),
      reason: z.string().max(10_000).nullable().default(null),
    }),
    answers: 'resource',
    run({ service, body: { by, canceler_type, reason, ...named } }) {
      if ((canceler_type ?? by) !== (by ?? canceler_type))
        throw invalid({ message: 'not the same as by', parameter: 'canceler_type' });
      const cancelerType = by ?? canceler_type ?? 'invitee';
      return cancelInvitee(service, demandInvitee(service, named, 'uri'), { cancelerType, reason });
    },
  }),
  control('POST', '/invitees/reschedule', {
    summary: 'An invitee moves to another time; answers with the new invitee',
    body: z.strictObject({ ...whichInvitee, start_time: timestamp }),
    answers: 'resource',
    run: ({ service, body: { start_time: startTime, ...named } }) =>
      rescheduleInvitee(service, demandInvitee(service, named, 'uri'), { startTime }),
  }),
  control('POST', '/no_shows', {
    summary: 'Marks an invitee as a no-show',
    body: z.strictObject(whichInvitee),
    answers: 'resource',
    run: ({ service, body }) => markNoShow(service, demandInvitee(service, body, 'invitee')),
  }),
  control('DELETE', '/no_shows', {
    summary: 'Removes the mark',
    body: z.strictObject(whichInvitee),
    answers: 'resource',
    run: ({ service, body }) => unmarkNoShow(service, demandInvitee(service, body, 'invitee')),
  }),
];

/** `usual` is the field that the control is documented with. */
function demandInvitee(
  { state }: Service,
  given: { readonly [Name in InviteeField]?: string | undefined },
  usual: InviteeField,
): InviteeResource {
  const other: InviteeField = usual === 'uri' ? 'invitee' : 'uri';
  const parameter = given[usual] === undefined && given[other] !== undefined ? other : usual;
  const named = given[parameter];
  if (named === undefined) throw invalid({ message: 'required', parameter });
  if ((given[other] ?? named) !== named) throw invalid({ message: `not the same as ${usual}`, parameter: other });
  return found(state.invitees.get(named), 'invitee', parameter);
}

/** An answer in the form of a submission: by the text or the `uuid` of its question. */
const namedAnswer = z.looseObject({
  question: z.string().optional(),
  question_uuid: z.string().optional(),
  answer: z.string(),
});

const answers = omittable(
  z.union(
    [z.array(z.string()), z.record(z.string(), z.string()), z.array(namedAnswer).transform(byQuestion)],
    'expected answers as strings: in the order of the questions, or by question',
  ),
);

function byQuestion(list: readonly z.output<typeof namedAnswer>[]): Answers {
  return Object.fromEntries(
    list.map(({ question, question_uuid, answer }, index) => [question_uuid ?? question ?? String(index), answer]),
  );
}

/** Who books, and when: a new person in the next days unless the request says otherwise. */
const booker = { start_time: omittable(timestamp), email: omittable(z.email()), name: omittable(z.string()) };

interface Booking {
  readonly start_time?: string | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
}

function bookerOf({ clock, random }: Service, { start_time, email, name }: Booking): Booker {
  const startTime = start_time ?? instantOf(slotAfter(random, clock.nowMs()));
  if (startTime <= instantOf(clock.nowMs()))
    throw invalid({ message: 'expected a time in the future', parameter: 'start_time' });
  return { startTime, email, name };
}

export const schedulingLinkControls = [
  control('POST', '/scheduling_links/book', {
    summary: 'Books through a scheduling link, which works once and for 90 days',
    body: z.strictObject({ booking_url: z.url(), ...booker }),
    answers: 'resource',
    run: ({ service, body: { booking_url, ...booking } }) =>
      bookThroughLink(service, booking_url, bookerOf(service, booking)),
  }),
];

export const routingFormControls = [
  control('POST', '/routing_form_submissions', {
    summary: 'Submits a routing form, the first one unless another is named; missing answers are made up',
    body: z.strictObject({ routing_form: omittable(uri), answers, tracking: omittable(trackingRequest) }),
    answers: 'resource',
    run({ service, body: { routing_form, ...submission } }) {
      const forms = service.state.routingForms;
      const [first] = forms.values();
      const form = found(routing_form === undefined ? first : forms.get(routing_form), 'routing form', 'routing_form');
      return submitForm(service, { form, ...submission });
    },
  }),
  control('POST', '/routing_form_submissions/book', {
    summary: 'Books the event type that a submission leads to, in the next days unless a start is given',
    body: z.strictObject({ uri, ...booker }),
    answers: 'resource',
    run({ service, body: { uri: named, ...booking } }) {
      const { state } = service;
      const submission = found(state.submissions.get(named), 'routing form submission', 'uri');
      const { type, value } = submission.result;
      const eventType = type === 'event_type' ? state.eventTypes.get(value) : undefined;
      if (!eventType) throw invalid({ message: `leads to no event type (${type})`, parameter: 'uri' });
      const { tracking, uri: submitted } = submission;
      return bookPerson(service, eventType, bookerOf(service, booking), { tracking, submission: submitted });
    },
  }),
  control('DELETE', '/routing_forms', {
    summary: 'Deletes a routing form; its submissions stay, and are no longer listed',
    body: z.strictObject({ uri }),
    answers: 'resource',
    run({ service, body }) {
      const form = found(service.state.routingForms.get(body.uri), 'routing form', 'uri');
      service.state.routingForms.delete(form.uri);
      return form;
    },
  }),
];

const highlight = z.string().nullable().optional();
const texts = { summary_md: highlight, action_items_md: highlight, discussion_md: highlight, notes: highlight };
const attendee = z.strictObject({ host: z.boolean().default(false), user_email: z.email(), user_name: z.string() });

export const meetingRecapControls = [
  control('POST', '/meeting_recaps', {
    summary: 'Writes a recap: of a scheduled event, or else of an external meeting of the owner',
    body: z.strictObject({ event: omittable(uri), user: omittable(uri), ...texts }),
    answers: 'resource',
    run({ service, body: { event: named, user: userUri, ...written } }) {
      const { state, clock } = service;
      const scheduled =
        named === undefined ? undefined : found(state.scheduledEvents.get(named), 'scheduled event', 'event');
      const user = recapUser(state, scheduled, userUri);
      // A meeting outside the service that ended half an hour ago.
      const startMs = clock.nowMs() - 30 * minuteMs - hourMs;
      const event = scheduled ?? externalMeeting(user, { name: 'Conversation elsewhere', startMs });
      return createRecap(service, { user: user.uri, event, ...written });
    },
  }),
  control('PATCH', '/meeting_recaps', {
    summary: 'Changes a recap; notes, attendees and timing change without an event',
    body: z.strictObject({
      uri,
      ...texts,
      share_link: omittable(z.boolean()),
      attendees: omittable(z.array(attendee)),
      start_time: omittable(timestamp.refine((start) => start < '9999', 'too far ahead to have an end')),
    }),
    answers: 'resource',
    run: ({ service, body: { uri: named, ...changes } }) =>
      updateRecap(service, found(service.state.recaps.get(named), 'meeting recap', 'uri'), changes),
  }),
  control('DELETE', '/meeting_recaps', {
    summary: 'Deletes a recap and its transcript',
    body: z.strictObject({ uri }),
    answers: 'resource',
    run: ({ service, body }) => deleteRecap(service, found(service.state.recaps.get(body.uri), 'meeting recap', 'uri')),
  }),
];

/** The one named, else the first host, else the owner of the main organization. */
function recapUser(state: State, event: ScheduledEventResource | undefined, named: string | undefined): UserResource {
  const host = state.users.get(event?.event_memberships[0]?.user ?? '');
  const members = state.memberships.of('organization', mainOrganization(state.organizations).uri);
  const owner = members.find(({ role }) => role === 'owner') ?? members[0];
  const user = found(state.users.get(named ?? host?.uri ?? owner?.user ?? ''), 'user', 'user');
  if (host !== undefined && user.current_organization !== host.current_organization)
    throw invalid({ message: 'not of the organization that hosts the event', parameter: 'user' });
  return user;
}

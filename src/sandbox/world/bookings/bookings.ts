// Bookings: created, canceled, rescheduled, marked as no-shows. An invitee is `active` until canceled; a rescheduled one is
// canceled and points to its successor (A21b):
//
//   book ──▶ active ──cancel──▶ canceled
//               └──reschedule──▶ canceled (rescheduled, new_invitee) + a new active one (old_invitee)
import type { BookingRequest } from '#schemas/booking.ts';
import type { EventKind } from '#schemas/events.ts';
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import type { CancellationResource, ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import { invalid } from '#src/http/http-error.ts';
import { ensureContact } from '#src/sandbox/world/contacts/contacts.ts';
import { organizationOf } from '#src/sandbox/world/event-types.ts';
import { trackingWith } from '#src/sandbox/world/fictional-people.ts';
import { inviteePayload } from '#src/sandbox/world/payloads.ts';
import { newUri, type Service, type StoredEventType } from '#src/sandbox/world/service.ts';
import { addReadyLinks, meetingWith, meetingWithout, sameChoice, type MeetingPlan } from './meetings.ts';

export interface BookingPlan extends MeetingPlan {
  /** With `name`, or with `first_name` and perhaps `last_name`. */
  readonly invitee: BookingRequest['invitee'];
  readonly answers?: InviteeResource['questions_and_answers'] | undefined;
  readonly tracking?: BookingRequest['tracking'];
  readonly submission?: string | null | undefined;
  readonly scheduledBy?: string | null | undefined;
  /** Null: on the hosted page. */
  readonly method: InviteeResource['scheduling_method'];
  readonly replaces?: InviteeResource | undefined;
}

export function book(service: Service, plan: BookingPlan): InviteeResource {
  const invitee = addBooking(service, plan);
  emitInvitee(service, 'invitee.created', invitee);
  return invitee;
}

/** Stores the booking without emitting a fact. */
function addBooking(service: Service, plan: BookingPlan): InviteeResource {
  const { state } = service;
  const meeting = meetingWith(service, plan);
  const hosts = meeting.event_memberships.map(({ user }) => user);
  const { email, timezone } = plan.invitee;
  // The contact first: it is created with empty meeting dates, which the invitee then fills.
  ensureContact(service, {
    organization: organizationOf(state, hosts),
    owner: hosts[0] ?? '',
    email,
    name: namesOf(plan.invitee).name,
    timezone,
  });
  const invitee = newInvitee(service, plan, meeting.uri);
  state.scheduledEvents.put(meeting);
  if (meeting.location.status === 'processing')
    state.conferencesInProcess.set(meeting.uri, Date.parse(meeting.created_at));
  state.invitees.put(invitee);
  return invitee;
}

function newInvitee(service: Service, plan: BookingPlan, event: string): InviteeResource {
  const { invitee, replaces } = plan;
  const { baseUrl } = service.options;
  const id = service.random.uuid();
  const now = service.clock.tick();
  return {
    uri: `${event}/invitees/${id}`,
    email: invitee.email,
    ...namesOf(invitee),
    status: 'active',
    questions_and_answers: [...(plan.answers ?? [])],
    timezone: invitee.timezone,
    event,
    created_at: now,
    updated_at: now,
    tracking: trackingWith(plan.tracking),
    text_reminder_number: invitee.text_reminder_number ?? null,
    rescheduled: false,
    old_invitee: replaces?.uri ?? null,
    new_invitee: null,
    cancel_url: `${baseUrl}/cancellations/${id}`,
    reschedule_url: `${baseUrl}/reschedulings/${id}`,
    routing_form_submission: plan.submission ?? null,
    // A rescheduled meeting has already been paid for.
    payment: replaces === undefined ? paymentFor(service, plan.eventType) : replaces.payment,
    no_show: null,
    reconfirmation: plan.eventType.reconfirms ? { created_at: now, confirmed_at: null } : null,
    scheduling_method: plan.method,
    invitee_scheduled_by: plan.scheduledBy ?? null,
  };
}

/** A full name, or one joined from its parts; a full name has no parts. */
function namesOf({ name, first_name, last_name }: BookingPlan['invitee']) {
  const joined = [first_name, last_name].filter(Boolean).join(' ');
  return { first_name: first_name ?? null, last_name: last_name ?? null, name: name ?? joined };
}

function paymentFor({ random }: Service, { price }: StoredEventType): InviteeResource['payment'] {
  if (price === null) return null;
  return {
    external_id: `ch_${random.uuid().replaceAll('-', '').slice(0, 24)}`,
    provider: random.pick(['stripe', 'paypal']),
    amount: price,
    currency: 'EUR',
    terms: 'Refundable until one day before the meeting.',
    successful: true,
  };
}

export interface CancelPlan {
  readonly cancelerType: CancellationResource['canceler_type'];
  readonly reason: string | null;
  /** The name of who cancels; the first host or the invitee when absent. */
  readonly canceledBy?: string;
}

export function cancelInvitee(service: Service, invitee: InviteeResource, how: CancelPlan): InviteeResource {
  demandActive(invitee);
  const canceled = withdraw(service, invitee, how);
  emitInvitee(service, 'invitee.canceled', canceled);
  return canceled;
}

/** Cancels the meeting and everyone in it, also a group: each invitee is a fact of its own. */
export function cancelMeeting(
  service: Service,
  meeting: ScheduledEventResource,
  how: CancelPlan,
): CancellationResource {
  const { state, clock } = service;
  const present = state.invitees.of('event', meeting.uri).filter(({ status }) => status === 'active');
  const canceled = present.map((invitee) => withdraw(service, invitee, how));
  const cancellation: CancellationResource = canceled.at(-1)?.cancellation ?? {
    canceled_by: how.canceledBy ?? meeting.event_memberships[0]?.user_name ?? '',
    reason: how.reason,
    canceler_type: how.cancelerType,
    created_at: clock.tick(),
  };
  const left = state.scheduledEvents.get(meeting.uri) ?? meeting;
  state.scheduledEvents.put({ ...left, status: 'canceled', updated_at: cancellation.created_at, cancellation });
  for (const invitee of canceled) emitInvitee(service, 'invitee.canceled', invitee);
  return cancellation;
}

/** Removes the invitee from its meeting without emitting a fact. */
function withdraw(service: Service, invitee: InviteeResource, plan: CancelPlan): InviteeResource {
  const { state, clock } = service;
  const { cancelerType, reason } = plan;
  const meeting = meetingOf(service, invitee);
  const host = meeting.event_memberships[0]?.user_name ?? invitee.name;
  const created_at = clock.tick();
  const canceled_by = plan.canceledBy ?? (cancelerType === 'host' ? host : invitee.name);
  const cancellation: CancellationResource = { canceled_by, reason, canceler_type: cancelerType, created_at };
  const canceled: InviteeResource = { ...invitee, status: 'canceled', updated_at: created_at, cancellation };
  state.scheduledEvents.put(meetingWithout(meeting, cancellation));
  state.invitees.put(canceled);
  return canceled;
}

/** Books the new time before it cancels the old one: a refusal leaves the booking as it was. */
export function rescheduleInvitee(
  service: Service,
  invitee: InviteeResource,
  { startTime }: { readonly startTime: string },
): InviteeResource {
  demandActive(invitee);
  const moved = addBooking(service, planAgain(service, invitee, startTime));
  const leaving: InviteeResource = { ...invitee, rescheduled: true, new_invitee: moved.uri };
  const left = withdraw(service, leaving, { cancelerType: 'invitee', reason: null });
  emitInvitee(service, 'invitee.canceled', left);
  emitInvitee(service, 'invitee.created', moved);
  return moved;
}

function planAgain(service: Service, invitee: InviteeResource, startTime: string): BookingPlan {
  const meeting = meetingOf(service, invitee);
  const eventType = service.state.eventTypes.get(meeting.event_type);
  if (eventType === undefined) throw invalid({ message: 'the event type was deleted: it cannot be booked again' });
  const { email, timezone, name, first_name, last_name, text_reminder_number } = invitee;
  return {
    eventType,
    startTime,
    invitee: {
      email,
      timezone: timezone ?? 'UTC',
      ...(first_name === null ? { name } : { first_name, ...(last_name !== null && { last_name }) }),
      ...(text_reminder_number !== null && { text_reminder_number }),
    },
    location: sameChoice(meeting.location, eventType.locations),
    answers: invitee.questions_and_answers,
    tracking: invitee.tracking,
    // The guests of a group meeting cannot be attributed to an invitee.
    guests: eventType.kind === 'group' ? [] : meeting.event_guests.map((guest) => guest.email),
    submission: invitee.routing_form_submission,
    method: invitee.scheduling_method,
    replaces: invitee,
  };
}

function demandActive({ status }: InviteeResource): void {
  if (status === 'canceled') throw invalid({ message: 'the invitee is canceled already', parameter: 'uri' });
}

export function markNoShow(service: Service, invitee: InviteeResource): InviteeResource {
  if (invitee.status === 'canceled') throw invalid({ message: 'the invitee is canceled', parameter: 'invitee' });
  if (invitee.no_show !== null) throw invalid({ message: 'marked as a no-show already', parameter: 'invitee' });
  const no_show = { uri: newUri(service, 'invitee_no_shows'), created_at: service.clock.tick() };
  return saveNoShow(service, 'invitee_no_show.created', { ...invitee, no_show });
}

export function unmarkNoShow(service: Service, invitee: InviteeResource): InviteeResource {
  if (invitee.no_show === null) throw invalid({ message: 'not marked as a no-show', parameter: 'invitee' });
  return saveNoShow(service, 'invitee_no_show.deleted', { ...invitee, no_show: null });
}

function saveNoShow(service: Service, event: EventKind, invitee: InviteeResource): InviteeResource {
  service.state.invitees.put(invitee);
  emitInvitee(service, event, invitee);
  return invitee;
}

function emitInvitee(service: Service, event: EventKind, invitee: InviteeResource): void {
  const meeting = meetingOf(service, invitee);
  const users = meeting.event_memberships.map(({ user }) => user);
  service.emit({
    event,
    at: service.clock.tick(),
    payload: inviteePayload(service.options.as, invitee, meeting),
    organization: organizationOf(service.state, users),
    users,
  });
}

/** An invitee is always stored together with its meeting, and neither is deleted. */
export function meetingOf(service: Service, { event }: InviteeResource): ScheduledEventResource {
  addReadyLinks(service);
  const meeting = service.state.scheduledEvents.get(event);
  if (meeting === undefined) throw new Error('an invitee without its meeting');
  return meeting;
}

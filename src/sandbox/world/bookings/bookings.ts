// Bookings: created, canceled, rescheduled, marked as no-shows. An invitee is `active` until canceled; a rescheduled one is
// canceled and points to its successor (A21b):
//
//   book ──▶ active ──cancel──▶ canceled
//               └──reschedule──▶ canceled (rescheduled, new_invitee) + a new active one (old_invitee)
import type { EventKind } from '#schemas/events.ts';
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import type { CancellationResource, ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import { invalid } from '#src/http/http-error.ts';
import { ensureContact } from '#src/sandbox/world/contacts/contacts.ts';
import { organizationOf } from '#src/sandbox/world/event-types.ts';
import { newUri, type Service } from '#src/sandbox/world/service.ts';
import { sameChoice } from './locations.ts';
import { meetingWith, meetingWithout } from './meetings.ts';
import { namesOf, newInvitee, type BookingPlan } from './new-invitee.ts';

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
  // The contact first: it is created with empty meeting dates, which the invitee then fills.
  ensureContact(service, {
    organization: organizationOf(state, hosts),
    owner: hosts[0] ?? '',
    email: plan.invitee.email,
    name: namesOf(plan.invitee).name,
    timezone: plan.invitee.timezone,
  });
  const invitee = newInvitee(service, plan, meeting.uri);
  state.scheduledEvents.put(meeting);
  state.invitees.put(invitee);
  return invitee;
}

export interface Canceling {
  readonly cancelerType: CancellationResource['canceler_type'];
  readonly reason: string | null;
}

export function cancelInvitee(service: Service, invitee: InviteeResource, how: Canceling): InviteeResource {
  demandActive(invitee);
  const canceled = withdraw(service, invitee, how);
  emitInvitee(service, 'invitee.canceled', canceled);
  return canceled;
}

/** Removes the invitee from its meeting without emitting a fact. */
function withdraw(service: Service, invitee: InviteeResource, { cancelerType, reason }: Canceling): InviteeResource {
  const { state, clock } = service;
  const meeting = meetingOf(service, invitee);
  const host = meeting.event_memberships[0]?.user_name ?? invitee.name;
  const cancellation: CancellationResource = {
    canceled_by: cancelerType === 'host' ? host : invitee.name,
    reason,
    canceler_type: cancelerType,
    created_at: clock.tick(),
  };
  const canceled: InviteeResource = {
    ...invitee,
    status: 'canceled',
    updated_at: cancellation.created_at,
    cancellation,
  };
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

export function emitInvitee(service: Service, event: EventKind, invitee: InviteeResource): void {
  const meeting = meetingOf(service, invitee);
  const users = meeting.event_memberships.map(({ user }) => user);
  service.emit({
    event,
    at: service.clock.tick(),
    payload: { ...invitee, scheduled_event: meeting },
    organization: organizationOf(service.state, users),
    users,
  });
}

/** An invitee is always stored together with its meeting, and neither is deleted. */
export function meetingOf({ state }: Service, { event }: InviteeResource): ScheduledEventResource {
  const meeting = state.scheduledEvents.get(event);
  if (meeting === undefined) throw new Error('an invitee without its meeting');
  return meeting;
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

function saveNoShow(
  service: Service,
  event: 'invitee_no_show.created' | 'invitee_no_show.deleted',
  invitee: InviteeResource,
): InviteeResource {
  service.state.invitees.put(invitee);
  emitInvitee(service, event, invitee);
  return invitee;
}

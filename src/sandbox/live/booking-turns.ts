// Turns about bookings: made, canceled, moved, missed, forgiven.
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import { dayMs, instantOf, minuteMs } from '#src/sandbox/clock.ts';
import { book, cancelInvitee, rescheduleInvitee } from '#src/sandbox/world/bookings/bookings.ts';
import { markNoShow, unmarkNoShow } from '#src/sandbox/world/bookings/bookings.ts';
import { submitForm } from '#src/sandbox/world/routing.ts';
import { eventTypesOf } from '#src/sandbox/world/state.ts';
import { answersTo, cancelReasons, slotAfter, pickVisitor } from '#src/sandbox/world/visitors.ts';
import { anyOf, isOurs, someOf } from './turn.ts';
import type { Stage, Turn } from './turn.ts';

const halfHourMs = 30 * minuteMs;

/** A third of them are walk-ins whose meeting has just begun, so that there is always something to miss. */
export const bookSomething: Turn = (stage) => {
  const { service, organization } = stage;
  const { random, clock, state } = service;
  const offers = eventTypesOf(state, organization).filter(({ active }) => active);
  const eventType = anyOf(stage, offers);
  if (eventType === undefined) return;
  const isWalkIn = random.chance(0.35);
  const startMs = isWalkIn
    ? Math.floor(clock.nowMs() / halfHourMs) * halfHourMs - random.int(0, 3) * halfHourMs
    : slotAfter(random, clock.nowMs());
  const form = [...state.routingForms.values()].find((form) => form.organization === organization);
  const submission = form && random.chance(0.2) ? submitForm(service, { form }).uri : undefined;
  book(service, {
    eventType,
    startTime: instantOf(startMs),
    ...pickVisitor(service, organization, 0.5),
    answers: answersTo(eventType, random),
    method: isWalkIn ? 'instant_book' : null,
    ...(submission === undefined ? {} : { submission }),
  });
};

export const cancelSomething: Turn = (stage) => {
  const invitee = someInvitee(stage, (one) => one.status === 'active' && !hasBegun(stage, one));
  const { random } = stage.service;
  if (invitee)
    cancelInvitee(stage.service, invitee, {
      cancelerType: random.chance(0.25) ? 'host' : 'invitee',
      reason: random.pick(cancelReasons),
    });
};

export const moveSomething: Turn = (stage) => {
  const invitee = someInvitee(stage, (one) => one.status === 'active' && !hasBegun(stage, one));
  const { random, clock } = stage.service;
  if (invitee)
    rescheduleInvitee(stage.service, invitee, { startTime: instantOf(slotAfter(random, clock.nowMs() + dayMs)) });
};

export const missSomething: Turn = (stage) => {
  const invitee = someInvitee(stage, (one) => one.status === 'active' && one.no_show === null && hasBegun(stage, one));
  if (invitee) markNoShow(stage.service, invitee);
};

export const forgiveSomeone: Turn = (stage) => {
  const invitee = someInvitee(stage, (one) => one.status === 'active' && one.no_show !== null);
  if (invitee) unmarkNoShow(stage.service, invitee);
};

function someInvitee(stage: Stage, fits: (invitee: InviteeResource) => boolean): InviteeResource | undefined {
  const { state } = stage.service;
  const hostOf = ({ event }: InviteeResource): string | undefined =>
    state.scheduledEvents.get(event)?.event_memberships[0]?.user;
  return someOf(stage, (request) =>
    state.invitees.page('created', request, (one) => fits(one) && isOurs(stage, hostOf(one))),
  );
}

function hasBegun({ service }: Stage, { event }: InviteeResource): boolean {
  const start = service.state.scheduledEvents.get(event)?.start_time;
  return start !== undefined && start <= instantOf(service.clock.nowMs());
}

// Telling subscribers what happened to an invitee: always the whole invitee, with its meeting (A4a).
import type { EventKind } from '#schemas/events.ts';
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import type { ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import { organizationOf } from './event-types.ts';
import type { Service } from './service.ts';

export function tellOfInvitee(service: Service, event: EventKind, invitee: InviteeResource): void {
  const meeting = meetingOf(service, invitee);
  const users = meeting.event_memberships.map(({ user }) => user);
  service.tell({
    event,
    at: service.clock.tick(),
    payload: { ...invitee, scheduled_event: meeting },
    organization: organizationOf(service.state, users),
    users,
  });
}

/** Every invitee was put on the shelf together with its meeting, and neither ever leaves. */
export function meetingOf({ state }: Service, { event }: InviteeResource): ScheduledEventResource {
  return state.scheduledEvents.get(event) as ScheduledEventResource;
}

// Meetings that took place in a test's sandbox, by the same rules as any booking.
import type { ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import { dayMs, instantOf } from '#src/sandbox/clock.ts';
import { book } from '#src/sandbox/world/bookings/bookings.ts';
import type { Service } from '#src/sandbox/world/service.ts';

/** Hosted by this user alone. */
export function holdMeeting(
  service: Service,
  { host, email = 'ada@example.test', daysAgo = 2 }: { host: string; email?: string; daysAgo?: number },
): ScheduledEventResource {
  const { state, clock } = service;
  const eventType = [...state.eventTypes.values()].find(({ hosts }) => hosts.length === 1 && hosts[0] === host);
  if (eventType === undefined) throw new Error(`${host} offers nothing alone`);
  const startTime = instantOf(clock.nowMs() - daysAgo * dayMs);
  const invitee = { email, name: 'Ada Adeyemi', timezone: 'Europe/Lisbon' };
  const booked = book(service, { eventType, startTime, invitee, method: null });
  return state.scheduledEvents.get(booked.event) as ScheduledEventResource;
}

// The next and last meeting of a contact: derived from the bookings of its addresses, never stored.
import { addressKey, type ContactEntry } from './contact-entry.ts';
import type { Service } from '#src/sandbox/world/service.ts';

export interface MeetingDates {
  readonly next: string | null;
  readonly last: string | null;
}

/** From active bookings of its addresses with its organization that were made after the contact was created. */
export function meetingDates(
  { state, clock }: Pick<Service, 'state' | 'clock'>,
  entry: ContactEntry,
  organization: string,
): MeetingDates {
  const nowMs = clock.nowMs();
  let next: string | null = null;
  let last: string | null = null;
  for (const { email } of entry.emails)
    for (const { status, created_at, event } of state.invitees.of('email', addressKey(email))) {
      const meeting = state.scheduledEvents.get(event);
      if (status !== 'active' || created_at <= entry.created_at || meeting === undefined) continue;
      const { start_time, event_memberships } = meeting;
      if (!event_memberships.some(({ user }) => state.users.get(user)?.current_organization === organization)) continue;
      if (Date.parse(start_time) <= nowMs) last = later(last, start_time);
      else if (next === null || start_time < next) next = start_time;
    }
  return { next, last };
}

/** Compared as times: their fractions may differ in length, and then text order is not time order. */
export function later(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return Date.parse(a) >= Date.parse(b) ? a : b;
}

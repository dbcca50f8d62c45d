// Recaps of past meetings, and one of a meeting that was not scheduled through the service.
import { makePerson } from '#src/sandbox/world/fictional-people.ts';
import { randomOf } from '#src/sandbox/random.ts';
import type { ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import type { UserResource } from '#schemas/resources/user.ts';
import { beginningOfDay, dayMs, hourMs, instantOf, minuteMs } from '#src/sandbox/clock.ts';
import { createRecap, externalMeeting } from '#src/sandbox/world/recaps.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import type { Team } from './people.ts';

const mostRecaps = 5;
/** The time between the end of a meeting and its recap. */
const writingMs = 5 * minuteMs;

/** The meetings must be seeded before. */
export function seedRecaps(service: Service, { organization, owner, users }: Team): void {
  // Random choices of their own: more meetings do not shift the choices that follow.
  const seeding = { ...service, random: randomOf(service.options.seed, 'recaps', organization.name) };
  for (const event of heldMeetings(seeding, users)) {
    const [host] = event.event_memberships;
    if (host) createRecap(seeding, { user: host.user, event, at: afterMeeting(event.end_time) });
  }
  seedExternal(seeding, owner);
}

/** The latest meetings with an attendee, as of the beginning of the day, so that they do not depend on the hour. */
function heldMeetings({ state, clock }: Service, users: readonly UserResource[]): readonly ScheduledEventResource[] {
  const hosts = new Set(users.map(({ uri }) => uri));
  const today = instantOf(beginningOfDay(clock.nowMs()));
  const wasHeld = ({ uri, status, end_time, event_memberships: [host] }: ScheduledEventResource): boolean =>
    host !== undefined &&
    hosts.has(host.user) &&
    status === 'active' &&
    afterMeeting(end_time) < today &&
    state.invitees.of('event', uri).some((invitee) => invitee.status === 'active' && invitee.no_show === null);
  const latest = { count: mostRecaps, descending: true, backwards: false };
  return state.scheduledEvents.page('start', latest, wasHeld).items;
}

const afterMeeting = (end: string): string => instantOf(Date.parse(end) + writingMs);

function seedExternal(service: Service, user: UserResource): void {
  const guest = makePerson(service.random);
  const startMs = Math.floor((service.clock.nowMs() - 3 * dayMs) / hourMs) * hourMs;
  const event = externalMeeting(user, { name: `Lunch with ${guest.company}`, startMs, guest });
  const at = afterMeeting(event.end_time);
  createRecap(service, { user: user.uri, event, notes: 'Met at the conference.', at });
}

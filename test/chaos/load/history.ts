// The deliveries of a run, made from a seed: what a scheduling service sends about contacts, bookings, event types, recaps and forms.
import { bookings } from './bookings.ts';
import { poisonBody } from './poison.ts';
import { randomOf } from './random.ts';
import { contacts, eventTypes, recaps } from './subjects.ts';
import { canaries, serviceUrl, timeText, type Happening, type World } from './world.ts';

export interface HistoryOptions {
  readonly seed: number;
  readonly count: number;
  /** All facts are about so few contacts and meetings. */
  readonly hotContacts?: number;
  /** Share of bodies that are malformed, of an unknown kind, very large or deeply nested. */
  readonly poison?: number;
  /** When the first delivery was made. An erasure covers the past only, so all of them should lie there: one takes about a second. */
  readonly startMs: number;
}

/** Distinct bodies in the order in which they happened. */
export function history({ seed, count, hotContacts, poison = 0, startMs }: HistoryOptions): readonly string[] {
  const random = randomOf(seed);
  let nowMs = startMs;
  let made = 0;
  let poisoned = 0;
  const world: World = {
    random,
    canaries: canaries(seed),
    uri: (kind) => `${serviceUrl}/${kind}/${(seed >>> 0).toString(36)}-${(made += 1)}`,
    now: () => timeText(random, nowMs),
    later: (hours) => timeText(random, nowMs + hours * 3_600_000),
    hot: hotContacts,
  };
  const people = contacts(world);
  const booked = bookings(world, people.someone);
  const offered = [eventTypes(world).step, recaps(world, booked.someMeeting).step, booked.submit];
  const bodies = new Set<string>();
  const sent: Happening[] = [];
  while (bodies.size < count) {
    nowMs += 100 + random.below(1800);
    if (random.chance(poison)) {
      bodies.add(poisonBody(world, (poisoned += 1)));
      continue;
    }
    const step = random.next();
    const next =
      step < 0.45 ? people.step : step < 0.85 || hotContacts !== undefined ? booked.step : random.pick(offered);
    // The service sends some facts again, in the same words at a later time.
    const happenings = step < 0.03 && sent.length > 0 ? [random.pick(sent.slice(-200))] : next();
    for (const happening of happenings) {
      nowMs += random.below(300);
      sent.push(happening);
      bodies.add(bodyOf(world, happening));
    }
  }
  return [...bodies].slice(0, count);
}

function bodyOf({ random, now }: World, { event, payload }: Happening): string {
  const time = now();
  // For years the service wrote whole seconds here, so facts of the same moment are usual.
  const created_at = random.chance(0.3) ? time.replace(/\.\d+/, '.000000') : time;
  // Not random: it is no part of a delivery's identity, and two bodies must not have the same one.
  return JSON.stringify({ event, created_at, created_by: `${serviceUrl}/users/u${event.length % 3}`, payload });
}

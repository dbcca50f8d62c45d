// The deliveries of a run, made from a seed: what a scheduling service sends about contacts, bookings, event types, recaps and forms.
import { bookings } from './bookings.ts';
import { contacts } from './contacts.ts';
import { offerings } from './offerings.ts';
import { poisonBody } from './poison.ts';
import { randomOf } from './random.ts';
import { serviceUrl, timeText, type Happening, type World } from './world.ts';

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

/** Values that must not be in any output. Every person, address, link and text of the history contains one of them. */
export const canaries = (seed: number): Readonly<Record<string, string>> => {
  const tag = (seed >>> 0).toString(36);
  return {
    name: `Quillfeather${tag}`,
    address: `mailbox${tag}x`,
    token: `secretlink${tag}`,
    answer: `confided${tag}`,
    phone: `555${String(seed >>> 0).padStart(10, '0')}`,
    notes: `whispered${tag}`,
  };
};

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
  const offered = offerings(world, booked, people.someone);
  const bodies = new Set<string>();
  const sent: Happening[] = [];
  while (bodies.size < count) {
    nowMs += 100 + random.below(1800);
    if (random.chance(poison)) {
      bodies.add(poisonBody(world, (poisoned += 1)));
      continue;
    }
    const step = random.next();
    // The service sends some facts again, in the same words at a later time.
    const happenings =
      step < 0.03 && sent.length > 0
        ? [random.pick(sent.slice(-200))]
        : step < 0.45
          ? people.step()
          : step < 0.85 || hotContacts !== undefined
            ? booked.step()
            : offered.step();
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

/** Addresses of contacts that are never deleted, and have bookings: whom an operator may erase during the run. */
export function erasable(bodies: readonly string[]): readonly string[] {
  const deleted = bodies.filter((body) => body.startsWith('{"event":"contact.deleted"'));
  const uris = new Set(deleted.flatMap((body) => /https:[^"]*\/contacts\/[^"]+/.exec(body) ?? []));
  const created = bodies.filter((body) => body.startsWith('{"event":"contact.created"'));
  const living = created.filter((body) => !uris.has(/https:[^"]*\/contacts\/[^"]+/.exec(body)?.[0] ?? ''));
  const booked = new Set(bodies.flatMap((body) => /^\{"event":"invitee.*?"email":"([^"]+)"/.exec(body)?.[1] ?? []));
  return living.flatMap((body) => /"email":"([^"]+)"/.exec(body)?.[1] ?? []).filter((email) => booked.has(email));
}

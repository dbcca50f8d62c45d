// The world of the sandbox without its edge: people and offers of one seed, on a clock that stands still, every fact kept.
import { randomOf } from '#src/samples/random.ts';
import { createTokens } from '#src/sandbox/auth/tokens.ts';
import { createClock } from '#src/sandbox/clock.ts';
import { seedWorld } from '#src/sandbox/seed/seed.ts';
import type { Handles } from '#src/sandbox/seed/seed.ts';
import type { Fact, Service } from '#src/sandbox/world/service.ts';
import { createState } from '#src/sandbox/world/state.ts';
import type { StoredEventType } from '#src/sandbox/world/state.ts';

export interface BookingWorld {
  readonly service: Service;
  readonly handles: Handles;
  readonly facts: Fact[];
  /** An event type of the main organization. */
  offer(name: string): StoredEventType;
}

/** A Wednesday, so that there is work to do tomorrow. */
export const standingMs = Date.parse('2026-07-01T08:00:00Z');

export function createBookingWorld(seed = 1): BookingWorld {
  const facts: Fact[] = [];
  const service: Service = {
    options: { baseUrl: 'http://sandbox.test', seed, flat: false, eventTypes: true, rateLimits: true },
    state: createState(),
    clock: createClock(() => standingMs),
    random: randomOf(seed, 'service'),
    tell: (fact) => void facts.push(fact),
  };
  const silent = { ...service, tell: () => undefined };
  const handles = seedWorld(silent, createTokens(service), { contacts: 0, bookings: 0 });
  return {
    service,
    handles,
    facts,
    offer(name) {
      const found = [...service.state.eventTypes.values()].find((one) => one.name === name);
      if (found === undefined) throw new Error(`no offer named ${name}`);
      return found;
    },
  };
}

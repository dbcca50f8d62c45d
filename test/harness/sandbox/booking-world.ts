// The world of the sandbox without its edge: people and offers of one seed, on a clock that does not move, with every fact recorded.
import { createService, type Handles } from '#src/sandbox/seed/seed.ts';
import type { Fact, Service, StoredEventType } from '#src/sandbox/world/service.ts';

export interface BookingWorld {
  readonly service: Service;
  readonly handles: Handles;
  readonly facts: Fact[];
  /** An event type of the main organization. */
  offer(name: string): StoredEventType;
}

/** A Wednesday, so that there is work to do tomorrow. */
export const fixedNowMs = Date.parse('2026-07-01T08:00:00Z');

export function createBookingWorld(seed = 1): BookingWorld {
  const facts: Fact[] = [];
  const { service, handles } = createService(
    {
      baseUrl: 'http://sandbox.test',
      seed,
      contacts: 0,
      bookings: 0,
      as: 'specification',
      eventTypes: true,
      rateLimits: true,
    },
    { realMs: () => fixedNowMs, emit: (fact) => void facts.push(fact) },
  );
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

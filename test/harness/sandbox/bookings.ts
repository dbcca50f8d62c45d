// Bookings as tests make them: one line each, at a time of their own; through the API, or in a world without its edge.
import type { ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import { dayMs, instantOf } from '#src/sandbox/clock.ts';
import { createService } from '#src/sandbox/seed/seed.ts';
import { book } from '#src/sandbox/world/bookings/bookings.ts';
import type { Fact, Service, StoredEventType } from '#src/sandbox/world/service.ts';
import type { Answer, CallOptions, TestSandbox } from '../sandbox.ts';

export type Booker = Awaited<ReturnType<typeof openBooker>>;
type Fields = Readonly<Record<string, unknown>>;

const halfHourMs = 30 * 60_000;

export async function openBooker(sandbox: TestSandbox) {
  const { handles, service } = sandbox;
  const { body } = await sandbox.call('GET', '/event_types', {
    query: { organization: handles.organization, count: 100 },
  });
  /** The URIs of the main organization's event types, by name. */
  const offers: Readonly<Record<string, string>> = Object.fromEntries(
    body.collection.map((one: { name: string; uri: string }) => [one.name, one.uri]),
  );
  let lastMs = Math.ceil((service.clock.nowMs() + dayMs) / dayMs) * dayMs;
  /** A whole half hour to come, another one each time. */
  const freshTime = (): string => new Date((lastMs += halfHourMs)).toISOString();
  /** A request that is right for the solo event type; `more` changes it. */
  const request = (more?: Fields): Record<string, unknown> => ({
    event_type: handles.event_types.solo,
    start_time: freshTime(),
    invitee: { email: 'ada@example.test', timezone: 'Europe/Berlin', name: 'Ada Rossi' },
    ...more,
  });
  /** Books, whatever comes of it. */
  const bookAs = (more?: Fields, options?: CallOptions): Promise<Answer> =>
    sandbox.call('POST', '/invitees', { body: request(more), ...options });
  return {
    offers,
    freshTime,
    request,
    book: bookAs,
    /** Books, and gives the invitee. */
    // oxlint-disable-next-line typescript/no-explicit-any
    async booked(more?: Fields, options?: CallOptions): Promise<any> {
      const { status, body: answer } = await bookAs(more, options);
      if (status !== 201) throw new Error(`Not booked: ${status} ${JSON.stringify(answer)}`);
      return answer.resource;
    },
  };
}

/** A meeting that took place, hosted by this user alone, by the same rules as any booking. */
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

export type BookingWorld = ReturnType<typeof createBookingWorld>;

/** A Wednesday, so that there is work to do tomorrow. */
export const fixedNowMs = Date.parse('2026-07-01T08:00:00Z');

/** The world of the sandbox without its edge: people and offers of one seed, on a clock that does not move, with every fact recorded. */
export function createBookingWorld(seed = 1) {
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
    /** An event type of the main organization. */
    offer(name: string): StoredEventType {
      const found = [...service.state.eventTypes.values()].find((one) => one.name === name);
      if (found === undefined) throw new Error(`no offer named ${name}`);
      return found;
    },
  };
}

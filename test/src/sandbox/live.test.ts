// Live activity: its facts are consistent, and it continues when there is little to do or something breaks.
import { describe, expect, it } from 'vitest';
import { readDelivery } from '#schemas/delivery.ts';
import { secondMs } from '#src/sandbox/clock.ts';
import { createLiveActivity } from '#src/sandbox/live.ts';
import { deleteEventType, updateEventType } from '#src/sandbox/world/event-types.ts';
import type { Fact, Service } from '#src/sandbox/world/service.ts';
import { createBookingWorld } from '../../harness/sandbox/bookings.ts';
import { openForSuite } from '../../harness/sandbox.ts';

// The second test removes all that there is.
describe('the world that lives by itself', { shuffle: false }, () => {
  const sandbox = openForSuite({ contacts: 3, bookings: 0 });

  /** What was reported meanwhile. */
  function liveThrough(more: Partial<Service> = {}): readonly unknown[] {
    const reported: unknown[] = [];
    const service = { ...sandbox.service, ...more };
    const { organization } = sandbox.handles;
    const act = createLiveActivity({ service, organization, report: (error) => void reported.push(error) });
    for (let turn = 0; turn < 500; turn += 1) act();
    return reported;
  }

  it('reports what breaks, and goes on', () => {
    const broken = new Error('broken');
    const faults = liveThrough({
      emit: () => {
        throw broken;
      },
    });
    expect(faults.length).toBeGreaterThan(100);
    expect(new Set(faults)).toEqual(new Set([broken]));
  });

  it('goes on when nothing can be booked, and then when nothing is offered, there is no form and no person', () => {
    const { service } = sandbox;
    const { eventTypes, routingForms, contacts } = service.state;
    for (const offer of eventTypes.values()) updateEventType(service, offer, { active: false });
    expect(liveThrough()).toEqual([]);
    for (const offer of eventTypes.values()) deleteEventType(service, offer);
    for (const form of routingForms.values()) routingForms.delete(form.uri);
    for (const book of contacts.values()) for (const { uri } of book.values()) book.delete(uri);
    expect(liveThrough()).toEqual([]);
  });
});

describe('the facts of live activity', () => {
  function factsOf(count: number): readonly Fact[] {
    const { service, handles, facts } = createBookingWorld(7);
    const report = (error: unknown): void => {
      throw error;
    };
    const act = createLiveActivity({ service, organization: handles.organization, report });
    for (; facts.length < count; act()) service.clock.advance(secondMs);
    return facts;
  }

  it('never book a meeting after it took place (A2)', () => {
    const booked = factsOf(1_000).filter(({ event }) => event === 'invitee.created');
    const late = booked.filter(({ at, payload }) => {
      const { scheduled_event } = payload as { scheduled_event: { start_time: string } };
      return scheduled_event.start_time <= at;
    });
    expect([booked.length > 100, late]).toEqual([true, []]);
  });

  it('cover nearly every kind, each one readable, and never share an instant', () => {
    const facts = factsOf(3_000);
    expect(new Set(facts.map(({ event }) => event)).size).toBeGreaterThanOrEqual(12);
    const states = facts.map(({ event, at, payload }) =>
      readDelivery(JSON.stringify({ event, created_at: at, created_by: null, payload })),
    );
    expect(states.filter(({ state }) => state !== 'known')).toEqual([]);
    expect(new Set(facts.map(({ at }) => at)).size).toBe(facts.length);
  });
});

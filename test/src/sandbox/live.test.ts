// Live activity: its facts are consistent, and it continues when there is little to do or something breaks.
import { describe, expect, it } from 'vitest';
import { readDelivery } from '#schemas/delivery.ts';
import { createLiveActivity } from '#src/sandbox/live.ts';
import { deleteEventType, updateEventType } from '#src/sandbox/world/event-types.ts';
import type { Fact, Service } from '#src/sandbox/world/service.ts';
import { createBookingWorld } from '../../harness/sandbox/booking-world.ts';
import { openTestSandbox } from '../../harness/sandbox.ts';

const turns = 2000;

/** What was reported meanwhile. */
async function liveThrough(prepare: (service: Service) => Partial<Service>): Promise<readonly unknown[]> {
  await using sandbox = await openTestSandbox({ contacts: 3, bookings: 0 });
  const service = { ...sandbox.service, ...prepare(sandbox.service) };
  const reported: unknown[] = [];
  const act = createLiveActivity({
    service,
    organization: sandbox.handles.organization,
    report: (error) => void reported.push(error),
  });
  for (let turn = 0; turn < turns; turn += 1) act();
  return reported;
}

describe('the world that lives by itself', () => {
  it('goes on when nothing can be booked', async () => {
    const faults = await liveThrough((service) => {
      for (const offer of service.state.eventTypes.values()) updateEventType(service, offer, { active: false });
      return {};
    });
    expect(faults).toEqual([]);
  });

  it('goes on when nothing is offered, there is no form and no person', async () => {
    const faults = await liveThrough((service) => {
      const { state } = service;
      for (const offer of state.eventTypes.values()) deleteEventType(service, offer);
      for (const form of state.routingForms.values()) state.routingForms.delete(form.uri);
      for (const book of state.contacts.values()) for (const { uri } of book.values()) book.delete(uri);
      return {};
    });
    expect(faults).toEqual([]);
  });

  it('reports what breaks, and goes on', async () => {
    const broken = new Error('broken');
    const faults = await liveThrough(() => ({
      emit: () => {
        throw broken;
      },
    }));
    expect(faults.length).toBeGreaterThan(100);
    expect(new Set(faults)).toEqual(new Set([broken]));
  });
});

describe('the facts of live activity', () => {
  function factsOf(count: number, seed = 7): readonly Fact[] {
    const { service, handles, facts } = createBookingWorld(seed);
    const act = createLiveActivity({
      service,
      organization: handles.organization,
      report: (error) => {
        throw error;
      },
    });
    while (facts.length < count) act();
    return facts;
  }
  const facts = factsOf(5_000);

  function uriOf({ payload }: Fact): unknown {
    const { contact, recap } = payload as Record<string, { uri?: string } | undefined>;
    return payload['uri'] ?? contact?.uri ?? recap?.uri;
  }

  it('cover nearly every kind, each one readable', () => {
    expect(new Set(facts.map(({ event }) => event)).size).toBeGreaterThanOrEqual(12);
    const states = facts.map(({ event, at, payload }) =>
      readDelivery(JSON.stringify({ event, created_at: at, created_by: null, payload })),
    );
    expect(states.filter(({ state }) => state !== 'known')).toEqual([]);
  });

  it('are the same for the same seed', () => {
    expect(factsOf(200)).toEqual(factsOf(200));
  });

  it('never share an instant', () => {
    expect(new Set(facts.map(({ at }) => at)).size).toBe(facts.length);
  });

  it('cancel, mark, update and delete only what an earlier fact created', () => {
    const { state } = createBookingWorld(7).service;
    const seeded = new Set<unknown>([...state.eventTypes.values(), ...state.recaps.values()].map(({ uri }) => uri));
    const known = new Set<unknown>();
    const strangers = facts.filter((fact) => {
      if (seeded.has(uriOf(fact))) return false;
      const isFirst = fact.event.endsWith('.created') && fact.event !== 'invitee_no_show.created';
      if (isFirst) known.add(uriOf(fact));
      return !isFirst && !known.has(uriOf(fact));
    });
    expect(strangers).toEqual([]);
  });

  it('join both halves of every reschedule', () => {
    const created = new Map(facts.filter(({ event }) => event === 'invitee.created').map((one) => [uriOf(one), one]));
    const rescheduled = facts.filter(({ event, payload }) => event === 'invitee.canceled' && payload['rescheduled']);
    expect(rescheduled.length).toBeGreaterThan(50);
    const joined = rescheduled
      .slice(0, -1)
      .filter((old) => created.get(old.payload['new_invitee'])?.payload['old_invitee'] === uriOf(old));
    expect(joined).toHaveLength(rescheduled.length - 1);
  });
});

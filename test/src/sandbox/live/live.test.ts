// The rhythm of its own, where there is little to do and where something breaks.
import { describe, expect, it } from 'vitest';
import { createLive } from '#src/sandbox/live/live.ts';
import { deleteEventType, updateEventType } from '#src/sandbox/world/event-types.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import { openTestSandbox } from '../../../harness/sandbox.ts';

const turns = 2000;

/** What was reported meanwhile. */
async function liveThrough(prepare: (service: Service) => Partial<Service>): Promise<readonly unknown[]> {
  await using sandbox = await openTestSandbox({ contacts: 3, bookings: 0 });
  const service = { ...sandbox.service, ...prepare(sandbox.service) };
  const reported: unknown[] = [];
  const takeTurn = createLive({
    service,
    organization: sandbox.handles.organization,
    report: (error) => void reported.push(error),
  });
  for (let turn = 0; turn < turns; turn += 1) takeTurn();
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

  it('goes on when nothing is offered, no form is there and nobody is known', async () => {
    const faults = await liveThrough((service) => {
      const { state } = service;
      for (const offer of state.eventTypes.values()) deleteEventType(service, offer);
      for (const form of state.routingForms.values()) state.routingForms.delete(form.uri);
      for (const book of state.contactBooks.values()) for (const { uri } of book.entries()) book.delete(uri);
      return {};
    });
    expect(faults).toEqual([]);
  });

  it('reports what breaks, and goes on', async () => {
    const broken = new Error('broken');
    const faults = await liveThrough(() => ({
      tell: () => {
        throw broken;
      },
    }));
    expect(faults.length).toBeGreaterThan(100);
    expect(new Set(faults)).toEqual(new Set([broken]));
  });
});

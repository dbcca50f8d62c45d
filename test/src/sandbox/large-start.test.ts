// Starting with a large world: progress is reported.
import { describe, expect, it } from 'vitest';
import { seedHistory, createProgress } from '#src/sandbox/seed/history.ts';
import { createBookingWorld } from '../../harness/sandbox/booking-world.ts';

describe('the seeding of a world', () => {
  it('reports progress once per second, and nothing in the first', () => {
    const lines: string[] = [];
    let nowMs = 0;
    const progress = createProgress(
      (line) => void lines.push(line),
      () => nowMs,
    );
    for (let done = 0; done < 35; done += 1) {
      progress(done, 50);
      nowMs += 100;
    }
    expect(lines).toEqual(['Seeding the world: 20 %', 'Seeding the world: 40 %', 'Seeding the world: 60 %']);
  });

  it('reports every step of its history', () => {
    const { service, handles } = createBookingWorld();
    const steps: [number, number][] = [];
    seedHistory(service, {
      organization: handles.organization,
      bookings: 20,
      progress: (done, all) => void steps.push([done, all]),
    });
    expect(steps.length).toBeGreaterThanOrEqual(20);
    expect(steps).toEqual(steps.map((_, done) => [done, steps.length]));
  });
});

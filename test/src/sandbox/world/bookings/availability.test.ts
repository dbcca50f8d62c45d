// The times at which an event type can be booked.
import { describe, expect, it } from 'vitest';
import { dayMs, hourMs, instantOf, minuteMs } from '#src/sandbox/clock.ts';
import { availableTimes } from '#src/sandbox/world/bookings/booking-rules.ts';
import { book } from '#src/sandbox/world/bookings/bookings.ts';
import { createBookingWorld, fixedNowMs, type BookingWorld } from '../../../../harness/sandbox/booking-world.ts';

const midnightMs = Math.floor(fixedNowMs / dayMs) * dayMs + dayMs;
const thursday = { fromMs: midnightMs, toMs: midnightMs + dayMs };
const invitee = { email: 'ada@example.test', timezone: 'UTC', name: 'Ada' };

const starts = ({ service }: BookingWorld, eventType: ReturnType<BookingWorld['offer']>, span = thursday): string[] =>
  availableTimes(service.state, eventType, span).map(({ start_time }) => start_time.slice(11, 16));
const bookAt = ({ service, offer }: BookingWorld, name: string, ms: number): void =>
  void book(service, { eventType: offer(name), startTime: instantOf(ms), invitee, method: null });

describe('the available times', () => {
  it('lie within nine to five, and a long meeting begins early enough to end then', () => {
    const world = createBookingWorld();
    const short = starts(world, world.offer('Intro call'));
    expect([short.length, short[0], short.at(-1)]).toEqual([16, '09:00', '16:30']);
    const long = starts(world, world.offer('Site walk'));
    expect([long[0], long.at(-1)]).toEqual(['09:00', '15:30']);
  });

  it('begin where the question begins and end where it ends', () => {
    const world = createBookingWorld();
    const span = { fromMs: midnightMs + 10 * hourMs + minuteMs, toMs: midnightMs + 12 * hourMs };
    expect(starts(world, world.offer('Intro call'), span)).toEqual(['10:30', '11:00', '11:30']);
  });

  it('leave out whatever overlaps, of whichever event type', () => {
    const world = createBookingWorld();
    bookAt(world, 'Site walk', midnightMs + 10 * hourMs);
    const free = starts(world, world.offer('Intro call'));
    expect(free).toContain('09:30');
    expect(free).not.toContain('10:00');
    expect(free).not.toContain('11:00');
    expect(free).toContain('11:30');
    expect(starts(world, world.offer('Site walk'))).not.toContain('09:00');
  });

  it('leave out what began the evening before and is not over', () => {
    const world = createBookingWorld();
    const long = { ...world.offer('Intro call'), duration: 600 };
    const startTime = instantOf(midnightMs - 30 * minuteMs);
    book(world.service, { eventType: long, startTime, invitee, method: null });
    expect(starts(world, world.offer('Intro call'))[0]).toBe('09:30');
  });

  it('need every host of a collective, two of several pools and one of a round robin', () => {
    const world = createBookingWorld();
    bookAt(world, 'Support line', midnightMs + 9 * hourMs);
    expect(starts(world, world.offer('Office visit'))).not.toContain('09:00');
    expect(starts(world, world.offer('Panel interview'))).toContain('09:00');
    for (let count = 0; count < 4; count += 1) bookAt(world, 'Product demo', midnightMs + 9 * hourMs);
    expect(starts(world, world.offer('Product demo'))).not.toContain('09:00');
  });

  it('are none for an event type that is not active', () => {
    const world = createBookingWorld();
    expect(starts(world, { ...world.offer('Intro call'), active: false })).toEqual([]);
  });
});

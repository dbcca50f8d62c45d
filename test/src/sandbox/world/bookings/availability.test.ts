// The times at which an event type can be booked.
import { expect, it } from 'vitest';
import { dayMs, hourMs, instantOf, minuteMs } from '#src/sandbox/clock.ts';
import { availableTimes } from '#src/sandbox/world/bookings/booking-rules.ts';
import { book } from '#src/sandbox/world/bookings/bookings.ts';
import { createBookingWorld, fixedNowMs } from '../../../../harness/sandbox/booking-world.ts';

const midnightMs = Math.floor(fixedNowMs / dayMs) * dayMs + dayMs;
const invitee = { email: 'ada@example.test', timezone: 'UTC', name: 'Ada' };

/** A Thursday to book on. */
function openThursday() {
  const { service, offer } = createBookingWorld();
  return {
    starts: (name: string, fromMs = midnightMs, toMs = midnightMs + dayMs, more = {}) =>
      availableTimes(service.state, { ...offer(name), ...more }, { fromMs, toMs }).map(({ start_time }) =>
        start_time.slice(11, 16),
      ),
    book: (name: string, ms: number, more = {}) =>
      book(service, { eventType: { ...offer(name), ...more }, startTime: instantOf(ms), invitee, method: null }),
  };
}

it('available times of an active event type lie within nine to five and the span asked for, also in their length', () => {
  const { starts } = openThursday();
  const [short, long] = [starts('Intro call'), starts('Site walk')];
  expect([short.length, short[0], short.at(-1)]).toEqual([16, '09:00', '16:30']);
  expect([long[0], long.at(-1)]).toEqual(['09:00', '15:30']);
  const span = [midnightMs + 10 * hourMs + minuteMs, midnightMs + 12 * hourMs];
  expect(starts('Intro call', ...span)).toEqual(['10:30', '11:00', '11:30']);
  expect(starts('Intro call', midnightMs, midnightMs + dayMs, { active: false })).toEqual([]);
});

it('available times leave out whatever overlaps, of whichever event type, and what began the evening before', () => {
  const { starts, book } = openThursday();
  book('Site walk', midnightMs + 10 * hourMs);
  const around = starts('Intro call', midnightMs + 9.5 * hourMs, midnightMs + 12 * hourMs);
  expect(around).toEqual(['09:30', '11:30']);
  expect(starts('Site walk')).not.toContain('09:00');
  book('Intro call', midnightMs - 30 * minuteMs, { duration: 600 });
  expect(starts('Intro call')[0]).toBe('09:30');
});

it('available times need every host of a collective, two of several pools and one of a round robin', () => {
  const { starts, book } = openThursday();
  book('Support line', midnightMs + 9 * hourMs);
  expect(starts('Office visit')).not.toContain('09:00');
  expect(starts('Panel interview')).toContain('09:00');
  for (let count = 0; count < 4; count += 1) book('Product demo', midnightMs + 9 * hourMs);
  expect(starts('Product demo')).not.toContain('09:00');
});

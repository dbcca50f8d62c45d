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

it('available times lie with their length within nine to five, and leave out what overlaps, of whichever event type', () => {
  const { starts, book } = openThursday();
  expect([starts('Site walk')[0], starts('Site walk').at(-1)]).toEqual(['09:00', '15:30']);
  expect(starts('Intro call', midnightMs, midnightMs + dayMs, { active: false })).toEqual([]);
  book('Site walk', midnightMs + 10 * hourMs);
  const around = starts('Intro call', midnightMs + 9 * hourMs + minuteMs, midnightMs + 12 * hourMs);
  expect(around).toEqual(['09:30', '11:30']);
  expect(starts('Site walk')).not.toContain('09:00');
  // It began the evening before.
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

// When users can be booked and when they are busy. Everyone works at the hours at which event types can be booked (A23b).
import { weekdays, type AvailabilityScheduleResource, type BusyTimeResource } from '#schemas/resources/availability.ts';
import type { UserResource } from '#schemas/resources/user.ts';
import { idOf } from '#schemas/wire.ts';
import { beginningOfDay, dayMs, instantOf } from '#src/sandbox/clock.ts';
import { randomOf } from '#src/sandbox/random.ts';
import { workingHours, type Span } from './bookings/booking-rules.ts';
import { meetingsOf } from './bookings/meetings.ts';
import type { Service, State } from './service.ts';

/** Every user has one. */
export function scheduleOf(
  { options }: Pick<Service, 'options'>,
  { uri: user }: UserResource,
): AvailabilityScheduleResource {
  const isWorkingDay = (day: number): boolean => day > 0 && day < 6;
  return {
    uri: `${options.baseUrl}/user_availability_schedules/${randomOf('schedule', idOf(user)).uuid()}`,
    default: true,
    name: 'Working hours',
    user,
    timezone: 'UTC',
    rules: weekdays.map((wday, day) => ({ type: 'wday', wday, intervals: isWorkingDay(day) ? [workingHours] : [] })),
  };
}

/** The active meetings that a user hosts and that overlap this time, in their order. */
export function busyTimes(state: State, user: string, { fromMs, toMs }: Span): readonly BusyTimeResource[] {
  const days: number[] = [];
  // A meeting may have begun the day before.
  for (let ms = beginningOfDay(fromMs) - dayMs; ms < toMs; ms += dayMs) days.push(ms);
  const [from, to] = [instantOf(fromMs), instantOf(toMs)];
  return days
    .flatMap((ms) => meetingsOf(state, user, instantOf(ms)))
    .filter(({ start_time, end_time }) => start_time < to && end_time > from)
    .toSorted((a, b) => (a.start_time < b.start_time ? -1 : 1))
    .map(({ uri, start_time, end_time }) => ({
      type: 'calendly',
      start_time,
      end_time,
      buffered_start_time: start_time,
      buffered_end_time: end_time,
      event: { uri },
    }));
}

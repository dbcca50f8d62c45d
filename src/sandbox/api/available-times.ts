// The times at which an event type can be booked.
import { limits } from '#schemas/limits.ts';
import { availableTimesQuery } from '#schemas/list-query.ts';
import { availableTimeResource } from '#schemas/resources/event-type.ts';
import { dayMs, minuteMs } from '#src/sandbox/clock.ts';
import { invalid } from '#src/http/http-error.ts';
import { availableTimes } from '#src/sandbox/world/bookings/availability.ts';
import type { Span } from '#src/sandbox/world/bookings/availability.ts';
import { demandEventType } from './event-type-access.ts';
import { defineOperation } from './operation.ts';

export const availableTimeOperations = [
  defineOperation({
    id: 'listEventTypeAvailableTimes',
    method: 'GET',
    path: '/event_type_available_times',
    summary: 'When an event type can be booked, within at most 31 days; all in one page',
    scopes: ['event_types:read'],
    query: availableTimesQuery,
    answers: 'collection',
    schema: availableTimeResource,
    run({ service: { state, clock }, caller, query: { event_type, start_time, end_time } }) {
      const eventType = demandEventType(state, caller, { uri: event_type, parameter: 'event_type' });
      const nowMs = clock.nowMs();
      const span = { fromMs: Date.parse(start_time), toMs: Date.parse(end_time) };
      demandSpan(span, nowMs);
      const records = availableTimes(state, eventType, { ...span, fromMs: Math.max(span.fromMs, nowMs) });
      return { records, first: undefined, last: undefined, hasNext: false, hasPrevious: false };
    },
  }),
] as const;

/** Who asks from now on is a moment late when the question arrives. */
const tolerance = minuteMs;

function demandSpan({ fromMs, toMs }: Span, nowMs: number): void {
  if (fromMs < nowMs - tolerance) throw invalid({ message: 'expected a time to come', parameter: 'start_time' });
  if (toMs <= fromMs) throw invalid({ message: 'expected a time after start_time', parameter: 'end_time' });
  if (toMs - fromMs > limits.availableTimesDays * dayMs)
    throw invalid({
      message: `expected at most ${limits.availableTimesDays} days after start_time`,
      parameter: 'end_time',
    });
}

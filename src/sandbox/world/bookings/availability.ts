// When an event type can be booked: half-hour steps from nine to five UTC on weekdays, where enough of its hosts are free (A23b).
import type { AvailableTimeResource } from '#schemas/resources/event-type.ts';
import { dayMs, hourMs, instantOf, minuteMs } from '#src/sandbox/clock.ts';
import type { State, StoredEventType } from '#src/sandbox/world/state.ts';
import { gatheringAt, hostsNeeded, meetingsOf, seatsLeft } from './meetings.ts';

const stepMs = 30 * minuteMs;
const opensMs = 9 * hourMs;
const closesMs = 17 * hourMs;

export interface Span {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

export function availableTimes(state: State, eventType: StoredEventType, span: Span): readonly AvailableTimeResource[] {
  if (!eventType.active) return [];
  const found: AvailableTimeResource[] = [];
  const firstDayMs = Math.floor(span.fromMs / dayMs) * dayMs;
  for (let midnightMs = firstDayMs; midnightMs < span.toMs; midnightMs += dayMs)
    if (isWeekday(midnightMs)) found.push(...timesOfDay(state, eventType, { ...span, midnightMs }));
  return found;
}

const isWeekday = (ms: number): boolean => ![0, 6].includes(new Date(ms).getUTCDay());

function* timesOfDay(
  state: State,
  eventType: StoredEventType,
  { fromMs, toMs, midnightMs }: Span & { readonly midnightMs: number },
): Iterable<AvailableTimeResource> {
  const lengthMs = eventType.duration * minuteMs;
  const calendars = eventType.hosts.map((host) => busySpans(state, host, midnightMs));
  const lastMs = midnightMs + closesMs - lengthMs;
  for (let startMs = midnightMs + opensMs; startMs <= lastMs && startMs < toMs; startMs += stepMs) {
    if (startMs < fromMs) continue;
    const start_time = instantOf(startMs);
    const slot = { fromMs: startMs, toMs: startMs + lengthMs };
    const remaining = seatsLeft(state, eventType, start_time);
    const free = calendars.filter((busy) => !busy.some((span) => overlap(span, slot))).length;
    if (remaining > 0 && (free >= hostsNeeded(eventType) || gatheringAt(state, eventType, start_time) !== undefined))
      yield {
        status: 'available',
        start_time,
        invitees_remaining: remaining,
        scheduling_url: `${eventType.scheduling_url}/${start_time}`,
      };
  }
}

/** The busy times of a host on a day. Meetings of the evening before may extend into it. */
function busySpans(state: State, host: string, midnightMs: number): readonly Span[] {
  return [midnightMs - dayMs, midnightMs]
    .flatMap((ms) => meetingsOf(state, host, instantOf(ms)))
    .map(({ start_time, end_time }) => ({ fromMs: Date.parse(start_time), toMs: Date.parse(end_time) }));
}

const overlap = (a: Span, b: Span): boolean => a.fromMs < b.toMs && b.fromMs < a.toMs;

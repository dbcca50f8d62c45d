// The evening of a host: when meetings of the day that nothing is known about are reported, in the time zone of the host.
import { dayMs, hourMs, minuteMs } from '#src/base/time.ts';
import { earliestSend, isZone, minutesIn } from '#workers/alerts/outbox/quiet-hours.ts';

/** The first time at or after `ms` at which the clocks of the zone show `at`. An unknown zone counts as UTC. */
export function eveningAfter(ms: number, at: string, zone: string): number {
  const next = (minutesIn(at) + 1) % (dayMs / minuteMs);
  const from = [Math.floor(next / 60), next % 60].map((part) => String(part).padStart(2, '0')).join(':');
  // All of the day but one minute is quiet.
  const quiet = { from, to: at, timezone: isZone(zone) ? zone : 'UTC' };
  return Math.floor(earliestSend(ms, { quiet }) / minuteMs) * minuteMs;
}

/** Meetings of one evening ended within this time before it: a day, or more where the clocks change. */
export const eveningSpanMs = dayMs + 2 * hourMs;

const quarterMs = 15 * minuteMs;

/** Whether the clocks of any zone can show `at` within the period: they differ from UTC by quarters of an hour. */
export function mayHaveEvening(at: string, { afterMs, throughMs }: { afterMs: number; throughMs: number }): boolean {
  const quarters = (ms: number): number => Math.floor((ms - minutesIn(at) * minuteMs) / quarterMs);
  return quarters(throughMs) > quarters(afterMs);
}

// Rules about who came to a meeting: a recap that shows only hosts, and meetings of the day about which nothing is known in the
// evening of the host.
import { dayMs, hourMs, instantOf, minuteMs } from '#src/base/time.ts';
import { minutesIn, timeOfDay, timeOfDayAfter } from '#workers/out/alerts/outbox/quiet-hours.ts';
import { hostsOf } from '#src/read/bookings/hosts.ts';
import { defineRule } from '#workers/out/alerts/rules/rule.ts';

export const suspectedNoShow = defineRule({
  when: 'suspected_no_show',
  title: 'Suspected no-show',
  about: 'A recap of the meeting shows only hosts.',
  page: '/bookings?attendance=suspected_no_show',
  options: {},
  factTimes: () => [],
  reads: 'attendance',
  find(_options, { booking, event }) {
    // A recap says that the meeting is over, even before the end that was planned.
    const at = booking?.recapAt ?? event?.end_time ?? null;
    if (booking?.attendance !== 'suspected_no_show' || at === null) return [];
    return [{ fact: { kind: 'suspected_no_show' }, occurredAt: at }];
  },
});

export const unconfirmed = defineRule({
  when: 'unconfirmed',
  title: 'Unconfirmed meetings',
  about: 'Meetings ended, and nothing shows that the invitees came.',
  page: '/bookings?attendance=unconfirmed',
  options: { at: timeOfDay.default('18:00') },
  factTimes: () => [],
  reads: 'attendance',
  reportsAt: ({ at }) => at,
  find({ at }, { booking, event, zoneOf }, reportZone) {
    const end = event?.end_time ?? event?.start_time;
    if (booking?.attendance !== 'unconfirmed' || !end) return [];
    const hosts = new Set(hostsOf({ event }).flatMap(({ uri }) => uri ?? []));
    return [...hosts].map((subject) => {
      const evening = instantOf(timeOfDayAfter(Date.parse(end), at, zoneOf?.(subject) ?? reportZone));
      return { fact: { kind: 'unconfirmed', evening }, subject, occurredAt: evening };
    });
  },
});

/** Meetings of one evening ended within this time before it: a day, or more where the clocks change. */
export const eveningSpanMs = dayMs + 2 * hourMs;

const quarterMs = 15 * minuteMs;

/** Whether the clocks of any zone can show `at` within the period: they differ from UTC by quarters of an hour. */
export function mayHaveEvening(at: string, { afterMs, throughMs }: { afterMs: number; throughMs: number }): boolean {
  const quarters = (ms: number): number => Math.floor((ms - minutesIn(at) * minuteMs) / quarterMs);
  return quarters(throughMs) > quarters(afterMs);
}

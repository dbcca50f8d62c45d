// Who hosts a meeting: the one host, all of them, some of them, or whoever has the least to do that day.
import type { ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import type { Service } from './service.ts';
import { hostDay } from './state.ts';
import type { State, StoredEventType } from './state.ts';

/** How many of its hosts a meeting needs. */
export function hostsNeeded({ pooling_type, hosts }: StoredEventType): number {
  switch (pooling_type) {
    case 'collective':
      return hosts.length;
    case 'multi_pool':
      return Math.min(2, hosts.length);
    default:
      return 1;
  }
}

/** Those with the fewest meetings on the day come first; among equals chance decides, so that work is spread. */
export function hostsFor({ state, random }: Service, eventType: StoredEventType, startTime: string): readonly string[] {
  const needed = hostsNeeded(eventType);
  if (needed === eventType.hosts.length) return eventType.hosts;
  const loads = eventType.hosts.map((host) => ({
    host,
    meetings: state.scheduledEvents.count('host_day', hostDay(host, startTime)),
    lot: random.next(),
  }));
  const order = loads.toSorted((a, b) => a.meetings - b.meetings || a.lot - b.lot);
  return order.slice(0, needed).map(({ host }) => host);
}

/** The meetings of a host that take place, on the day (UTC) of `instant`. */
export function meetingsOf(state: State, host: string, instant: string): readonly ScheduledEventResource[] {
  return state.scheduledEvents.of('host_day', hostDay(host, instant));
}

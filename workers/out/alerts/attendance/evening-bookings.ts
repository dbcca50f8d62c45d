// Finds the bookings of evenings: those whose evening has come since the watcher last looked, and those of one host's evening.
import { readTimeZones } from '#src/read/bookings/hosts.ts';
import { unconfirmedBookings } from '#src/read/bookings/booking-attendance.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { hostsOf } from '#src/read/bookings/hosts.ts';
import type { BookingRule } from '#workers/out/alerts/rules/ruleset.ts';
import { timeOfDayAfter } from '#workers/out/alerts/outbox/quiet-hours.ts';
import { eveningSpanMs, mayHaveEvening } from './attendance-rules.ts';

interface Period {
  readonly afterMs: number;
  readonly throughMs: number;
}

/** The unconfirmed bookings of hosts whose evening came within the period. */
export async function dueBookings(
  store: Store,
  { rules, ...period }: Period & { readonly rules: readonly Pick<BookingRule, 'evening'>[] },
): Promise<readonly string[]> {
  const evenings = rules.flatMap(({ evening }) => evening ?? []).filter(({ at }) => mayHaveEvening(at, period));
  if (evenings.length === 0) return [];
  const zones = await readTimeZones(store);
  const hasEvening = (host: string): boolean =>
    evenings.some(
      ({ at, zone }) => timeOfDayAfter(period.afterMs + 1, at, zones.get(host) ?? zone) <= period.throughMs,
    );
  const isDue = new Map<string, boolean>();
  return hostedBookings(store, { ...period, afterMs: period.afterMs - eveningSpanMs }, (host) => {
    const known = isDue.get(host) ?? hasEvening(host);
    isDue.set(host, known);
    return known;
  });
}

/** The unconfirmed bookings of the host that ended within a day before the evening. */
export function bookingsOfEvening(
  from: Store | Unit,
  { host, evening }: { readonly host: string; readonly evening: string },
): Promise<readonly string[]> {
  const throughMs = Date.parse(evening);
  return hostedBookings(from, { afterMs: throughMs - eveningSpanMs, throughMs }, (one) => one === host);
}

/** The unconfirmed bookings of meetings that ended within the period, with such a host. */
async function hostedBookings(
  from: Store | Unit,
  period: Period,
  isHost: (uri: string) => boolean,
): Promise<readonly string[]> {
  const bookings = await unconfirmedBookings(from, period);
  return bookings
    .filter((event) => hostsOf({ event }).some(({ uri }) => uri !== undefined && isHost(uri)))
    .map(({ last_invitee: uri }) => uri);
}

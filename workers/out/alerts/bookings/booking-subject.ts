// Bookings as what rules are about.
import { instantOf } from '#src/base/time.ts';
import { recentlyCanceledAmong, recentlyMetAmong } from '#src/read/bookings/booking-attendance.ts';
import { loadBookingContexts, type BookingContext } from '#src/read/bookings/booking-context.ts';
import { alertsAbout } from '#src/store/alerts/alert-rows.ts';
import type { Store } from '#src/store/contract.ts';
import { readColumns } from '#src/store/rows.ts';
import { eveningSpanMs } from '#workers/out/alerts/attendance/attendance-rules.ts';
import { dueBookings } from '#workers/out/alerts/attendance/evening-bookings.ts';
import { decodeBookingFact } from '#workers/out/alerts/rules/fact.ts';
import type { BookingRule } from '#workers/out/alerts/rules/ruleset.ts';
import type { Subject } from '#workers/out/alerts/rules/subject.ts';
import { affectedBookings } from './affected-bookings.ts';

export const bookingSubject: Subject<BookingContext, BookingRule> = {
  async affected(store, entries, { rules, since }) {
    const dependencies = {
      contacts: rules.filter(({ readsContact }) => readsContact).map(({ name }) => name),
      marks: rules.some(({ readsMarks }) => readsMarks),
      attendance: rules.some(({ readsAttendance }) => readsAttendance),
    };
    return worthEvaluating(store, await affectedBookings(store, entries, { dependencies, since }), { rules, since });
  },
  due: dueBookings,
  load: (from, uris) => loadBookingContexts(from, uris),
  about: (context, _rule, fact) => ({ context, fact: decodeBookingFact(fact) }),
};

/** Bookings with a recent fact or with alerts: the others cannot change the outbox. */
async function worthEvaluating(
  store: Store,
  bookings: readonly string[],
  { rules, since }: { readonly rules: readonly BookingRule[]; readonly since: string },
): Promise<readonly string[]> {
  if (bookings.length === 0) return [];
  const alerted = new Set((await alertsAbout(store, bookings)).map(({ subject_uri }) => subject_uri));
  const times = [...new Set(rules.flatMap(({ factTimes }) => factTimes))];
  const rows = await readColumns(store, 'invitees', { columns: ['uri', ...times], key: 'uri', values: bookings });
  const isRecent = (row: (typeof rows)[number]) => times.some((name) => (row[name] ?? '') >= since);
  const ended = instantOf(Date.parse(since) - eveningSpanMs);
  const met = rules.some(({ readsAttendance }) => readsAttendance)
    ? await recentlyMetAmong(store, bookings, { ended, recap: since })
    : [];
  // The time of a cancellation may be known only from the meeting.
  const canceled = times.includes('canceled_at') ? await recentlyCanceledAmong(store, bookings, since) : [];
  const recent = new Set([...rows.filter(isRecent).map(({ uri }) => uri), ...met, ...canceled]);
  return bookings.filter((uri) => alerted.has(uri) || recent.has(uri));
}

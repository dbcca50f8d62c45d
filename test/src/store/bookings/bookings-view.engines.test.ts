// The view that takes the place of the table `bookings` and of the view `booking_journeys`, side by side with them: for any deliveries in
// any order the rows are the same, but where the meaning changes by intention. Each of those changes is named here, and counted.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredColumns } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { catchUpBookings } from '#src/store/bookings/booking-follower.ts';
import { decodeViewRow, readViews } from '#src/store/views/view.ts';
import { attendedHistory, bookingHistory } from '../../../harness/data/booking-histories.ts';
import { cut, reordered } from '../../../harness/data/delivery-histories.ts';
import { ingestObservations, mixedHistory } from '../../../harness/data/api-reads.ts';
import { viewRows } from '../../../harness/mirror/view-rows.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { isLongRun, propertyTimeoutMs, runs } from '../../../harness/runs.ts';
import { asReader, availableEngines, emptyTables, rowsOf } from '../../../harness/stores.ts';

const folder = join(import.meta.dirname, 'replacement');
const [view] = readViews(folder);

/** Columns that only the new view has. */
const added = ['uri', 'made_at', 'ended_at', 'first_event_type', 'hosts'];
const canceled = ['canceled_at', 'cancel_notice_seconds'];
const attendance = ['attendance', 'attendance_basis'];

const changes = {
  'an invitee without a meeting is no booking': 0,
  'the meeting says when it was canceled': 0,
  'such a cancellation is late': 0,
  'a recap before the end, or where it is not known, says who came': 0,
  'two words take the place of held': 0,
  'moved is the word for rescheduled': 0,
};

async function compare(store: Store, name: string): Promise<void> {
  const found = await asReader<StoredColumns>(store, readFileSync(join(folder, `bookings.${name}.sql`), 'utf8'));
  const rows = found.map((row) => decodeViewRow(store.engine, view?.columns ?? {}, row));
  const byUri = new Map(rows.map((row) => [String(row['uri']), row]));
  expect(byUri.size).toBe(rows.length);
  const table = new Map((await rowsOf(store, 'bookings')).map((row) => [String(row['journey_uri']), row]));
  const withMeeting = new Map<string, StoredRow>();
  for (const { journey_uri: uri, ...old } of await viewRows(store, 'booking_journeys'))
    if (old['event_uri'] === null) changes['an invitee without a meeting is no booking'] += 1;
    else withMeeting.set(String(uri), old);
  expect(new Set(byUri.keys())).toEqual(new Set(withMeeting.keys()));
  for (const [uri, old] of withMeeting) {
    const row = byUri.get(uri) ?? {};
    const { hosts, first_event_type: type } = table.get(uri) ?? {};
    expect([row['hosts'], row['first_event_type']]).toEqual([hosts, type]);
    expect(without(row, [...added, ...differing(row, old)])).toEqual(without(old, differing(row, old)));
  }
}

/** The columns that say something else on purpose. */
function differing(row: StoredRow, old: StoredRow): readonly string[] {
  const [now, before] = [row['outcome'], old['outcome']];
  const cameOrNot = row['attendance'] === 'confirmed' || row['attendance'] === 'likely' ? 'came' : 'unknown';
  const isByMeeting = old['canceled_at'] === null && row['canceled_at'] !== null;
  const isLate = isByMeeting && before === 'canceled_by_invitee' && now === 'late_cancellation';
  const isHeld = before === 'held' && now === cameOrNot;
  const isMoved = before === 'rescheduled' && now === 'moved';
  const isEarly = (now === 'upcoming' || now === null) && old['attendance'] === null && row['attendance'] !== null;
  if (isByMeeting) changes['the meeting says when it was canceled'] += 1;
  if (isLate) changes['such a cancellation is late'] += 1;
  if (isHeld) changes['two words take the place of held'] += 1;
  if (isMoved) changes['moved is the word for rescheduled'] += 1;
  if (isEarly) changes['a recap before the end, or where it is not known, says who came'] += 1;
  return [
    ...(isByMeeting ? canceled : []),
    ...(isLate || isHeld || isMoved ? ['outcome'] : []),
    ...(isEarly ? attendance : []),
  ];
}

const without = (row: StoredRow, names: readonly string[]): StoredRow =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

describe.each(availableEngines)('bookings as a view on $name', { timeout: propertyTimeoutMs }, ({ name, fresh }) => {
  const opened = openedOnce(fresh);

  it('have the rows of the table', async () => {
    const { store } = opened;
    await fc.assert(
      fc.asyncProperty(
        fc
          .oneof(bookingHistory, attendedHistory, mixedHistory())
          .chain((observations) => reordered(observations).chain(cut)),
        async (batches) => {
          await emptyTables(store);
          for (const batch of batches) await ingestObservations(store, batch);
          await catchUpBookings(store);
          await compare(store, name);
        },
      ),
      runs(60),
    );
    if (isLongRun) console.log(name, changes);
    expect(changes['two words take the place of held']).toBeGreaterThan(0);
    expect(changes['moved is the word for rescheduled']).toBeGreaterThan(0);
  });
});

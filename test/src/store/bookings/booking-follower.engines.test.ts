// The table of bookings follows the log: for any deliveries in any order and any batches, it equals what a plain computation from
// the rows says.
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  bookingsAtLeast,
  catchUpBookings,
  readBookingsState,
  refillBookings,
  refreshBookings,
} from '#src/store/bookings/booking-follower.ts';
import type { Store } from '#src/store/contract.ts';
import { keyValue, writeValue } from '#src/store/key-value.ts';
import { erase } from '#workers/fold/privacy/erase.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { bookingHistory } from '../../../harness/data/booking-histories.ts';
import { cut, reordered } from '../../../harness/data/delivery-histories.ts';
import { ingestObservations, mixedHistory } from '../../../harness/data/api-reads.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';
import {
  ingestRead,
  comparable,
  emptyTables,
  availableEngines,
  ingestBodies,
  rowsOf,
} from '../../../harness/stores.ts';

const arrivals = fc
  .oneof({ weight: 2, arbitrary: bookingHistory }, { weight: 1, arbitrary: mixedHistory() })
  .chain((observations) => reordered(observations).chain(cut));

describe.each(availableEngines)('the table of bookings on $name', { timeout: propertyTimeoutMs }, ({ name, fresh }) => {
  const opened = openedOnce(fresh);
  beforeEach(async () => {
    await emptyTables(opened.store);
    await opened.store.transaction(refillBookings);
  });

  /** Without the position in the log, which depends on the batches. */
  const table = async (store: Store) => {
    const bookings = (await rowsOf(store, 'bookings')).map((row) => ({ ...row, changed_seq: 0 }));
    return comparable({ bookings, followed_invitees: await rowsOf(store, 'followed_invitees') });
  };

  it('is the same, whether it follows entry by entry or is filled at once', async () => {
    const { store } = opened;
    await fc.assert(
      fc.asyncProperty(arrivals, fc.integer({ min: 1, max: 5 }), async (batches, atOnce) => {
        await emptyTables(store);
        await store.transaction(refillBookings);
        for (const batch of batches) {
          await ingestObservations(store, batch);
          await catchUpBookings(store, { atOnce });
        }
        const followed = await table(store);
        await store.transaction(refillBookings);
        expect(followed).toEqual(await table(store));
      }),
      runs(name === 'sqlite' ? 36 : 9),
    );
  });

  const uri = (id: string) => `https://api.example.test/scheduled_events/E/invitees/${id}`;
  const body = (id: string, more: object, event = 'invitee.created') =>
    JSON.stringify({
      event,
      created_at: '2025-01-02T00:00:00Z',
      payload: { uri: uri(id), created_at: '2025-01-01T00:00:00Z', updated_at: '2025-01-02T00:00:00Z', ...more },
    });

  it('shows no erased person, not even before it has read the erasure', async () => {
    const { store } = opened;
    const person = { email: 'planted@example.test', name: 'Planted Person' };
    await ingestBodies(store, [body('1', person), body('2', { ...person, old_invitee: uri('1') })]);
    await catchUpBookings(store, { atOnce: 1 });
    await ingestBodies(store, [body('3', { ...person, old_invitee: uri('2') })]);
    const address = { kind: 'address', address: 'planted@example.test' } as const;
    await erase({ store, newKey: () => 'k'.repeat(64) }, address, { now: '2025-01-03T00:00:00.000000Z' });
    expect(JSON.stringify(await rowsOf(store, 'bookings'))).not.toMatch(/planted/i);
    expect(await rowsOf(store, 'bookings')).toMatchObject([
      { journey_uri: uri('1'), last_invitee: uri('3'), moves: 2 },
    ]);
    // A late delivery about the same person, and a rebuild.
    await ingestBodies(store, [body('4', { ...person, old_invitee: uri('3') })]);
    await rebuild({ store, screen: privacyScreen({ eraseOnDelete: true }) });
    await catchUpBookings(store);
    expect(JSON.stringify(await rowsOf(store, 'bookings'))).not.toMatch(/planted/i);
    expect(await rowsOf(store, 'bookings')).toMatchObject([
      { journey_uri: uri('1'), last_invitee: uri('4'), moves: 3 },
    ]);
  });

  it('has every invitee when the first of a chain arrives late, and the other no longer names it', async () => {
    const { store } = opened;
    await ingestBodies(store, [body('2', { old_invitee: uri('1') })]);
    await catchUpBookings(store);
    await ingestBodies(store, [body('1', {})]);
    await ingestBodies(store, [body('2', { old_invitee: null, updated_at: '2025-01-03T00:00:00Z' })]);
    await catchUpBookings(store, { atOnce: 1 });
    const bookings = (await rowsOf(store, 'bookings')).map((row) => [row['journey_uri'], row['last_invitee']]);
    expect(bookings.toSorted()).toEqual([
      [uri('1'), uri('1')],
      [uri('2'), uri('2')],
    ]);
  });

  it('has what an entry says of a meeting that its invitee is not in', async () => {
    const { store } = opened;
    const meeting = (id: string, name: string) => ({ uri: `https://api.example.test/scheduled_events/${id}`, name });
    await ingestBodies(store, [body('1', { event: meeting('A', '').uri, scheduled_event: meeting('A', 'Talk') })]);
    await catchUpBookings(store);
    const renamed = { ...meeting('A', 'Renamed'), updated_at: '2025-01-03T00:00:00Z' };
    await ingestBodies(store, [body('2', { event: meeting('B', '').uri, scheduled_event: renamed })]);
    await catchUpBookings(store);
    expect((await rowsOf(store, 'bookings')).map((row) => row['event_name']).toSorted()).toEqual(['Renamed', null]);
  });

  const inMeeting = (id: string, meeting: string, name: string, at: string) => {
    const event = `https://api.example.test/scheduled_events/${meeting}`;
    return body(id, { event, updated_at: at, scheduled_event: { uri: event, name, updated_at: at } });
  };

  it('is not waited for by a writer whose entry leads to all that it changed', async () => {
    const { store } = opened;
    const at = '2025-01-03T00:00:00Z';
    await ingestBodies(store, [inMeeting('1', 'A', 'Talk', '2025-01-02T00:00:00Z')]);
    const read = { observed: '2025-01-03T00:00:00.000000Z' };
    const meeting = { uri: 'https://api.example.test/scheduled_events/A', name: 'Renamed', updated_at: at };
    const user = { uri: 'https://api.example.test/users/U', name: 'Grace', updated_at: at };
    const member = { uri: 'https://api.example.test/organization_memberships/M', user, updated_at: at };
    await ingestRead(
      store,
      [
        { kind: 'scheduled_event', record: meeting, ...read },
        { kind: 'organization_membership', record: member, ...read },
      ],
      read.observed,
    );
    expect(await rowsOf(store, 'bookings')).toEqual([]);
  });

  it('has what an entry says of a meeting that its invitee has left before it is read', async () => {
    const { store } = opened;
    await ingestBodies(store, [inMeeting('1', 'A', 'Talk', '2025-01-02T00:00:00Z')]);
    await catchUpBookings(store);
    await ingestBodies(store, [inMeeting('2', 'A', 'Renamed', '2025-01-03T00:00:00Z')]);
    await ingestBodies(store, [inMeeting('2', 'B', 'Lunch', '2025-01-04T00:00:00Z')]);
    await catchUpBookings(store);
    expect((await rowsOf(store, 'bookings')).map((row) => row['event_name']).toSorted()).toEqual(['Lunch', 'Renamed']);
  });

  it('is made anew by a rebuild that corrects rows', async () => {
    const { store } = opened;
    await ingestBodies(store, [body('1', { name: 'Ada' })]);
    await catchUpBookings(store);
    await store.db.updateTable('invitees').set({ name: 'Wrong' }).execute();
    await store.db.updateTable('bookings').set({ invitee_name: 'Wrong' }).execute();
    await rebuild({ store, screen: privacyScreen({ eraseOnDelete: true }) });
    expect(await rowsOf(store, 'bookings')).toMatchObject([{ invitee_name: 'Ada' }]);
  });

  it('is made anew by a change of rows where it has earlier rules, and left alone where it has later ones', async () => {
    const { store } = opened;
    await ingestBodies(store, [body('1', {}), body('2', {})]);
    await catchUpBookings(store);
    const current = (await readBookingsState(store)) ?? expect.fail();
    const filledBy = (rules: number) =>
      store.transaction(async (unit) => {
        await writeValue(unit, keyValue('bookings', z.unknown()), { ...current, rules });
        await unit.db.updateTable('bookings').set({ invitee_name: 'By other rules' }).execute();
      });
    const refresh = () => store.transaction((unit) => refreshBookings(unit, [uri('1')]));
    const names = async () => (await rowsOf(store, 'bookings')).map((row) => row['invitee_name']);
    await filledBy(current.rules - 1);
    await refresh();
    expect(await names()).toEqual([null, null]);
    expect(await readBookingsState(store)).toMatchObject({ rules: current.rules });
    await filledBy(current.rules + 1);
    await expect(refresh()).rejects.toThrow('A newer version of Slotstream has made the table of bookings.');
    expect(await names()).toEqual(['By other rules', 'By other rules']);
    expect(await readBookingsState(store)).toMatchObject({ rules: current.rules + 1 });
    await filledBy(current.rules);
  });

  it('contains the entry that a reader asks for', async () => {
    const { store } = opened;
    await ingestBodies(store, [body('1', {})]);
    expect(await rowsOf(store, 'bookings')).toEqual([]);
    await bookingsAtLeast(store, 1_000_000);
    expect(await rowsOf(store, 'bookings')).toMatchObject([{ journey_uri: uri('1') }]);
  });
});

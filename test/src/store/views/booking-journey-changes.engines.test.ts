// Which journeys a copy has to read again: those with a log entry after the position of the copy.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catchUpBookings } from '#src/store/bookings/booking-follower.ts';
import { erase } from '#workers/privacy/erase.ts';
import { ingestCountedBookings, january, uri } from '../../../harness/data/counted-bookings.ts';
import { ingestBodies, rowsOf, availableEngines, type TestStore } from '../../../harness/stores.ts';
import { inOrder, viewRows } from '../../../harness/mirror/view-rows.ts';

const invitee = (id: string, more: object): string =>
  JSON.stringify({
    event: 'invitee.created',
    created_at: january(20),
    payload: { uri: uri('invitees', id), created_at: january(20), updated_at: january(20), ...more },
  });

for (const engine of availableEngines)
  describe(`the changes of journeys on ${engine.name}`, () => {
    let opened: TestStore;
    beforeAll(async () => {
      opened = await engine.fresh();
      await ingestCountedBookings(opened.store);
      await catchUpBookings(opened.store);
    });
    afterAll(() => opened[Symbol.asyncDispose]());

    const lastSeq = async () => Math.max(...(await rowsOf(opened.store, 'event_log')).map((row) => Number(row['seq'])));
    const changedAfter = async (seq: number) =>
      (await viewRows(opened.store, 'booking_journey_changes'))
        .filter((row) => Number(row['changed_seq']) > seq)
        .map((row) => row['journey_uri']);

    it('have one row for each journey', async () => {
      const journeys = (await viewRows(opened.store, 'booking_journeys')).map((row) => row['journey_uri']);
      expect(await changedAfter(0)).toEqual(journeys);
      expect(await changedAfter(await lastSeq())).toEqual([]);
    });

    it('name the journey to which a booking was added', async () => {
      const seq = await lastSeq();
      await ingestBodies(opened.store, [invitee('A4', { old_invitee: uri('invitees', 'A3') })]);
      expect(await changedAfter(seq)).toEqual([uri('invitees', 'A1')]);
    });

    it('name every journey that an entry about a meeting changes, and no other', async () => {
      const seq = await lastSeq();
      const event = { uri: uri('events', 'H1'), name: 'Renamed', updated_at: january(20) };
      await ingestBodies(opened.store, [invitee('Z1', { event: uri('events', 'H1'), scheduled_event: event })]);
      expect(await changedAfter(seq)).toEqual([uri('invitees', 'H1'), uri('invitees', 'Z1')]);
    });

    it('name the journeys that an erasure changes, after all that came before it', async () => {
      const { store } = opened;
      const seq = await lastSeq();
      await ingestBodies(store, [invitee('Z2', { email: 'zoe@example.test', name: 'Zoe' }), invitee('Z3', {})]);
      const erased = { kind: 'uri', uri: uri('invitees', 'Z2') } as const;
      await erase({ store, newKey: () => 'k'.repeat(64) }, erased, { now: january(22), only: true });
      const changes = (await rowsOf(store, 'bookings')).filter((row) => Number(row['changed_seq']) > seq);
      expect(inOrder(changes, ['journey_uri'])).toMatchObject([
        { journey_uri: uri('invitees', 'Z2'), invitee_name: null, changed_seq: await lastSeq() },
        { journey_uri: uri('invitees', 'Z3') },
      ]);
    });
  });

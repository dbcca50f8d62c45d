// Links between invitees that no service would send: the views neither hang nor lose or double anybody.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { refillBookings } from '#src/store/bookings/booking-follower.ts';
import { writeRows, type StoredRow } from '#src/store/rows.ts';
import { emptyTables, storeEngines, type TestStore } from '../../../harness/stores.ts';
import { viewRows } from '../../../harness/mirror/view-rows.ts';

const uri = (n: number) => `https://api.example.test/invitees/${String(n).padStart(5, '0')}`;

for (const engine of storeEngines)
  describe.runIf(engine.available)(`journeys on ${engine.name}`, () => {
    let opened: TestStore;
    beforeAll(async () => void (opened = await engine.fresh()));
    beforeEach(() => emptyTables(opened.store));
    afterAll(() => opened[Symbol.asyncDispose]());

    /** Of so many invitees, linked like this: how many are in each journey, and how often each was moved. */
    async function journeysOf(count: number, linksOf: (n: number) => StoredRow) {
      const rows = Array.from({ length: count }, (_, n) => ({ uri: uri(n), ...linksOf(n) }));
      await opened.store.transaction(async (unit) => {
        await writeRows(unit, 'invitees', rows);
        await refillBookings(unit);
      });
      const journeys = await viewRows(opened.store, 'booking_journeys');
      return journeys.map((row) => [row['journey_uri'], row['invitees'], row['moves']]);
    }

    it('follow a chain of a thousand moves', async () => {
      expect(await journeysOf(1_001, (n) => ({ old_invitee: n === 0 ? null : uri(n - 1) }))).toEqual([
        [uri(0), 1_001, 1_000],
      ]);
    });

    it('begin a circle at its first URI, whichever way it runs', async () => {
      const circle = (step: number) => (n: number) => ({ new_invitee: uri((n + step + 32) % 32) });
      expect(await journeysOf(32, circle(1))).toEqual([[uri(0), 32, 32]]);
      await emptyTables(opened.store);
      expect(await journeysOf(32, circle(-1))).toEqual([[uri(0), 32, 32]]);
    });

    it('begin a circle of a thousand at its first URI, with who hangs on to it', async () => {
      const journeys = await journeysOf(2_000, (n) => ({ old_invitee: uri(n < 1_000 ? (n + 1) % 1_000 : n - 1_000) }));
      expect(journeys).toEqual([[uri(0), 2_000, 1_000]]);
    });

    it('are one where many say they come from the same, and as many as there are where many say they go to the same', async () => {
      expect(await journeysOf(1_000, (n) => ({ old_invitee: n === 0 ? null : uri(0) }))).toEqual([[uri(0), 1_000, 1]]);
      await emptyTables(opened.store);
      const towards = await journeysOf(1_000, () => ({ new_invitee: uri(5_000) }));
      expect(towards).toEqual(Array.from({ length: 1_000 }, (_, n) => [uri(n), 1, 1]));
    });

    it('ignore an invitee that names itself, or no other', async () => {
      expect(await journeysOf(2, (n) => ({ old_invitee: uri(n), new_invitee: '' }))).toEqual([
        [uri(0), 1, 0],
        [uri(1), 1, 0],
      ]);
    });
  });

// The list of bookings by days, on each store. Its other filters are in the golden files of the API, and needs-attention.engines.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBookingFilters } from '#src/read/bookings/hosts.ts';
import { refillBookings } from '#src/store/bookings/booking-follower.ts';
import { writeRows, type StoredRow } from '#src/store/rows.ts';
import { ingestCountedBookings, january, uri } from '../../../harness/data/counted-bookings.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { storeEngines } from '../../../harness/stores.ts';

for (const engine of storeEngines)
  describe.runIf(engine.available)(`bookings on ${engine.name}`, () => {
    let api: Awaited<ReturnType<typeof openReadApi>>;
    beforeAll(async () => {
      api = await openReadApi(engine.fresh);
      await ingestCountedBookings(api.store);
    });
    afterAll(() => api[Symbol.asyncDispose]());

    const idsOf = (rows: readonly StoredRow[]) => rows.map((row) => row['journey_uri']);
    const listed = async (query: string) => {
      const { status, body } = await api.get(`/api/bookings?${query}`);
      expect([status, body.title]).toEqual([200, undefined]);
      return idsOf(body.collection);
    };

    it('are named with the hosts and event types to filter by', async () => {
      expect(await readBookingFilters(api.context)).toEqual({
        hosts: [{ uri: uri('users', 'ada'), name: 'Ada' }],
        eventTypes: [{ uri: uri('event_types', 'intro'), name: 'Introduction' }],
      });
    });

    it('of a day do not include the first moment of the next', async () => {
      const starts = { last: '2031-05-01T23:59:59.999999Z', next: '2031-05-02T00:00:00.000000Z' };
      await api.store.transaction(async (unit) => {
        for (const [id, start_time] of Object.entries(starts)) {
          const invitee = { uri: uri('invitees', id), event_uri: uri('events', id), created_at: january(1) };
          await writeRows(unit, 'invitees', [{ ...invitee, no_show_at: start_time }]);
          await writeRows(unit, 'scheduled_events', [{ uri: uri('events', id), start_time }]);
          const mark = { invitee_uri: invitee.uri, no_show_uri: uri('marks', id), marked_at: start_time };
          await writeRows(unit, 'no_shows', [mark]);
        }
        await refillBookings(unit);
      });
      const day = 'min_start_time=2031-05-01&max_start_time=2031-05-01';
      expect(await listed(day)).toEqual([uri('invitees', 'last')]);
      const { body } = await api.get(`/api/no_shows?${day}`);
      expect(body.collection.map(({ uuid }: { uuid: string }) => uuid)).toEqual(['last']);
      expect(await listed(`min_start_time=2031-05-01&max_start_time=${starts.next}`)).toHaveLength(2);
    });
  });

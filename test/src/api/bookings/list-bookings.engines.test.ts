// The list of bookings by days and by what is known of who came, on each store. Its other filters are in the golden files of the API.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBookingFilters } from '#src/read/bookings/hosts.ts';
import { dayMs, hourMs, instantOf } from '#src/base/time.ts';
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

    it('are unconfirmed in the week after the meeting, until a recap or a mark says who came', async () => {
      const ended = (id: string, daysAgo: number) => ({
        invitee: {
          uri: uri('invitees', id),
          event_uri: uri('events', id),
          email: `${id}@example.test`,
          status: 'active',
          created_at: instantOf(Date.now() - 30 * dayMs),
        },
        meeting: {
          uri: uri('events', id),
          status: 'active',
          start_time: instantOf(Date.now() - daysAgo * dayMs - hourMs),
          end_time: instantOf(Date.now() - daysAgo * dayMs),
        },
      });
      const rows = [ended('recent', 1), ended('recapped', 1), ended('listed', 1), ended('alone', 1), ended('old', 8)];
      await api.store.transaction(async (unit) => {
        await writeRows(
          unit,
          'invitees',
          rows.map(({ invitee }) => invitee),
        );
        await writeRows(
          unit,
          'scheduled_events',
          rows.map(({ meeting }) => meeting),
        );
        await writeRows(unit, 'meeting_recaps', [
          { uri: uri('recaps', '1'), event_uri: uri('events', 'recapped') },
          {
            uri: uri('recaps', '2'),
            event_uri: uri('events', 'listed'),
            attendees: [{ user_email: 'listed@example.test' }],
          },
          { uri: uri('recaps', '3'), event_uri: uri('events', 'alone'), attendees: [{ host: true }] },
        ]);
        await refillBookings(unit);
      });
      const recent = ['alone', 'recapped', 'recent'].map((id) => uri('invitees', id));
      expect((await listed('unconfirmed=true')).toSorted()).toEqual(recent);
      const nineDays = `min_start_time=${instantOf(Date.now() - 9 * dayMs)}`;
      expect((await listed(`unconfirmed=true&${nineDays}`)).toSorted()).toEqual(
        [...recent, uri('invitees', 'old')].toSorted(),
      );
      expect(await listed('attendance=suspected_no_show')).toEqual([uri('invitees', 'alone')]);
      expect(await listed(`attendance=likely&${nineDays}`)).toEqual([uri('invitees', 'listed')]);
    });
  });

// The list of bookings answers what the view has, page by page and by every filter, on each store.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBookingFilters } from '#src/read/bookings/hosts.ts';
import { dayMs, hourMs, instantOf } from '#src/base/time.ts';
import { refillBookings } from '#src/store/bookings/booking-follower.ts';
import { writeRows, type StoredRow } from '#src/store/rows.ts';
import { ingestCountedBookings, january, uri } from '../../../harness/data/counted-bookings.ts';
import { attendances } from '#src/store/bookings/evidence.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { viewRows } from '../../../harness/mirror/view-rows.ts';
import { storeEngines } from '../../../harness/stores.ts';

const newestFirst = (a: StoredRow, b: StoredRow): number => {
  const [one, other] = [a, b].map((row) => `${String(row['booked_at'])} ${String(row['first_invitee'])}`);
  return one === other ? 0 : (one ?? '') > (other ?? '') ? -1 : 1;
};

for (const engine of storeEngines)
  describe.runIf(engine.available)(`bookings on ${engine.name}`, () => {
    let api: Awaited<ReturnType<typeof openReadApi>>;
    let view: readonly StoredRow[];
    beforeAll(async () => {
      api = await openReadApi(engine.fresh);
      await ingestCountedBookings(api.store);
      view = (await viewRows(api.store, 'booking_journeys')).toSorted(newestFirst);
    });
    afterAll(() => api[Symbol.asyncDispose]());

    const idsOf = (rows: readonly StoredRow[]) => rows.map((row) => row['journey_uri']);
    const listed = async (query: string) => {
      const { status, body } = await api.get(`/api/bookings?${query}`);
      expect([status, body.title]).toEqual([200, undefined]);
      return idsOf(body.collection);
    };
    const inView = (isListed: (row: StoredRow) => boolean) => idsOf(view.filter(isListed));

    it('are the rows of the view, newest first', async () => {
      const { body } = await api.get('/api/bookings');
      expect(idsOf(body.collection)).toEqual(idsOf(view));
      for (const [index, { uuid, ...record }] of body.collection.entries()) {
        expect(view[index]).toMatchObject(record);
        expect(record.last_invitee).toBe(uri('invitees', uuid));
      }
    });

    it('are paged in both directions: every booking once', async () => {
      for (const count of [1, 2, 4]) {
        const pages: unknown[][] = [];
        let previous: string | null = null;
        for (let token: string | null = ''; token !== null;) {
          const { body } = await api.get(`/api/bookings?count=${count}${token === '' ? '' : `&page_token=${token}`}`);
          pages.push(idsOf(body.collection));
          token = body.pagination.next_page_token;
          previous = body.pagination.previous_page_token;
        }
        expect(pages.flat()).toEqual(idsOf(view));
        for (const page of pages.slice(0, -1).toReversed()) {
          const { body } = await api.get(`/api/bookings?count=${count}&page_token=${previous}`);
          expect(idsOf(body.collection)).toEqual(page);
          previous = body.pagination.previous_page_token;
        }
        expect(previous).toBeNull();
      }
    });

    it('are found by every filter as in the view', async () => {
      for (const outcome of new Set(view.map((row) => String(row['outcome']))))
        expect(await listed(`outcome=${outcome}`)).toEqual(inView((row) => row['outcome'] === outcome));
      for (const attendance of attendances)
        expect(await listed(`attendance=${attendance}`)).toEqual(inView((row) => row['attendance'] === attendance));
      const isCanceled = ({ outcome }: StoredRow) => /cancel/.test(String(outcome));
      expect(await listed('status=canceled')).toEqual(inView(isCanceled));
      expect(await listed('status=active')).toEqual(
        inView(({ outcome }) => ['upcoming', 'held', 'no_show'].includes(String(outcome))),
      );
      const ben = encodeURIComponent(uri('users', 'ben'));
      expect(await listed(`host=${ben}`)).toEqual([uri('invitees', 'H1'), uri('invitees', 'B1')]);
      const demo = encodeURIComponent(uri('event_types', 'demo'));
      expect(await listed(`event_type=${demo}`)).toEqual(
        inView((row) => row['event_type'] === uri('event_types', 'demo')),
      );
      expect(await listed('email=a%40EXAMPLE.test')).toEqual([uri('invitees', 'A1')]);
      expect(await listed('q=guest+b')).toEqual([uri('invitees', 'B1')]);
      expect(await listed('q=C%40exam')).toEqual([uri('invitees', 'C1')]);
      for (const inert of ['%25', '_uest', '%5C', `' or ''='`])
        expect(await listed(`q=${encodeURIComponent(inert)}`)).toEqual([]);
      expect(await listed('utm_campaign=none')).toEqual([]);
      const isEarly = (row: StoredRow) => String(row['start_time']) <= january(7, '23:59:59');
      expect(await listed('max_start_time=2025-01-07')).toEqual(inView(isEarly));
      expect(await listed(`min_start_time=2025-01-07&max_start_time=${january(8)}`)).toEqual(
        inView((row) => String(row['start_time']) >= january(7, '00:00:00') && String(row['start_time']) <= january(8)),
      );
    });

    it('are refused with a filter that cannot be', async () => {
      for (const query of [
        'outcome=lost',
        'host=ben',
        'min_start_time=yesterday',
        'unconfirmed=yes',
        'attendance=here',
        'q=%00',
      ])
        expect((await api.get(`/api/bookings?${query}`)).status).toBe(400);
    });

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

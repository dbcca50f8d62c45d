// The worklist of no-shows: open marks, newest first, with what is needed to act.
import { describe, expect, it } from 'vitest';
import { ingestRecords } from '#workers/sync/records.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { ingestCountedBookings, january, uri } from '../../../harness/data/counted-bookings.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { ingestBodies, receivedAt, storeEngines } from '../../../harness/stores.ts';

const mark = (event: string, invitee: string, at: string) =>
  JSON.stringify({
    event: `invitee_no_show.${event}`,
    created_at: at,
    payload: {
      uri: uri('invitees', invitee),
      no_show: event === 'created' ? { uri: uri('no_shows', `of-${invitee}`), created_at: at } : null,
      updated_at: at,
    },
  });

for (const engine of storeEngines)
  describe.runIf(engine.available)(`no-shows on ${engine.name}`, () => {
    it('are listed while their mark is open, with what is needed to act', async () => {
      await using api = await openReadApi(engine.fresh);
      await ingestCountedBookings(api.store);
      await ingestBodies(api.store, [mark('created', 'A3', january(8)), mark('created', 'H1', january(9))]);
      await ingestBodies(api.store, [mark('deleted', 'H1', january(10)), mark('created', 'C1', january(9))]);
      const record = { uri: uri('users', 'ben'), name: 'Ben', timezone: 'America/New_York' };
      await ingestRecords(
        { store: api.store, screen: privacyScreen({ eraseOnDelete: true }) },
        [{ kind: 'user', record, observed: january(1) }],
        { source: 'backfill', now: receivedAt },
      );
      const listed = async (query = '') =>
        (await api.get(`/api/no_shows${query}`)).body.collection as Record<string, unknown>[];
      // C1 was canceled before: it is no no-show.
      expect((await listed()).map(({ uuid }) => uuid)).toEqual(['A3', 'B3']);
      expect((await listed())[1]).toEqual({
        uuid: 'B3',
        invitee_uri: uri('invitees', 'B3'),
        no_show_uri: uri('no_shows', '1'),
        marked_at: january(7, '15:10:00'),
        unmarked_at: null,
        name: 'Guest B',
        email: 'B@example.test',
        company: null,
        contact_uri: null,
        event_name: 'A talk',
        event_type_name: 'Introduction',
        hosts: ['Host ben'],
        start_time: january(7, '14:30:00'),
        end_time: january(7, '15:00:00'),
        host_time: 'Tue, 7 Jan 2025, 09:30–10:00 (America/New_York)',
        invitee_time: 'Tue, 7 Jan 2025, 15:30–16:00 (Europe/Berlin)',
        reschedule_url: null,
        missed_before: 0,
        alerts: [],
      });
      expect((await listed('?state=undone')).map(({ uuid, unmarked_at }) => [uuid, unmarked_at])).toEqual([
        ['H1', january(10)],
      ]);
      expect((await listed(`?host=${encodeURIComponent(uri('users', 'ben'))}`)).map(({ uuid }) => uuid)).toEqual([
        'B3',
      ]);
      expect(await listed(`?event_type=${encodeURIComponent(uri('event_types', 'demo'))}`)).toEqual([]);
      expect((await listed('?max_start_time=2025-01-06')).map(({ uuid }) => uuid)).toEqual(['A3']);
      const { body: first } = await api.get('/api/no_shows?count=1');
      const { body: second } = await api.get(`/api/no_shows?count=1&page_token=${first.pagination.next_page_token}`);
      expect([first, second].map(({ collection }) => collection[0].uuid)).toEqual(['A3', 'B3']);
      expect(second.pagination.next_page_token).toBeNull();
    });

    it('count how often the person missed before', async () => {
      await using api = await openReadApi(engine.fresh);
      await ingestCountedBookings(api.store);
      await ingestBodies(api.store, [mark('created', 'B1', january(5)), mark('created', 'H1', january(9))]);
      const again = JSON.stringify({
        event: 'invitee.created',
        created_at: january(10),
        payload: {
          uri: uri('invitees', 'B9'),
          email: 'b@EXAMPLE.test',
          name: 'Guest B',
          status: 'active',
          created_at: january(10),
          updated_at: january(10),
          no_show: { uri: uri('no_shows', '9'), created_at: january(12) },
        },
      });
      await ingestBodies(api.store, [again]);
      const found = async (q: string) =>
        (await api.get(`/api/no_shows?q=${q}`)).body.collection.map(({ uuid }: Record<string, unknown>) => uuid);
      expect([await found('guest+b'), await found('B@example'), await found('none')]).toEqual([
        ['B9', 'B3'],
        ['B9', 'B3'],
        [],
      ]);
      const { body } = await api.get('/api/no_shows');
      expect(body.collection.map(({ uuid, missed_before }: Record<string, unknown>) => [uuid, missed_before])).toEqual([
        ['B9', 1],
        ['H1', 0],
        ['B3', 0],
      ]);
    });
  });

// Meeting recaps on the admin listener, on every store.
import { describe, expect, it } from 'vitest';
import { writeRows } from '#src/store/rows.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { ingestBodies, storeEngines } from '../../../harness/stores.ts';

const uri = (kind: string, id: string): string => `https://api.example.test/${kind}/${id}`;
const time = (day: number): string => `2025-02-0${day}T10:00:00.000000Z`;
const attendee = (name: string, host = false) => ({
  host,
  user_name: name,
  user_email: `${name}@example.test`,
});

const recap = (id: string, day: number, more: object = {}): string =>
  JSON.stringify({
    event: 'meeting_recap.created',
    created_at: time(day),
    payload: {
      uri: uri('meeting_recaps', id),
      summary_md: `Summary of ${id}`,
      action_items_md: '- Call **back**',
      created_at: time(day),
      event: { uri: uri('scheduled_events', id), name: `Talk ${id}`, start_time: time(day), end_time: time(day) },
      ...more,
    },
  });

const idsIn = (body: { collection: readonly { uri: string }[] }) =>
  body.collection.map((each) => each.uri.slice(each.uri.lastIndexOf('/') + 1));

for (const engine of storeEngines)
  describe.runIf(engine.available)(`recaps on ${engine.name}`, () => {
    async function openWorld() {
      const api = await openReadApi(engine.fresh);
      await ingestBodies(api.store, [
        recap('one', 1, { share_link: 'https://share.example.test/1', transcript: uri('transcripts', 'one') }),
        recap('two', 2, {
          summary_md: 'Costs 100% of Ünder_budget',
          event: { name: 'Outside', start_time: time(2), attendees: [attendee('ada', true), attendee('Guest')] },
        }),
        recap('three', 3),
        recap('gone', 4),
        JSON.stringify({
          event: 'meeting_recap.deleted',
          created_at: time(5),
          payload: { uri: uri('meeting_recaps', 'gone'), deleted_at: time(5) },
        }),
      ]);
      await api.store.transaction(async (unit) => {
        const hosts = [{ user: uri('users', 'ada') }];
        await writeRows(unit, 'scheduled_events', [{ uri: uri('scheduled_events', 'one'), hosts }]);
        await writeRows(unit, 'users', [{ uri: uri('users', 'ada'), name: 'Ada', email: 'Ada@example.test' }]);
      });
      return api;
    }

    it('are listed newest first, without deleted ones', async () => {
      await using api = await openWorld();
      const { status, body } = await api.get('/api/recaps');
      expect([status, idsIn(body)]).toEqual([200, ['three', 'two', 'one']]);
      expect(body.collection[1]).toEqual({
        uri: uri('meeting_recaps', 'two'),
        event_uri: null,
        event_name: 'Outside',
        event_start_time: time(2),
        event_end_time: null,
        attendees: [
          { name: 'ada', email: 'ada@example.test', is_host: true },
          { name: 'Guest', email: 'Guest@example.test', is_host: false },
        ],
        excerpt: 'Costs 100% of Ünder_budget',
        created_at: time(2),
        updated_at: null,
      });
    });

    it('are found by host, participant, time and text', async () => {
      await using api = await openWorld();
      const found = async (query: string) => idsIn((await api.get(`/api/recaps?${query}`)).body);
      expect(await found(`host=${uri('users', 'ada')}`)).toEqual(['two', 'one']);
      expect(await found(`host=${uri('users', 'ben')}`)).toEqual([]);
      expect(await found('attendee=GUEST@example.test')).toEqual(['two']);
      expect(await found('from=2025-02-02&to=2025-02-02')).toEqual(['two']);
      expect(await found('text=summary%20OF')).toEqual(['three', 'one']);
      expect(await found('text=100%25')).toEqual(['two']);
      expect(await found('text=0%25o')).toEqual([]);
      expect(await found('text=r_b')).toEqual(['two']);
      expect(await found('text=back&count=2')).toEqual(['three', 'two']);
      expect(await found(`text=${encodeURIComponent("' or 1=1 --\\")}`)).toEqual([]);
    });

    it('are paged both ways', async () => {
      await using api = await openWorld();
      const { body: first } = await api.get('/api/recaps?count=2&text=back');
      const { body: second } = await api.get(`/api/recaps?count=2&page_token=${first.pagination.next_page_token}`);
      const { body: back } = await api.get(`/api/recaps?count=2&page_token=${second.pagination.previous_page_token}`);
      expect([idsIn(second), idsIn(back)]).toEqual([['one'], ['three', 'two']]);
      expect([second.pagination.next_page_token, back.pagination.previous_page_token]).toEqual([null, null]);
    });

    it('are shown whole, one by one', async () => {
      await using api = await openWorld();
      const { status, body } = await api.get('/api/recaps/one');
      expect([status, body.resource]).toMatchObject([
        200,
        {
          summary_md: 'Summary of one',
          action_items_md: '- Call **back**',
          discussion_md: null,
          transcript: uri('transcripts', 'one'),
          share_link: 'https://share.example.test/1',
        },
      ]);
      for (const id of ['gone', 'none', "'"])
        expect((await api.get(`/api/recaps/${encodeURIComponent(id)}`)).status).toBe(404);
    });
  });

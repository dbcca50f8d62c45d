// The log and the quarantine on the admin listener. What each filter finds is in golden/filters-of-deliveries.txt of the API; that both
// stores find it, in log-search.engines.test.ts.
import { describe, expect, it } from 'vitest';
import { readQuarantineReasons } from '#src/api/deliveries/deliveries.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { ingestBodies, receivedAt, oneEngine } from '../../../harness/stores.ts';
import { contactDelivery, contactUri } from '../../../harness/data/contact-deliveries.ts';

interface Line {
  readonly seq: number;
  readonly delivery_id: string;
  readonly event: string | null;
}

const seqsOf = (body: { collection: readonly Line[] }): number[] => body.collection.map(({ seq }) => seq);

/** Ten about one contact, in order; two of an unknown kind; one that cannot be parsed. */
const bodies = [
  ...Array.from({ length: 10 }, (_, version) => contactDelivery({ id: 'one', version })),
  ...['a', 'b'].map((id) => JSON.stringify({ event: 'contact.merged', payload: { uri: contactUri(id) } })),
  '{"event": "contact.updated", no JSON',
];

for (const engine of oneEngine)
  describe.runIf(engine.available)(`the log on ${engine.name}`, () => {
    async function openLog() {
      const api = await openReadApi(engine.fresh);
      await ingestBodies(api.store, bodies);
      return api;
    }

    it('says how far it searched when that takes too long, and continues from there', async () => {
      let now = 0;
      await using api = await openReadApi(engine.fresh, { clock: () => (now += 1_000) });
      await ingestBodies(api.store, bodies);
      await api.store.db.updateTable('event_log').set({ seq: 3_500 }).where('seq', '=', 13).execute();
      const pages: { seqs: number[]; stopped: number | undefined }[] = [];
      const read = async (query: string) => {
        const { body } = await api.get(`/api/deliveries?${query}`);
        pages.push({ seqs: seqsOf(body), stopped: body.stopped_at?.seq });
        if (body.stopped_at) expect(body.stopped_at.received_at).toBe(receivedAt);
        return body.pagination;
      };
      let token: string | null = (await read('q=name+one+7')).next_page_token;
      let previous: string | null = null;
      while (token !== null)
        ({ next_page_token: token, previous_page_token: previous } = await read(`page_token=${token}`));
      expect(pages).toEqual([
        { seqs: [], stopped: 3_001 },
        { seqs: [], stopped: 2_501 },
        { seqs: [], stopped: 2_001 },
        { seqs: [], stopped: 1_501 },
        { seqs: [], stopped: 1_001 },
        { seqs: [], stopped: 501 },
        { seqs: [8], stopped: undefined },
      ]);
      // Backwards, the page before a page without records is found as well.
      const { body } = await api.get(`/api/deliveries?page_token=${previous}`);
      expect([seqsOf(body), body.stopped_at?.seq]).toEqual([[], 508]);
      const again = await api.get(`/api/deliveries?page_token=${body.pagination.next_page_token}`);
      expect(seqsOf(again.body)).toEqual([8]);
      const other = await api.get(`/api/deliveries?q=other&page_token=${body.pagination.next_page_token}`);
      expect([other.status, other.body.message]).toEqual([400, expect.stringContaining('another q')]);
    });

    it('continues after a page although it has grown since', async () => {
      await using api = await openLog();
      const { body: first } = await api.get('/api/deliveries?count=5');
      await ingestBodies(api.store, [contactDelivery({ id: 'two', version: 0 })]);
      const { body: second } = await api.get(`/api/deliveries?page_token=${first.pagination.next_page_token}`);
      expect(seqsOf(second)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
    });

    it('folds one entry again: nothing changes where nothing is wrong', async () => {
      await using api = await openLog();
      const { status, body } = await api.post('/api/deliveries/3/replay');
      expect([status, body.resource.seq, body.resource.replay]).toEqual([
        200,
        3,
        { changed: false, outcome_before: 'applied', outcome_after: 'applied' },
      ]);
      expect(api.heard.acted).toEqual(['replayDelivery']);
      expect((await api.post('/api/deliveries/99/replay')).status).toBe(404);
      expect(api.heard.acted).toEqual(['replayDelivery']);
    });

    it('folds one out of quarantine once it can be read: it moves to the end, and readers of the feed hear of it', async () => {
      await using api = await openLog();
      const kept = (await api.get('/api/deliveries/5')).body.resource as Line;
      // As an older version, which could not read them, would have left it and its neighbour.
      await api.store.db
        .updateTable('event_log')
        .set({ outcome: 'quarantined', reason: 'Then.' })
        .where('seq', 'in', [5, 6])
        .execute();
      const heard = api.tail.beyond(13, AbortSignal.timeout(10_000));
      const { body } = await api.post(`/api/deliveries/${kept.delivery_id}/replay`);
      expect(body.resource).toMatchObject({ seq: 14, delivery_id: kept.delivery_id, reason: null });
      expect(body.resource.replay).toEqual({
        changed: true,
        outcome_before: 'quarantined',
        outcome_after: 'superseded',
      });
      await heard;
      expect((await api.get('/api/deliveries/5')).status).toBe(404);
      expect((await api.get('/api/deliveries/6')).body.resource).toMatchObject({ outcome: 'quarantined' });
    });

    it('counts what could not be projected by reason', async () => {
      await using api = await openLog();
      const reasons = await readQuarantineReasons(api.context, 1_000);
      expect(reasons).toEqual([
        {
          outcome: 'unhandled',
          reason: 'This version does not know this kind of event. It is stored.',
          count: 2,
          newest_seq: 12,
        },
        { outcome: 'quarantined', reason: expect.any(String), count: 1, newest_seq: 13 },
      ]);
      expect((await readQuarantineReasons(api.context, 1)).map(({ count }) => count)).toEqual([1, 1]);
    });
  });

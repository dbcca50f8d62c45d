// The log, the quarantine and the subscriptions on the admin listener, on every store.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readQuarantineReasons } from '#src/api/deliveries/deliveries.ts';
import { readSubscriptions, writeSubscriptions, type KnownSubscription } from '#src/store/subscription-rows.ts';
import { runs } from '../../../harness/runs.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { ingestBodies, receivedAt, storeEngines } from '../../../harness/stores.ts';
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

for (const engine of storeEngines)
  describe.runIf(engine.available)(`the log on ${engine.name}`, () => {
    async function openLog() {
      const api = await openReadApi(engine.fresh);
      await ingestBodies(api.store, bodies);
      return api;
    }

    it('is listed newest first, without bodies', async () => {
      await using api = await openLog();
      const { status, body } = await api.get('/api/deliveries');
      expect([status, seqsOf(body)]).toEqual([200, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]]);
      expect(body.collection.at(-1)).toEqual({
        seq: 1,
        delivery_id: expect.stringMatching(/^[0-9a-f]{64}$/),
        source: 'webhook',
        event: 'contact.created',
        subject_uri: contactUri('one'),
        occurred_at: '2025-01-01T00:00:00.000000Z',
        received_at: expect.any(String),
        outcome: 'applied',
        reason: null,
        duplicates: 0,
        dismissed_at: null,
        redacted: false,
      });
    });

    it('comes with a sentence about each delivery on request', async () => {
      await using api = await openLog();
      const { body } = await api.get('/api/deliveries?include=sentence&count=5');
      expect(body.collection.map(({ sentence }: { sentence: string }) => sentence)).toEqual([
        'A delivery that could not be parsed',
        'A delivery of the unknown kind contact.merged',
        'A delivery of the unknown kind contact.merged',
        expect.stringMatching(/^Contact .+ was changed$/),
        expect.stringMatching(/^Contact .+ was changed$/),
      ]);
    });

    it('is found by what an operator remembers', async () => {
      await using api = await openLog();
      const found = async (query: string): Promise<number[]> =>
        seqsOf((await api.get(`/api/deliveries?${query}`)).body);
      expect(await found('event=contact.created')).toEqual([1]);
      expect(await found('event=contact.merged&outcome=unhandled')).toEqual([12, 11]);
      expect(await found('outcome=quarantined')).toEqual([13]);
      expect(await found('source=webhook&outcome=applied&count=2')).toEqual([10, 9]);
      expect(await found('source=backfill')).toEqual([]);
      expect(await found(`subject=${contactUri('a')}`)).toEqual([11]);
      expect(await found(`subject=${encodeURIComponent(`' or ''='`)}`)).toEqual([]);
    });

    it('is found by a beginning of the kind, a time, an offset, a text, and by an address of the person', async () => {
      await using api = await openLog();
      const found = async (query: string): Promise<number[]> =>
        seqsOf((await api.get(`/api/deliveries?${query}`)).body);
      // The kind of the last one could not be read.
      expect(await found('event=contact.*&count=3')).toEqual([12, 11, 10]);
      expect(await found('event=invitee.*')).toEqual([]);
      expect(await found('outcome=unprojected')).toEqual([13, 12, 11]);
      expect(await found('reason=not+JSON')).toEqual([13]);
      expect(await found('min_seq=4&max_seq=6')).toEqual([6, 5, 4]);
      expect(await found('q=NAME+ONE+7')).toEqual([8]);
      expect(await found('q=no+json')).toEqual([13]);
      expect(await found('q=%25')).toEqual([]);
      // All were received on the 14th at noon.
      for (const within of ['2025-04-14', '2025-04-14T12:00', '2025-04-14T14:00:00%2B02:00'])
        expect([within, (await found(`min_received_at=${within}&count=100`)).length]).toEqual([within, 13]);
      expect(await found('min_received_at=2025-04-14T12:01')).toEqual([]);
      expect(await found('max_received_at=2025-04-13')).toEqual([]);
      expect(await found('max_received_at=2025-04-14T12:00:00Z&outcome=quarantined')).toEqual([]);
      expect(await found('max_received_at=2025-04-14&outcome=quarantined')).toEqual([13]);
      expect(await found('max_received_at=2025-04-14T12:00:01&outcome=quarantined')).toEqual([13]);
      // The address that the contact has now leads to everything about it, in any letter case.
      expect(await found('address=V9@Example.test&count=100')).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
      expect(await found(`address=v9@example.test&subject=${contactUri('a')}`)).toEqual([]);
      expect(await found('address=v9@example.test&event=contact.created')).toEqual([1]);
      expect(await found('address=v1@example.test')).toEqual([]);
      for (const wrong of ['event=a*b', 'outcome=odd', 'min_received_at=soon', 'min_seq=0', 'q=', 'max_seq=1.5'])
        expect([wrong, (await api.get(`/api/deliveries?${wrong}`)).status]).toEqual([wrong, 400]);
    });

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

    it('is paged both ways: every entry once, whatever the size of a page, also while it grows', async () => {
      await using api = await openLog();
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 15 }), fc.constantFrom('', 'source=webhook&'), async (count, by) => {
          const pages: number[][] = [];
          let previous: string | null = null;
          for (let token: string | null = ''; token !== null;) {
            const at: string = token === '' ? `${by}count=${count}` : `count=${count}&page_token=${token}`;
            const { body } = await api.get(`/api/deliveries?${at}`);
            pages.push(seqsOf(body));
            token = body.pagination.next_page_token;
            previous = body.pagination.previous_page_token;
          }
          expect(pages.flat()).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
          for (const page of pages.slice(0, -1).toReversed()) {
            const { body } = await api.get(`/api/deliveries?count=${count}&page_token=${previous}`);
            expect(seqsOf(body)).toEqual(page);
            previous = body.pagination.previous_page_token;
          }
          expect(previous).toBeNull();
        }),
        runs(10),
      );
      const { body: first } = await api.get('/api/deliveries?count=5');
      await ingestBodies(api.store, [contactDelivery({ id: 'two', version: 0 })]);
      const { body: second } = await api.get(`/api/deliveries?page_token=${first.pagination.next_page_token}`);
      expect(seqsOf(second)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
    });

    it('shows one entry whole, by its identity or its place, and how to send it again', async () => {
      await using api = await openLog();
      const { body } = await api.get('/api/deliveries/2');
      expect(body.resource).toMatchObject({ seq: 2, body: bodies[1], encoding: null, problems: [] });
      expect((await api.get('/api/deliveries/13')).body.resource.problems).toEqual([{ path: [], message: 'not JSON' }]);
      expect(body.resource.changes.contacts.name).toEqual(['Name one 0', 'Name one 1']);
      expect(body.resource.resend).toContain('"$WEBHOOK_URL"');
      expect((await api.get(`/api/deliveries/${body.resource.delivery_id}`)).body).toEqual(body);
      for (const id of ['99', 'unknown', '0', '999999999999999', "'"])
        expect((await api.get(`/api/deliveries/${id}`)).status).toBe(404);
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

    it('keeps apart what could not be projected, with reasons and their numbers', async () => {
      await using api = await openLog();
      const found = async (query = ''): Promise<number[]> => seqsOf((await api.get(`/api/quarantine${query}`)).body);
      expect(await found()).toEqual([13, 12, 11]);
      expect(await found('?outcome=quarantined')).toEqual([13]);
      expect(await found('?event=contact.merged&count=1')).toEqual([12]);
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
      expect(await found(`?reason=${encodeURIComponent(reasons[0]?.reason ?? '')}`)).toEqual([12, 11]);
      expect((await api.get('/api/quarantine?outcome=applied')).status).toBe(400);
    });

    it('looks through a log of many entries for the few that no index knows', async () => {
      await using api = await openReadApi(engine.fresh, { clock: () => 0 });
      const many = Array.from({ length: 300 }, (_, version) => contactDelivery({ id: 'x', version }));
      await ingestBodies(api.store, many);
      // The places between them are empty, as after many moves.
      await api.store.db.updateTable('event_log').set({ seq: 35_000 }).where('seq', '=', 300).execute();
      await api.store.db
        .updateTable('event_log')
        .set({ outcome: 'tombstoned' })
        .where('seq', 'in', [1, 35_000])
        .execute();
      const { body } = await api.get('/api/deliveries?outcome=tombstoned&count=1');
      expect(seqsOf(body)).toEqual([35_000]);
      const { body: next } = await api.get(`/api/deliveries?count=1&page_token=${body.pagination.next_page_token}`);
      expect([seqsOf(next), next.pagination.next_page_token]).toEqual([[1], null]);
      const { body: back } = await api.get(`/api/deliveries?count=1&page_token=${next.pagination.previous_page_token}`);
      expect(seqsOf(back)).toEqual([35_000]);
    });
  });

const subscription = (place: number): KnownSubscription => ({
  uri: `https://service.example.com/webhook_subscriptions/${place}`,
  callback_url: `https://hooks.example.com/webhooks?s=${place}`,
  state: 'active',
  events: ['contact.created', 'invitee.created'],
  scope: 'user',
  organization: 'https://service.example.com/organizations/1',
  user: 'https://service.example.com/users/1',
  group: null,
  creator: null,
  retry_started_at: null,
  created_at: '2025-03-02T01:00:00.000001Z',
  updated_at: '2025-03-02T02:00:00.000001Z',
  checked_at: '2025-03-02T03:00:00.000001Z',
});

for (const engine of storeEngines)
  describe.runIf(engine.available)(`the subscriptions on ${engine.name}`, () => {
    it('are listed as they were last seen, and paged both ways', async () => {
      await using api = await openReadApi(engine.fresh);
      await writeSubscriptions(api.store, { seen: [3, 1, 2].map(subscription), deleted: [] });
      const { body } = await api.get('/api/subscriptions?count=2');
      expect(body.collection).toEqual([subscription(1), subscription(2)]);
      const { body: next } = await api.get(`/api/subscriptions?page_token=${body.pagination.next_page_token}`);
      expect(next.collection).toEqual([subscription(3)]);
      expect(next.pagination.next_page_token).toBeNull();
      const { body: back } = await api.get(
        `/api/subscriptions?count=2&page_token=${next.pagination.previous_page_token}`,
      );
      expect(back.collection).toEqual(body.collection);
      expect(await readSubscriptions(api.store)).toHaveLength(3);
    });
  });

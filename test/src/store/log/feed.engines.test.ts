// The feed on each engine: its pages, its filters, its long poll, and the consumers it remembers.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createReadApi } from '#src/api/operations.ts';
import { feedEntry } from '#src/feed/entry.ts';
import { openTail, type Tail } from '#src/feed/tail.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { readingWithin } from '#src/store/reading/reading.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { openedAnew } from '../../../harness/opened.ts';
import { ingestBodies, receivedAt, oneEngine, availableEngines } from '../../../harness/stores.ts';

const base = 'https://api.example.test';
const contact = (n: number) => `${base}/contacts/${n}`;
const delivery = (event: string, payload: object, second = 10) =>
  JSON.stringify({ event, created_at: `2025-04-14T11:43:${second}Z`, payload });
const named = (n: number, name: string) => delivery('contact.updated', { uri: contact(n), name });
const screen = privacyScreen({ eraseOnDelete: true });

interface Entry {
  readonly seq: number;
  readonly event: string | null;
  readonly subject_uri: string | null;
  readonly outcome: string;
  readonly changes: unknown;
  readonly payload: unknown;
}
interface Page {
  readonly collection: readonly Entry[];
  readonly pagination: { readonly next_after: number };
}

for (const engine of availableEngines)
  describe(`the feed on ${engine.name}`, () => {
    const opened = openedAnew(engine.fresh);
    let tail: Tail;
    let api: ReturnType<typeof createReadApi>;
    beforeEach(async () => {
      const { store } = opened;
      tail = openTail({ lastSeq: () => lastSeq(store), everyMs: 5 });
      const report = (error: unknown) => {
        throw error;
      };
      api = createReadApi({
        store,
        reading: readingWithin(store),
        tail,
        screen,
        clock: () => Date.parse(receivedAt),
        secret: 's'.repeat(24),
        report,
      });
    });
    afterEach(() => tail.close());
    const ask = async (path: string, init?: RequestInit) => api.request(path, init);
    const page = async (query = '', init?: RequestInit): Promise<Page> => {
      const answer = await ask(`/api/feed${query}`, init);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
      return (await answer.json()) as Page;
    };
    const seqs = ({ collection }: Page) => collection.map(({ seq }) => seq);
    const refusal = async (answer: Response) => {
      const { details } = (await answer.json()) as { details: { parameter?: string; message: string }[] };
      return [answer.status, details[0]?.parameter, details[0]?.message];
    };
    const post = (name: string, body: object) =>
      ask(`/api/feed/consumers/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });

    it('tells each entry whole, with its payload as it was sent and what it changed', async () => {
      await ingestBodies(opened.store, [named(1, 'Ada'), named(1, 'Ada Lovelace'), 'not JSON at all']);
      const { collection, pagination } = await page();
      const unread = { event: null, subject_uri: null, occurred_at: null };
      expect(collection).toMatchObject([
        {
          seq: 1,
          event: 'contact.updated',
          source: 'webhook',
          subject_uri: contact(1),
          occurred_at: '2025-04-14T11:43:10.000000Z',
          received_at: receivedAt,
          outcome: 'applied',
          payload: { uri: contact(1), name: 'Ada' },
        },
        { seq: 2, payload: { uri: contact(1), name: 'Ada Lovelace' } },
        { seq: 3, outcome: 'quarantined', changes: null, payload: null, ...unread },
      ]);
      expect(collection[0]?.changes).toEqual({ contacts: {} });
      for (const entry of collection) expect(feedEntry.parse(entry)).toEqual(entry);
      expect(pagination).toEqual({ next_after: 3 });
    });

    it('keeps a page small when its entries are large, and loses none of them', async () => {
      const large = 'x'.repeat(400_000);
      for (let n = 0; n < 20; n += 1) await ingestBodies(opened.store, [named(n, large)]);
      const first = await page('?limit=1000');
      expect(first.collection.length).toBeLessThan(20);
      const seen = seqs(first);
      for (let after = first.pagination.next_after; seen.length < 20;) {
        const next = await page(`?limit=1000&after=${after}`);
        seen.push(...seqs(next));
        after = next.pagination.next_after;
      }
      expect(seen).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    });

    it('filters by event, by how events begin, by subject and by outcome, and moves past what it leaves out', async () => {
      await ingestBodies(opened.store, [
        named(1, 'Ada'),
        named(2, 'Bob'),
        delivery('invitee.created', {
          uri: `${base}/scheduled_events/1/invitees/1`,
          event: `${base}/scheduled_events/1`,
        }),
        delivery('contactXupdated', { uri: contact(3) }),
        delivery('Contact.Updated', { uri: contact(3) }),
        'nonsense',
      ]);
      await ingestBodies(opened.store, [named(1, 'Ada'), named(1, 'Eve')]);
      const found = async (query: string) => {
        const { collection, pagination } = await page(query);
        return [collection.map(({ seq }) => seq), pagination.next_after];
      };
      expect(await found('?event=contact.updated')).toEqual([[1, 2, 7], 7]);
      expect(await found('?event=invitee.created,contactXupdated*')).toEqual([[3, 4], 7]);
      expect(await found('?event=contact.*')).toEqual([[1, 2, 7], 7]);
      expect(await found('?event=invitee.*,Contact.Updated')).toEqual([[3, 5], 7]);
      expect(await found('?event=*')).toEqual([[1, 2, 3, 4, 5, 6, 7], 7]);
      expect(await found(`?subject=${contact(1)}`)).toEqual([[1, 7], 7]);
      expect(await found(`?subject=${contact(3)}&event=contactX*`)).toEqual([[4], 7]);
      expect(await found('?outcome=unhandled,quarantined')).toEqual([[4, 5, 6], 7]);
      expect(await found('?event=contact.*&limit=2')).toEqual([[1, 2], 2]);
      expect(await found('?event=nothing.*&after=3')).toEqual([[], 7]);
    });

    it('finds the few among the many, however far apart they stand', async () => {
      const places = [3, 4_999, 5_000, 5_001, 10_001, 10_002, 40_000];
      const subject_uri = contact(1);
      const entry = { source: 'webhook', received_at: receivedAt, outcome: 'applied', tie: '', subject_uri };
      await opened.store.db
        .insertInto('event_log')
        .values(places.map((seq) => ({ ...entry, seq, delivery_id: `d${seq}`, event: `of.${seq % 2}` })) as never)
        .execute();
      for (const [event, wanted] of [
        ['of.0', [5_000, 10_002, 40_000]],
        ['of.1', [3, 4_999, 5_001, 10_001]],
        ['of.*', places],
        ['none.at_all', []],
      ] as const)
        for (const limit of [1, 2, 100]) {
          const seen: number[] = [];
          let after = 0;
          for (let next = await page(`?event=${event}&limit=${limit}`); next.collection.length > 0;) {
            seen.push(...seqs(next));
            after = next.pagination.next_after;
            next = await page(`?event=${event}&limit=${limit}&after=${after}`);
          }
          expect(seen).toEqual(wanted);
        }
      expect((await page('?event=none.at_all')).pagination.next_after).toBe(40_000);
    });

    // How the operation answers, waits and remembers does not depend on the engine.
    if (!oneEngine.some(({ name }) => name === engine.name)) return;

    it('says only that something happened where nothing is to be included', async () => {
      await ingestBodies(opened.store, [named(1, 'Ada'), 'not JSON at all']);
      const whole = await page();
      const bare = await page('?include=none');
      const left = { changes: null, payload: null };
      expect(bare).toEqual({ ...whole, collection: whole.collection.map((entry) => ({ ...entry, ...left })) });
      expect(await page('?include=none&event=contact.*')).toMatchObject({ collection: [{ seq: 1, ...left }] });
      expect(await page()).toEqual(whole);
    });

    it('refuses what cannot be, and says what would be right', async () => {
      const refused = [
        ['?after=-1', 'after'],
        ['?after=1e3', 'after'],
        ['?limit=0', 'limit'],
        ['?limit=1001', 'limit'],
        ['?wait=61', 'wait'],
        ['?event=', 'event'],
        ['?event=a,,b', 'event'],
        ['?event=con*act', 'event'],
        ['?event=contact', 'event'],
        ['?event=contact.created,invitee', 'event'],
        ['?outcome=fine', 'outcome'],
        ['?consumer=export:contacts', 'consumer'],
        ['?consumer=a%20b', 'consumer'],
        ['?consumer=warehouse&after=0', 'after'],
        ['?after=1', 'after'],
        ['/stream?after=1', 'after'],
        ['/stream?consumer=warehouse&after=0', 'after'],
      ] as const;
      for (const [query, parameter] of refused) {
        const [status, about, message] = await refusal(await ask(`/api/feed${query}`));
        expect([query, status, String(about).split('.')[0]]).toEqual([query, 400, parameter]);
        expect(message).not.toBe('');
      }
      for (const query of ['?since=1', '?after=0&after=0']) expect((await ask(`/api/feed${query}`)).status).toBe(400);
      expect((await ask('/api/feed/stream', { headers: { 'last-event-id': 'seven' } })).status).toBe(400);
    });

    it('waits at the end for what passes the filter, and not for what does not', async () => {
      await ingestBodies(opened.store, [named(1, 'Ada')]);
      const waiting = page('?after=1&wait=30&event=contact.deleted');
      await ingestBodies(opened.store, [named(1, 'Eve')]);
      await ingestBodies(opened.store, [delivery('contact.deleted', { uri: contact(2) }, 20)]);
      expect(await waiting).toMatchObject({ collection: [{ seq: 3 }], pagination: { next_after: 3 } });
    });

    it('answers a waiting client when the wait is over, when it disconnects, and when the process stops', async () => {
      expect(await page('?wait=1')).toEqual({ collection: [], pagination: { next_after: 0 } });
      const going = new AbortController();
      const gone = ask('/api/feed?wait=60', { signal: going.signal });
      going.abort();
      expect((await gone).status).toBe(200);
      const waiting = page('?wait=60');
      tail.close();
      expect((await waiting).collection).toEqual([]);
    });

    it('takes acknowledgements forward only, never beyond the end, and goes back when asked to', async () => {
      await ingestBodies(opened.store, [named(1, 'Ada'), named(2, 'Bob')]);
      const positionAfter = async (body: object) => {
        const answer = await post('warehouse', body);
        expect(answer.status).toBe(200);
        return ((await answer.json()) as { resource: { position: number } }).resource.position;
      };
      const refused = async (body: object) => refusal(await post('warehouse', body));
      expect(await refused({ rewind_to: 0 })).toEqual([404, 'name', 'There is no consumer of this name.']);
      expect(await positionAfter({ acknowledged: 2 })).toBe(2);
      expect(await positionAfter({ acknowledged: 1 })).toBe(2);
      expect(await refused({ acknowledged: 3 })).toEqual([400, 'acknowledged', 'the log ends at 2']);
      expect(await refused({ rewind_to: 3 })).toEqual([400, 'rewind_to', 'the offset of the consumer is 2']);
      expect(await positionAfter({ rewind_to: 1 })).toBe(1);
      for (const body of [{}, { acknowledged: -1 }, { acknowledged: 1, rewind_to: 1 }, { acknowledged: '1' }])
        expect((await post('warehouse', body)).status).toBe(400);
      expect((await post('sink:webhook', { acknowledged: 1 })).status).toBe(400);
    });

    it('remembers how far each consumer has come, lists them with how far they are behind, and forgets one when asked to', async () => {
      await ingestBodies(opened.store, [named(1, 'Ada'), named(2, 'Bob')]);
      await post('b', { acknowledged: 2 });
      await post('a', { acknowledged: 1 });
      for (const _again of [1, 2]) expect(seqs(await page('?consumer=a'))).toEqual([2]);
      expect(seqs(await page('?consumer=another'))).toEqual([1, 2]);
      const list = async () => (await (await ask('/api/feed/consumers')).json()) as unknown;
      expect(await list()).toEqual({
        collection: [
          { name: 'a', position: 1, behind: 1, updated_at: receivedAt },
          { name: 'b', position: 2, behind: 0, updated_at: receivedAt },
        ],
      });
      expect((await ask('/api/feed/consumers/a', { method: 'DELETE' })).status).toBe(204);
      expect((await ask('/api/feed/consumers/a', { method: 'DELETE' })).status).toBe(404);
      expect(await list()).toMatchObject({ collection: [{ name: 'b' }] });
    });
  });

// The feed as CloudEvents, read as http-feeds.org describes it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloudEventBatch, eventSourceOf } from '#src/feed/cloud-event.ts';
import { erase } from '#workers/fold/privacy/erase.ts';
import { targetOf } from '#workers/fold/privacy/target.ts';
import { flawsOf } from '../../harness/data/cloudevents-schema.ts';
import { bearer } from '../../harness/mirror/api-app.ts';
import { openReadApi } from '../../harness/mirror/read-api.ts';
import { openedAnew } from '../../harness/opened.ts';
import { runs } from '../../harness/runs.ts';
import { ingestRead, emptyTables, ingestBodies, receivedAt, rowsOf, oneEngine } from '../../harness/stores.ts';

const base = 'https://api.example.test';
const contact = (n: number) => `${base}/contacts/${n}`;
const eventType = `${base}/event_types/1`;
const delivery = (event: string, payload: object, second = 10) =>
  JSON.stringify({ event, created_at: `2025-04-14T11:43:${second}Z`, payload });
const named = (n: number, name: string, second?: number) =>
  delivery('contact.updated', { uri: contact(n), name, emails: [{ email: `${name}@example.test` }] }, second);

interface Event {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject?: string;
  readonly method?: string;
  readonly data?: {
    readonly seq: number;
    readonly row?: Readonly<Record<string, { readonly uri: string; readonly name: string } | null>> | null;
  };
}
const batch = 'application/cloudevents-batch+json';

for (const engine of oneEngine)
  describe.runIf(engine.available)(`the feed as CloudEvents on ${engine.name}`, () => {
    async function open() {
      const api = await openReadApi(engine.fresh);
      const ask = (query: string, accept = batch) =>
        api.admin.ask(`/api/feed${query}`, { headers: { ...bearer, accept } });
      const events = async (query = ''): Promise<readonly Event[]> => {
        const answer = await ask(query);
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, batch]);
        return (await answer.json()) as readonly Event[];
      };
      /** As a client of http-feeds: from the last event it has to the end. */
      const readOn = async (last = 'null'): Promise<readonly Event[]> => {
        const page = await events(`?limit=2&lastEventId=${last}`);
        return page.length === 0 ? [] : [...page, ...(await readOn(page.at(-1)?.id))];
      };
      return { ...api, ask, events, readOn };
    }
    const api = openedAnew(open);

    it('is valid for every kind of entry, in the order of the log, with the entry as its data', async () => {
      await ingestBodies(api.store, [
        named(1, 'ada'),
        'not JSON',
        delivery('line\nbreak.event', { uri: contact(3) }),
        delivery('contact.merged', { uri: contact(2) }),
      ]);
      const records = [{ kind: 'contact' as const, record: { uri: contact(4), name: 'Eve' }, observed: receivedAt }];
      await ingestRead(api.store, records);
      const found = await api.events('?include=row');
      expect(found.flatMap(flawsOf)).toEqual([]);
      expect(cloudEventBatch.parse(found)).toEqual(found);
      expect(found.map(({ type }) => type)).toEqual([
        'io.slotstream.contact.updated',
        'io.slotstream.entry',
        'io.slotstream.entry',
        'io.slotstream.contact.merged',
        'io.slotstream.contact.read',
      ]);
      const source = eventSourceOf(api.store);
      expect(source).toMatch(/^urn:uuid:[0-9a-f-]{36}$/);
      expect(found[0]).toEqual({
        specversion: '1.0',
        id: 'feed_1_20250414120000000000',
        source,
        type: 'io.slotstream.contact.updated',
        time: receivedAt,
        subject: contact(1),
        datacontenttype: 'application/json',
        data: (await api.get('/api/feed?include=row')).body.collection[0],
      });
      expect(new Set(found.map((event) => event.source))).toEqual(new Set([source]));
      expect(found[1]).not.toHaveProperty('subject');
    });

    it('is answered to who asks for it; JSON is preferred to nothing, a wildcard or less', async () => {
      const typeFor = async (accept: string) => {
        const { status, headers } = await api.ask('', accept);
        expect([status, headers.get('vary')]).toEqual([200, 'Accept']);
        return headers.get('content-type');
      };
      for (const accept of [batch, batch.toUpperCase(), `${batch}, */*;q=0.1`, `text/html, ${batch};q=0.2`])
        expect([accept, await typeFor(accept)]).toEqual([accept, batch]);
      for (const accept of [
        '*/*',
        'application/*',
        'application/json',
        'text/html',
        'application/cloudevents+json',
        `application/json, ${batch};q=0.9`,
        `*/*, ${batch};q=0.5`,
        `${batch};q=0, */*`,
      ])
        expect([accept, await typeFor(accept)]).toEqual([accept, 'application/json']);
      expect((await api.get('/api/feed')).body).toEqual({ collection: [], pagination: { next_after: 0 } });
    });

    it('is read from the last event to the end, where the answer is an empty array', async () => {
      expect(await api.readOn()).toEqual([]);
      await ingestBodies(api.store, [named(1, 'a'), named(2, 'b'), named(3, 'c')]);
      const first = await api.readOn();
      expect(first.map(({ data }) => data?.seq)).toEqual([1, 2, 3]);
      expect(await api.readOn('')).toEqual(first);
      expect(await api.readOn(first.at(-1)?.id)).toEqual([]);
      expect(await api.events('?after=2')).toEqual(first.slice(2));
      expect(await api.events(`?event=contact.deleted&lastEventId=${first[0]?.id}`)).toEqual([]);
      await api.post('/api/feed/consumers/bi', { acknowledged: 1 });
      expect(await api.events('?consumer=bi')).toEqual(first.slice(1));
    });

    it('refuses an ID that is not of this log, and two positions at once', async () => {
      await ingestBodies(api.store, [named(1, 'a')]);
      const problem = async (query: string) => {
        const answer = await api.ask(query);
        const { details } = (await answer.json()) as { details: { parameter: string; message: string }[] };
        return [answer.status, details[0]?.parameter, details[0]?.message];
      };
      const one = 'lastEventId=feed_1_20250414120000000000';
      const twice = 'it means the same as `after`: leave out one of the two';
      for (const [query, message] of [
        ['lastEventId=feed_1_20250414120000000001', 'the event is not of this log'],
        ['lastEventId=feed_2_20250414120000000000', 'the log ends at 1'],
        ['lastEventId=1', 'the id of an event of this feed'],
        [`${one}&after=0`, twice],
        [`${one}&consumer=bi`, expect.any(String)],
      ] as const)
        expect(await problem(`?${query}`)).toEqual([400, 'lastEventId', message]);
      expect((await problem('?timeout=soon')).slice(0, 2)).toEqual([400, 'timeout']);
    });

    it('waits at the end for as many milliseconds as `timeout` allows', async () => {
      expect(await api.events('?timeout=1')).toEqual([]);
      const waiting = api.events('?timeout=99999999');
      await ingestBodies(api.store, [named(1, 'a')]);
      expect(await waiting).toHaveLength(1);
    });

    it('has the same ID however often it is read, and a new one when the entry moves to the end', async () => {
      await ingestBodies(api.store, [named(1, 'a'), named(2, 'b'), named(3, 'c')]);
      await api.post('/api/deliveries/1/replay');
      const before = await api.readOn();
      // As an older version, which could not read it, would have left it.
      await api.store.db
        .updateTable('event_log')
        .set({ outcome: 'quarantined', reason: 'Then.' })
        .where('seq', '=', 1)
        .execute();
      await api.post('/api/deliveries/1/replay');
      const after = await api.readOn();
      const ids = (events: readonly Event[]) => events.map(({ id }) => id);
      expect(ids(after).slice(0, 2)).toEqual(ids(before).slice(1));
      expect(after.at(-1)).toMatchObject({ id: 'feed_4_20250414120000000000', subject: contact(1) });
      // A reader that is at the end gets the moved entry, and the ID of the empty position is still one to continue from.
      expect(ids(await api.readOn(before.at(-1)?.id))).toEqual(ids(after).slice(2));
      expect(ids(await api.readOn(before[0]?.id))).toEqual(ids(after));
    });

    it('names deleted and erased subjects as such, without data; what arrives late does not bring them back', async () => {
      await ingestBodies(api.store, [
        named(1, 'canary'),
        delivery('contact.deleted', { uri: contact(1), name: 'canary' }, 20),
        named(1, 'canary', 15),
        named(2, 'dove'),
        delivery('event_type.updated', { uri: eventType, name: 'Intro', deleted_at: '2025-04-14T11:00:00Z' }),
        delivery('person.erased', { uri: contact(3) }),
        delivery('contact.deleted', { uri: 'no URI' }),
      ]);
      await erase({ store: api.store, newKey: () => 'k'.repeat(64) }, targetOf('dove@example.test'), {
        now: '2025-04-14T12:00:01.000000Z',
      });
      const found = await api.readOn();
      expect(found.flatMap(flawsOf)).toEqual([]);
      expect(JSON.stringify(found)).not.toMatch(/canary|dove/i);
      const deletions = found.filter(({ method }) => method === 'DELETE');
      expect(deletions.map(({ type, subject }) => [type, subject])).toEqual([
        ['io.slotstream.contact.deleted', contact(1)],
        ['io.slotstream.contact.updated', contact(1)],
        ['io.slotstream.event_type.updated', eventType],
        ['io.slotstream.person.erased', contact(2)],
      ]);
      for (const event of deletions) expect(Object.keys(event)).not.toContain('data');
    });

    it('leads a client that knows only rows and `DELETE` to the rows of the mirror, in any order of deliveries', async () => {
      const sent = [
        ...[1, 2, 3].flatMap((n) => [named(n, `first${n}`, 11), named(n, `second${n}`, 12)]),
        delivery('contact.deleted', { uri: contact(1) }, 13),
        delivery('event_type.updated', { uri: eventType, name: 'Intro', deleted_at: null }, 11),
        delivery('event_type.updated', { uri: eventType, name: 'Intro', deleted_at: '2025-04-14T11:00:00Z' }, 12),
      ];
      const order = fc.shuffledSubarray(sent, { minLength: sent.length });
      await fc.assert(
        fc.asyncProperty(order, fc.nat({ max: sent.length }), async (deliveries, erasedAfter) => {
          await emptyTables(api.store);
          const copy = new Map<string, unknown>();
          let last: string | undefined;
          for (const [index, body] of deliveries.entries()) {
            await ingestBodies(api.store, [body]);
            if (index === erasedAfter)
              await erase({ store: api.store, newKey: () => 'k'.repeat(64) }, targetOf('second2@example.test'), {
                now: '2025-04-14T12:00:01.000000Z',
              });
            for (const event of await api.events(`?include=row&lastEventId=${last ?? 'null'}`)) {
              last = event.id;
              if (event.method === 'DELETE') copy.delete(event.subject ?? '');
              else for (const row of Object.values(event.data?.row ?? {})) if (row) copy.set(row.uri, row.name);
            }
          }
          const rows = [...(await rowsOf(api.store, 'contacts')), ...(await rowsOf(api.store, 'event_types'))];
          const present = rows.filter((row) => (row['deleted_at'] ?? null) === null);
          expect(copy).toEqual(new Map(present.map((row) => [row['uri'], row['name']])));
          expect([...copy.keys()]).not.toContain(contact(1));
        }),
        runs(10),
      );
    });
  });

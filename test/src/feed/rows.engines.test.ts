// The feed with the rows after the change: what an entry carries, and that a consumer which copies the rows ends with the same tables.
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { readFeed } from '#src/feed/entry.ts';
import type { Store } from '#src/store/contract.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { erase } from '#workers/fold/privacy/erase.ts';
import { targetOf } from '#workers/fold/privacy/target.ts';
import { mirrorTables } from '#workers/fold/projections/contract.ts';
import { openedOnce } from '../../harness/opened.ts';
import { ingestObservations, mixedHistory } from '../../harness/data/api-reads.ts';
import { cut, history, reordered } from '../../harness/data/delivery-histories.ts';
import { uris } from '../../harness/data/payloads.ts';
import { canaryAddress, withPlantedAddress } from '../../harness/data/planted-addresses.ts';
import { openReadApi } from '../../harness/mirror/read-api.ts';
import { propertyTimeoutMs, runs } from '../../harness/runs.ts';
import {
  availableEngines,
  comparable,
  describedRowsOf,
  emptyTables,
  freshMemory,
  ingestBodies,
  storeEngines,
  type Contents,
} from '../../harness/stores.ts';

interface Entry {
  readonly seq: number;
  readonly event: string | null;
  readonly subject_uri: string | null;
  readonly row: Readonly<Record<string, StoredRow | null>> | null;
}

const base = 'https://api.example.test';
const contact = `${base}/contacts/1`;
const delivery = (event: string, payload: object, second = 10) =>
  JSON.stringify({ event, created_at: `2025-04-14T11:43:${second}Z`, payload });

async function entriesAfter(store: Store, after: number, limit = 7): Promise<Entry[]> {
  const { entries } = await readFeed(store, {}, { after, limit, include: 'row' });
  return entries.map(({ text }) => JSON.parse(text) as Entry);
}

for (const engine of storeEngines)
  describe.runIf(engine.available)(`the feed with rows on ${engine.name}`, () => {
    const opened = openedOnce(engine.fresh);
    beforeEach(() => emptyTables(opened.store));

    it('has the row as it is now, by table; null in place of a deleted row, and where no row changes', async () => {
      const { store } = opened;
      const times = (second: number) => ({ updated_at: `2025-04-14T11:43:${second}.000000Z` });
      await ingestBodies(store, [
        delivery('contact.created', { uri: contact, name: 'Ada', emails: [], ...times(11) }, 11),
        delivery('contact.updated', { uri: contact, name: 'Ada Byron', ...times(12) }, 12),
        delivery('contact.merged', { uri: contact }),
        'no JSON',
      ]);
      const [first, second, unknown, unreadable] = await entriesAfter(store, 0);
      expect(first?.row).toEqual({
        contacts: expect.objectContaining({ uri: contact, name: 'Ada Byron', emails: [] }),
      });
      expect(second?.row).toEqual(first?.row);
      expect(Object.keys(first?.row?.['contacts'] ?? {})).not.toContain('version');
      expect([unknown?.row, unreadable?.row]).toEqual([null, null]);
      await ingestBodies(store, [
        delivery('contact.deleted', { uri: contact, deleted_at: '2025-04-14T11:44:00Z' }, 13),
      ]);
      expect((await entriesAfter(store, 0)).map(({ event, row }) => [event, row])).toEqual([
        ['contact.created', { contacts: null }],
        ['contact.updated', { contacts: null }],
        ['contact.merged', null],
        [null, null],
        ['contact.deleted', { contacts: null }],
      ]);
    });

    it('has the row of the meeting beside that of the invitee, also when the content of the entry was pruned', async () => {
      const { store } = opened;
      const [uri, event] = [`${base}/invitees/1`, `${base}/scheduled_events/1`];
      const scheduled_event = { uri: event, name: 'Intro', status: 'active' };
      await ingestBodies(store, [delivery('invitee.created', { uri, name: 'Ada', event, scheduled_event })]);
      const row = {
        invitees: expect.objectContaining({ uri, event_uri: event }),
        scheduled_events: expect.objectContaining({ uri: event, name: 'Intro' }),
      };
      expect(await entriesAfter(store, 0)).toMatchObject([{ row }]);
      await store.db.updateTable('event_log').set({ body: null }).execute();
      expect(await entriesAfter(store, 0)).toMatchObject([{ payload: null, row }]);
    });
  });

it('the feed with rows comes over HTTP as pages and as a stream, at most a hundred entries at a time', async () => {
  await using api = await openReadApi(freshMemory);
  await ingestBodies(
    api.store,
    Array.from({ length: 120 }, (_, n) => delivery('contact.created', { uri: `${contact}${n}`, name: `Name ${n}` })),
  );
  const { status, body } = await api.get('/api/feed?include=row&limit=1000');
  expect([status, body.collection.length, body.pagination.next_after]).toEqual([200, 100, 100]);
  expect(body.collection[99].row).toMatchObject({ contacts: { uri: `${contact}99`, name: 'Name 99' } });
  expect((await api.get('/api/feed')).body.collection[0]).not.toHaveProperty('row');
  expect(await api.get('/api/feed?include=rows')).toMatchObject({ status: 400 });
  const { body: stream } = await api.fetch('/api/feed/stream?include=row&after=119');
  const reader = stream?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toContain(`"row":{"contacts":{"uri":"${contact}119"`);
  await reader?.cancel();
});

const lives = withPlantedAddress(fc.oneof(history(10), mixedHistory(8))).chain((observations) =>
  fc.record({
    batches: reordered(observations)
      .chain(cut)
      .chain((batches) =>
        fc.tuple(
          ...batches.map((batch) => fc.record({ batch: fc.constant(batch), reads: fc.boolean(), erases: fc.nat(4) })),
        ),
      ),
    eraseOnDelete: fc.boolean(),
    whom: fc.constantFrom(canaryAddress, ...uris.contacts, ...uris.invitees, ...uris.users),
  }),
);

/** A consumer: copies rows, and removes those that are null. */
function openCopy(store: Store) {
  const rows = new Map<string, StoredRow>();
  let after = 0;
  return {
    async read() {
      for (
        let entries = await entriesAfter(store, after);
        entries.length > 0;
        entries = await entriesAfter(store, after)
      ) {
        for (const { seq, subject_uri, row } of entries) {
          after = seq;
          for (const [table, values] of Object.entries(row ?? {}))
            if (values === null) rows.delete(`${table} ${subject_uri}`);
            else rows.set(`${table} ${String(values['uri'])}`, values);
        }
      }
    },
    contents: (): Contents =>
      comparable(
        Object.fromEntries(
          mirrorTables.map((table) => [
            table,
            [...rows].filter(([key]) => key.startsWith(`${table} `)).map(([, row]) => row),
          ]),
        ),
      ),
  };
}

async function tablesOf(store: Store): Promise<Contents> {
  const contents: Contents = {};
  for (const table of mirrorTables)
    contents[table] = (await describedRowsOf(store, table))
      .filter(({ deleted_at = null }) => deleted_at === null)
      .map(({ as_of: _as_of, version: _version, lagging: _lagging, no_show_facts: _facts, ...row }) => row);
  return comparable(contents);
}

describe.each(availableEngines)('a consumer that copies the rows of the feed on $name', ({ name, fresh }) => {
  const opened = openedOnce(fresh);

  it('ends with the same tables, whenever it reads', { timeout: propertyTimeoutMs }, async () => {
    const { store } = opened;
    await fc.assert(
      fc.asyncProperty(lives, async ({ batches, eraseOnDelete, whom }) => {
        await emptyTables(store);
        const copy = openCopy(store);
        for (const [index, { batch, reads, erases }] of batches.entries()) {
          await ingestObservations(store, batch, eraseOnDelete);
          if (reads) await copy.read();
          const now = `2026-01-01T00:00:00.${String(100_000 + index)}Z`;
          if (erases === 0) await erase({ store, newKey: () => 'k'.repeat(64) }, targetOf(whom), { now });
        }
        await copy.read();
        expect(copy.contents()).toEqual(await tablesOf(store));
      }),
      runs(name === 'sqlite' ? 24 : 5),
    );
  });
});

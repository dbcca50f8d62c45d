// Meetings that invitees name: each has a row, whether or not anything describes it.
import { describe, expect } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { deleteRows, type StoredRow } from '#src/store/rows.ts';
import { prune } from '#workers/fold/retention/retention.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { replay } from '#workers/sync/replay.ts';
import { eraseFrom } from '../../../harness/erasures.ts';
import {
  emptyTables,
  ingestBodies,
  projectedRows,
  receivedAt,
  rowsOf,
  storeEngines,
  testWith,
} from '../../../harness/stores.ts';

const base = 'https://api.example.test';
const meeting = (n: number) => `${base}/scheduled_events/${n}`;
const invitee = (n: number) => `${meeting(1)}/invitees/${n}`;
const at = (minute: number) => `2025-04-14T11:${minute}:00.000000Z`;
const screen = privacyScreen({ eraseOnDelete: true });

/** A delivery about an invitee, who was last changed at this minute. */
const about = (n: number, minute: number, payload: object, event = 'invitee.created') =>
  JSON.stringify({
    event,
    created_at: at(minute),
    payload: { uri: invitee(n), email: `i${n}@example.test`, updated_at: at(minute), ...payload },
  });

const meetingsIn = async (store: Store): Promise<StoredRow[]> =>
  (await rowsOf(store, 'scheduled_events')).toSorted((a, b) => (String(a['uri']) < String(b['uri']) ? -1 : 1));
const namesIn = async (store: Store) => (await meetingsIn(store)).map(({ uri, name }) => [uri, name]);
const blankOf = (row: StoredRow | undefined) =>
  Object.fromEntries(Object.keys(row ?? {}).map((column) => [column, column === 'uri' ? row?.[column] : null]));

/** No value of theirs is stored elsewhere: a rebuild has nothing else to make them from. */
async function isReproduced(store: Store): Promise<void> {
  expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
}

const orders = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
  items.length < 2
    ? [items]
    : items.flatMap((item, index) => orders(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));

for (const engine of storeEngines)
  describe.runIf(engine.available)(`a meeting that an invitee names, on ${engine.name}`, () => {
    const it = testWith(engine.fresh);

    it('has a row of which only the URI is known, until something describes it, however old that is', async ({
      store,
    }) => {
      await ingestBodies(store, [about(1, 20, { event: meeting(1) })]);
      const [row] = await meetingsIn(store);
      expect(row).toEqual(blankOf(row));
      expect(row).toMatchObject({ uri: meeting(1), version: null, as_of: null });
      await isReproduced(store);
      await ingestBodies(store, [about(2, 10, { scheduled_event: { uri: meeting(1), name: 'Talk' } })]);
      expect(await meetingsIn(store)).toMatchObject([{ name: 'Talk', version: expect.any(String), as_of: at(10) }]);
      await ingestBodies(store, [about(3, 30, { event: meeting(1) })]);
      expect(await meetingsIn(store)).toMatchObject([{ name: 'Talk', as_of: at(10) }]);
      await isReproduced(store);
    });

    it('has a row also when a newer fact names another meeting, and the log calls the older one superseded', async ({
      store,
    }) => {
      await ingestBodies(store, [
        about(1, 20, { event: meeting(1), scheduled_event: { uri: meeting(1), name: 'Talk' } }),
      ]);
      const { entries } = await ingestBodies(store, [about(1, 10, { event: meeting(2) })]);
      expect(entries).toMatchObject([{ outcome: 'superseded', changes: null }]);
      expect(await namesIn(store)).toEqual([
        [meeting(1), 'Talk'],
        [meeting(2), null],
      ]);
      expect(await rowsOf(store, 'invitees')).toMatchObject([{ event_uri: meeting(1) }]);
      await isReproduced(store);
    });

    it('has a row for the meeting that is named and for another one that is embedded', async ({ store }) => {
      await ingestBodies(store, [
        about(1, 20, { event: meeting(1), scheduled_event: { uri: meeting(2), name: 'Talk' } }),
      ]);
      expect(await namesIn(store)).toEqual([
        [meeting(1), null],
        [meeting(2), 'Talk'],
      ]);
    });

    it('has the same row in every order of arrival, one by one and in one batch', async ({ store }) => {
      const facts = [
        about(1, 20, { event: meeting(1) }),
        about(1, 10, { event: meeting(2) }),
        about(2, 15, { event: meeting(1), scheduled_event: { uri: meeting(1), name: 'Talk', updated_at: at(15) } }),
        about(1, 30, { event: meeting(3), no_show: { uri: `${base}/invitee_no_shows/1` } }, 'invitee_no_show.created'),
      ];
      await ingestBodies(store, facts);
      const expected = await projectedRows(store);
      expect(await namesIn(store)).toEqual([
        [meeting(1), 'Talk'],
        [meeting(2), null],
        [meeting(3), null],
      ]);
      for (const order of orders(facts)) {
        await emptyTables(store);
        await ingestBodies(store, order);
        expect(await projectedRows(store)).toEqual(expected);
        await emptyTables(store);
        for (const body of order) await ingestBodies(store, [body]);
        expect(await projectedRows(store)).toEqual(expected);
      }
      expect(await replay({ store, screen }, {})).toMatchObject({ read: 4, changed: 0 });
      await isReproduced(store);
    });

    it('has one row for all who name it in a batch, which takes no statement for each', async ({ store }) => {
      const statementsOf = async (count: number) => {
        await emptyTables(store);
        const before = statements.length;
        await ingestBodies(
          counted,
          Array.from({ length: count }, (_, n) => about(n, 10, { event: meeting(n % 3) })),
        );
        return statements.slice(before);
      };
      const statements: string[] = [];
      const counted: Store = {
        ...store,
        transaction: (work) =>
          store.transaction((unit) =>
            work({
              ...unit,
              engine: {
                ...unit.engine,
                insert: (to, rows, insert) => {
                  statements.push(insert.id);
                  return unit.engine.insert(to, rows, insert);
                },
                run: (db, query) => {
                  statements.push(query.sql);
                  return unit.engine.run(db, query);
                },
              },
            }),
          ),
      };
      const few = await statementsOf(3);
      expect(few).toContain('add scheduled_events');
      expect(few.filter((text) => /^select .* from .*scheduled_events/s.test(text))).toHaveLength(1);
      expect((await statementsOf(30)).length).toBe(few.length);
      expect(await meetingsIn(store)).toHaveLength(3);
    });

    it('has a row that two workers make at once', async ({ opened, store }) => {
      const other = await opened.openAnother();
      for (let n = 0; n < 10; n += 1) {
        await Promise.all([
          ingestBodies(store, [about(2 * n, 10, { event: meeting(n) })]),
          ingestBodies(other, [
            about(2 * n + 1, 10, { event: meeting(n), scheduled_event: { uri: meeting(n), name: 'Talk' } }),
          ]),
        ]);
      }
      const rows = await meetingsIn(store);
      expect(rows.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, () => 'Talk'));
      await isReproduced(store);
    });

    it('gets its row back by a rebuild', async ({ store }) => {
      await ingestBodies(store, [about(1, 20, { event: meeting(1) }), about(1, 10, { event: meeting(2) })]);
      await store.transaction((unit) => deleteRows(unit, 'scheduled_events', 'uri', [meeting(1), meeting(2)]));
      expect(await rebuild({ store, screen })).toMatchObject({
        rowsDiffered: 2,
        tables: { scheduled_events: { missing: 2, extra: 0, different: 0 } },
      });
      expect(await meetingsIn(store)).toHaveLength(2);
    });

    it('keeps in the log what its row is made from, as long as nothing describes it', async ({ store }) => {
      const pruneAll = () =>
        prune(
          { store, sleep: async () => {}, nowMs: () => Date.parse(receivedAt) },
          { before: '2025-06-01T00:00:00.000000Z', signal: new AbortController().signal },
        );
      await ingestBodies(store, [about(1, 20, { event: meeting(1) }), about(1, 10, { event: meeting(2) })]);
      expect(await pruneAll()).toMatchObject({ examined: 2, pruned: 0 });
      await isReproduced(store);
      await ingestBodies(store, [about(2, 10, { scheduled_event: { uri: meeting(2), name: 'Talk' } })]);
      expect(await pruneAll()).toMatchObject({ pruned: 1 });
      await isReproduced(store);
      expect(await namesIn(store)).toEqual([
        [meeting(1), null],
        [meeting(2), 'Talk'],
      ]);
    });

    it('keeps its row when the invitee is erased, before the fact and after it', async ({ store }) => {
      await ingestBodies(store, [about(1, 20, { event: meeting(1) })]);
      await eraseFrom(store, 'i1@example.test', { now: at(50) });
      await ingestBodies(store, [about(1, 10, { event: meeting(2) })]);
      expect(await rowsOf(store, 'invitees')).toMatchObject([{ email: null, event_uri: meeting(1) }]);
      expect(await namesIn(store)).toEqual([
        [meeting(1), null],
        [meeting(2), null],
      ]);
      await isReproduced(store);
    });

    it('is none where the value is no URI: that is set aside', async ({ store }) => {
      const { entries } = await ingestBodies(store, [about(1, 20, { event: 'soon' }), about(2, 20, { event: '' })]);
      expect(entries).toMatchObject([
        { outcome: 'applied', reason: expect.stringContaining('event: expected an http(s) URI') },
        { outcome: 'applied' },
      ]);
      expect(await rowsOf(store, 'invitees')).toMatchObject([
        { event_uri: null, extra: { event: 'soon' } },
        { event_uri: null, extra: { event: '' } },
      ]);
      expect(await meetingsIn(store)).toEqual([]);
    });
  });

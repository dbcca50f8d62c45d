// Pages while rows change: a row that keeps its sort value is on exactly one page. And what makes them fast: the indexes behind each order.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Statement, Store } from '#src/store/contract.ts';
import { writeRows, type StoredRow } from '#src/store/rows.ts';
import { commonRelations, type Relation } from '#src/read/tables/relation.ts';
import { readRows, readSome } from '#src/read/tables/rows.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { availableEngines } from '../../../harness/stores.ts';

const uri = (n: number): string => `https://api.example.test/event_types/${n}`;
const day = (n: number): string => `2025-01-${String(1 + (n % 28)).padStart(2, '0')}T00:00:00.000000Z`;

/** Equal, missing and unique values; text by bytes. */
const orders = ['created_at', 'created_at.desc,name', 'name', 'name.desc,position', 'active.desc', 'uri.desc'];

/** With equal, missing and unique values, which depend on `shift`. */
const rowOf = (n: number, shift = 0) => ({
  uri: uri(n),
  created_at: n % 3 === 0 ? null : day(n + shift),
  name: n % 4 === 0 ? null : (['Ä', 'a', 'B', '\u{10400}'][(n + shift) % 4] ?? null),
  active: n % 5 === 0 ? null : (n + shift) % 2 === 0,
  position: n % 7,
});

/** Changes rows at this rate, beside whatever else happens, until it is stopped. Returns how many it changed. */
function startWriter(store: Store, { rowsPerSecond }: { readonly rowsPerSecond: number }) {
  const startedAt = performance.now();
  let isStopped = false;
  const write = async (): Promise<number> => {
    let changed = 0;
    for (let turn = 0; !isStopped; turn += 1) {
      const rows = Array.from({ length: 50 }, (_, n) => rowOf(2 * ((turn * 50 + n) % 600) + 1, turn));
      await store.transaction((unit) => writeRows(unit, 'event_types', rows));
      // Some go, and come again with another turn.
      const gone = rows.slice(0, 5).map((row) => row.uri);
      await store.db.deleteFrom('event_types').where('uri', 'in', gone).execute();
      changed += rows.length;
      await sleep(Math.max(1, startedAt + (changed / rowsPerSecond) * 1_000 - performance.now()));
    }
    return changed;
  };
  const written = write();
  return async () => {
    isStopped = true;
    return (await written) / ((performance.now() - startedAt) / 1_000);
  };
}

describe.each(availableEngines)('pages of a table on $name', ({ name: engine, fresh }) => {
  it.each(['created_at.desc,name', 'name'])(
    'have each row that keeps its value exactly once, 200 pages beside a writer of 1,000 rows a second, in the order %s',
    async (order) => {
      await using api = await openReadApi(fresh, { readsApart: {} });
      const kept = Array.from({ length: 1_400 }, (_, n) => rowOf(2 * n));
      await api.store.transaction((unit) => writeRows(unit, 'event_types', kept));
      const stop = startWriter(api.store, { rowsPerSecond: 1_000 });
      const seen: string[] = [];
      let pages = 0;
      for (let query = `order=${order}&select=uri&limit=7`; query !== ''; pages += 1) {
        const { body } = await api.get(`/api/tables/event_types?${query}`);
        seen.push(...body.collection.map((row: StoredRow) => row['uri']));
        const { next_page_token: token } = body.pagination;
        query = token === null ? '' : `page_token=${token}&limit=7`;
      }
      const perSecond = await stop();
      const stayed = new Set(kept.map((row) => row.uri));
      expect(seen.filter((each) => stayed.has(each)).toSorted()).toEqual([...stayed].toSorted());
      expect(pages).toBeGreaterThan(200);
      // It did write meanwhile; how fast depends on the machine.
      expect(perSecond).toBeGreaterThan(50);
    },
  );

  it.each(orders)(
    'have each row that keeps its value exactly once while others change, in the order %s',
    async (order) => {
      await using api = await openReadApi(fresh, { readsApart: {} });
      const kept = Array.from({ length: 120 }, (_, n) => rowOf(2 * n));
      await api.store.transaction((unit) => writeRows(unit, 'event_types', kept));
      const seen: string[] = [];
      let query = `order=${order}&select=uri&limit=7`;
      for (let page = 0; query !== ''; page += 1) {
        const { body } = await api.get(`/api/tables/event_types?${query}`);
        seen.push(...body.collection.map((row: StoredRow) => row['uri']));
        const { next_page_token: token } = body.pagination;
        query = token === null ? '' : `page_token=${token}&limit=7`;
        // The writer: rows come, change their values and go; among them the one that the next page begins at.
        const changing = Array.from({ length: 40 }, (_, n) => rowOf(2 * n + 1, page));
        await api.store.transaction((unit) => writeRows(unit, 'event_types', changing));
        await api.store.db
          .deleteFrom('event_types')
          .where('uri', 'in', [uri(2 * page + 1), uri(2 * page + 3)])
          .execute();
      }
      const stayed = new Set(kept.map((row) => row.uri));
      expect(seen.filter((each) => stayed.has(each)).toSorted()).toEqual([...stayed].toSorted());
    },
  );

  it('a page in a fast order follows an index, also beyond a row', async () => {
    await using api = await openReadApi(fresh, { readsApart: {} });
    const { store } = api;
    const { asked, listening } = listened(store);
    const sorting: string[] = [];
    const check = async (relation: Relation, name: string, isDescending: boolean) => {
      const valueOf = (column: string) => {
        const kind = relation.columns[column]?.kind;
        return kind === 'integer' ? 1 : kind === 'time' ? day(1) : 'a';
      };
      const select = [{ name, column: name, aggregate: undefined }];
      const question = { where: [], select, isGrouped: false, order: [{ name, isDescending }], limit: undefined };
      const from = [name, ...relation.key.filter((each) => each !== name)].map(valueOf);
      for (const start of [undefined, from])
        await readRows(listening, relation, { question, page: { limit: 50, isBackwards: false, from: start } });
      for (const statement of asked.splice(0)) {
        const plan = await planOf(store, statement);
        // Rows without a value have no order of their own but the key.
        const isOfNulls = statement.sql.includes(`"${name}" is null and`);
        if (!isOfNulls && isSorting(plan)) sorting.push(`${relation.name}.${name}: ${statement.sql}\n${plan}`);
      }
    };
    for (const relation of commonRelations()) {
      // PostgreSQL sorts a text by bytes, and the index of a key does not.
      const keys = relation.isView || engine === 'postgres' ? [] : relation.key.slice(0, 1);
      for (const name of new Set([...relation.fast, ...keys]))
        for (const isDescending of [false, true]) await check(relation, name, isDescending);
    }
    expect(sorting).toEqual([]);

    /** Of rows that an index has in order, those with equal values are sorted by the key. */
    function isSorting(plan: string): boolean {
      if (engine === 'sqlite') return /USE TEMP B-TREE FOR ORDER BY/.test(plan);
      return /(?<!Incremental )Sort  \(/.test(plan);
    }
  });

  it('finds a booking by its URI by indexes alone', async () => {
    await using api = await openReadApi(fresh, { readsApart: {} });
    const { store } = api;
    const { asked, listening } = listened(store);
    const bookings = commonRelations().find((relation) => relation.name === 'bookings');
    if (bookings === undefined) throw new Error('There is no view bookings.');
    const isIt = { column: 'uri', isNegated: false, operator: 'eq', value: uri(1) } as const;
    await readSome(listening, bookings, { where: [isIt], columns: ['uri', 'start_time'] });
    expect(asked).toHaveLength(1);
    for (const statement of asked) {
      const plan = await planOf(store, statement);
      // The invitees, which are many, are looked up one by one.
      expect(plan).not.toMatch(/SCAN (invitees|last)|Seq Scan on invitees/);
      expect(plan).toMatch(/invitees_pk|SEARCH invitees USING INDEX sqlite_autoindex_invitees_1 \(uri=\?\)/);
    }
  });

  /** The store, and what it is asked. */
  function listened(store: Store) {
    const asked: Statement[] = [];
    const run: typeof store.engine.run = (db, statement) => {
      asked.push(statement);
      return store.engine.run(db, statement);
    };
    return { asked, listening: { ...store, engine: { ...store.engine, run } } };
  }

  async function planOf(store: Store, { sql: text, parameters }: Statement): Promise<string> {
    const words = engine === 'sqlite' ? 'explain query plan' : 'explain';
    return store.db.transaction().execute(async (db) => {
      // An empty table is sorted sooner than an index is read.
      if (engine === 'postgres')
        await sql`select set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true)`.execute(
          db,
        );
      const { rows } = await store.engine.run<Record<string, unknown>>(db, { sql: `${words} ${text}`, parameters });
      return rows.map((row) => String(row['detail'] ?? row['QUERY PLAN'])).join('\n');
    });
  }
});

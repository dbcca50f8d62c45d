// The views are made by code at every start: once, by one process, only when they differ, and never over what is not ours.
import { sql } from 'kysely';
import { describe, expect } from 'vitest';
import type { SlotstreamError } from '#src/base/errors.ts';
import type { Store } from '#src/store/contract.ts';
import { openStore } from '#src/store/open-store.ts';
import type { StatedSettings } from '#src/store/shared-settings.ts';
import { readFieldColumns, shapeOfView, viewNames, viewsFor } from '#src/store/views/views.ts';
import { contactBody, fieldUri, readDefinitions } from '../../../harness/data/custom-fields.ts';
import { installViews } from '#src/store/views/refresh-views.ts';
import type { View } from '#src/store/views/view.ts';
import { freshPostgres, ingestBodies, availableEngines, storeEngines, testWith } from '../../../harness/stores.ts';
import { viewRows } from '../../../harness/mirror/view-rows.ts';

/** Opens a store, and keeps what it reports. */
async function openListening(url: string, stated: StatedSettings = {}) {
  const problems: SlotstreamError[] = [];
  const store = await openStore({ report: (problem) => problems.push(problem as SlotstreamError), stated }, url);
  return { store, problems, [Symbol.asyncDispose]: () => store.close() };
}

/** Changes whenever a view is made anew. */
async function revisionOf(store: Store): Promise<unknown> {
  const query =
    store.engine.name === 'sqlite'
      ? sql`select schema_version from pragma_schema_version`
      : sql`select relname::text, pg_class.oid::text, xmin::text from pg_class where relkind = 'v'
          and relnamespace = to_regnamespace('slotstream') order by 1`;
  return (await query.execute(store.db)).rows;
}

/** Of a view that is not among ours: its schema is not written by itself. */
const rowsIn = async (store: Store, view: string) =>
  (await sql`select * from ${sql.id(store.engine.schema, view)}`.execute(store.db)).rows;

const messages = (problems: readonly SlotstreamError[]) => problems.map(({ message }) => message);

for (const engine of availableEngines)
  describe(`the views on ${engine.name}`, () => {
    const it = testWith(engine.fresh);

    it('have the columns they say, in that order', async ({ opened }) => {
      await readDefinitions(opened.store, [{ uri: fieldUri(1), label: 'Budget', field_type: 'number' }]);
      for (const view of viewsFor(await readFieldColumns(opened.store))) {
        const shape = await shapeOfView(opened.store, view.name);
        expect(Object.keys(shape?.columns ?? {})).toEqual(Object.keys(view.columns));
        const query = sql`select * from ${sql.table(view.name)} where 1 = 0 union all select ${sql.join(
          Object.keys(view.columns).map((name) => sql.id(name)),
        )} from ${sql.table(view.name)}`;
        await expect(query.execute(opened.store.db)).resolves.toMatchObject({ rows: [] });
      }
      expect(await shapeOfView(opened.store, 'contacts')).toBeUndefined();
    });

    it('are made once by many processes that start together, and then left alone', async () => {
      await using place = await engine.blank();
      await using stack = new AsyncDisposableStack();
      const together = await Promise.all(Array.from({ length: 4 }, () => openListening(place.url)));
      for (const one of together) stack.use(one);
      expect(together.flatMap(({ problems }) => problems)).toEqual([]);
      const [{ store }] = together as [(typeof together)[0]];
      for (const name of viewNames()) expect(await viewRows(store, name)).toEqual([]);
      const made = await revisionOf(store);
      const later = stack.use(await openListening(place.url));
      expect([await revisionOf(later.store), later.problems]).toEqual([made, []]);
    });

    it('are created again where an older Slotstream created another, or where one was dropped', async ({ opened }) => {
      const { store } = opened;
      const note = 'Kept by Slotstream';
      await sql`drop view ${sql.table('revenue')}`.execute(store.db);
      await sql`drop view ${sql.table('bookings_daily')}`.execute(store.db);
      await sql`create view ${sql.table('bookings_daily')} as /* Kept by Slotstream: changes made here are lost. */ select 1 as old`.execute(
        store.db,
      );
      if (engine.name === 'postgres')
        await sql`comment on view ${sql.table('bookings_daily')} is ${sql.lit(`Old. ${note} (0123456789abcdef).`)}`.execute(
          store.db,
        );
      await using again = await openListening(opened.url);
      expect(again.problems).toEqual([]);
      expect(await viewRows(again.store, 'bookings_daily')).toEqual([]);
      expect(await viewRows(again.store, 'revenue')).toEqual([]);
    });

    it('leave a table or view of the same name that is not ours, say so, and do not stop the start', async ({
      opened,
    }) => {
      const { store } = opened;
      await sql`drop view ${sql.table('revenue')}`.execute(store.db);
      await sql`create table ${sql.table('revenue')} (own integer)`.execute(store.db);
      await sql`drop view ${sql.table('no_show_rate')}`.execute(store.db);
      await sql`create view ${sql.table('no_show_rate')} as select 7 as own`.execute(store.db);
      await using again = await openListening(opened.url);
      expect(messages(again.problems)).toEqual([
        '"no_show_rate" in the store was not created by Slotstream and is left unchanged.',
        '"revenue" in the store was not created by Slotstream and is left unchanged.',
      ]);
      const { rows } = await sql`select own from ${sql.table('no_show_rate')}`.execute(again.store.db);
      expect(rows).toEqual([{ own: 7 }]);
    });

    it('read amounts of custom fields in the unit of CURRENCY_FIELDS, and follow it when it changes', async ({
      opened,
    }) => {
      await readDefinitions(opened.store, [
        { uri: fieldUri(1), label: 'Budget', field_type: 'currency', currency: 'EUR' },
      ]);
      await ingestBodies(opened.store, [
        contactBody(1, { [fieldUri(1)]: 1_999 }),
        contactBody(2, { [fieldUri(1)]: 19.99 }),
      ]);
      const seen = async (store: Store) => {
        const { columns = {} } = (await shapeOfView(store, 'contacts_wide')) ?? {};
        return [columns['budget'], ...(await viewRows(store, 'contacts_wide')).map((row) => row['budget'])];
      };
      expect(await seen(opened.store)).toEqual(['integer', 1_999, null]);
      await using major = await openListening(opened.url, { currencyFields: 'major' });
      expect(await seen(major.store)).toEqual(['number', 1_999, 19.99]);
      await using minor = await openListening(opened.url, { currencyFields: 'minor' });
      expect(await seen(minor.store)).toEqual(['integer', 1_999, null]);
      expect([...major.problems, ...minor.problems]).toEqual([]);
    });

    it('are made after those they read, and not where one of those is not ours', async () => {
      await using place = await engine.blank();
      const settled = await openListening(place.url);
      await settled[Symbol.asyncDispose]();
      await using other = await openListening(place.url);
      const { store } = other;
      for (const name of viewNames().toReversed())
        await sql`drop view if exists ${sql.table(name)} ${sql.raw(engine.name === 'postgres' ? 'cascade' : '')}`.execute(
          store.db,
        );
      await sql`create view ${sql.table('bookings')} as select 7 as own`.execute(store.db);
      const problems = messages(await store.refreshViews());
      expect(problems[0]).toBe('"bookings" in the store was not created by Slotstream and is left unchanged.');
      expect(problems).toContain(
        'The view booking_moments is not made: it reads "bookings", which is not of Slotstream.',
      );
      await sql`drop view ${sql.table('bookings')}`.execute(store.db);
      expect(await store.refreshViews()).toEqual([]);
      for (const name of viewNames()) expect(await viewRows(store, name)).toEqual([]);
    });

    it('are made again with one they read that has other columns now', async ({ opened: { store } }) => {
      const column = { kind: 'text', about: 'a word' } as const;
      const view = (name: string, columns: readonly string[], text: string): View => ({
        name,
        about: 'Words.',
        columns: Object.fromEntries(columns.map((each) => [each, column])),
        key: columns.slice(0, 1),
        since: undefined,
        fast: [],
        lookUp: undefined,
        select: () => text,
      });
      const reader = (word: string) => view('a_reader', [word], `select ${word} from words`);
      const before = () => [reader('first'), view('words', ['first'], `select 'one' as first`)];
      const after = () => [reader('second'), view('words', ['second'], `select 'two' as second`)];
      expect(await installViews(store, before)).toEqual([]);
      expect(await rowsIn(store, 'a_reader')).toEqual([{ first: 'one' }]);
      expect(await installViews(store, after)).toEqual([]);
      expect(await rowsIn(store, 'a_reader')).toEqual([{ second: 'two' }]);
    });

    it('have one column per field, of its last type, when many processes add and change fields while others read', async () => {
      await using place = await engine.blank();
      await using stack = new AsyncDisposableStack();
      const together = await Promise.all(Array.from({ length: 3 }, () => openListening(place.url)));
      for (const one of together) stack.use(one);
      const stores = together.map(({ store }) => store);
      const change = (round: number, more: object) =>
        stores.flatMap((store, process) =>
          Array.from({ length: 2 }, (_, n) =>
            readDefinitions(store, [
              {
                uri: fieldUri(process * 2 + n),
                label: `Round ${round}`,
                updated_at: `2025-02-0${round}T00:00:00Z`,
                ...more,
              },
            ]),
          ),
        );
      const reading = () => stores.map((store) => viewRows(store, 'contacts_wide').catch(() => []));
      await Promise.all([...change(1, { field_type: 'text' }), ...reading()]);
      await Promise.all([...change(2, { field_type: 'number' }), ...reading()]);
      expect(together.flatMap(({ problems }) => problems)).toEqual([]);
      const columns = await readFieldColumns(stores[0] as Store);
      expect(columns.map(({ position }) => position)).toEqual(Array.from({ length: 6 }, (_, n) => n));
      expect(new Set(columns.map(({ column_name }) => column_name)).size).toBe(6);
      for (const column of columns) expect(column).toMatchObject({ label: 'Round 2', field_type: 'number' });
      const shape = (await shapeOfView(stores[0] as Store, 'contacts_wide'))?.columns ?? {};
      expect(columns.map(({ column_name }) => shape[column_name])).toEqual(Array(6).fill('number'));
    });
  });

describe.runIf(storeEngines[1].available)('views of others on PostgreSQL', () => {
  const it = testWith(freshPostgres);
  const budget = { uri: fieldUri(1), label: 'Budget', field_type: 'number' };
  const renamed = { ...budget, label: 'Spend', updated_at: '2025-02-01T00:00:00.000000Z' };
  const retyped = { ...budget, field_type: 'tags', updated_at: '2025-02-01T00:00:00.000000Z' };

  it('use ours while labels change and columns are added beneath them, older ones included', async ({ store }) => {
    await readDefinitions(store, [budget]);
    await sql`create view mine as select uri, budget from ${sql.table('contacts_wide')}`.execute(store.db);
    await readDefinitions(store, [
      renamed,
      { uri: fieldUri(2), label: 'Colour', field_type: 'text', created_at: '2001-01-02T00:00:00Z' },
    ]);
    await ingestBodies(store, [contactBody(1, { [fieldUri(1)]: 5, [fieldUri(2)]: 'blue' })]);
    expect((await sql`select budget from mine`.execute(store.db)).rows).toEqual([{ budget: 5 }]);
    expect(await viewRows(store, 'contacts_wide')).toMatchObject([{ budget: 5, colour: 'blue' }]);
    // The comment on the column has the label of today.
    const { rows } = await sql`select col_description(attrelid, attnum) as about from pg_attribute
      where attrelid = 'slotstream.contacts_wide'::regclass and attname = 'budget'`.execute(store.db);
    expect(rows).toEqual([{ about: 'Spend: a number' }]);
  });

  it('are never dropped: ours stays as it is, and the warning has the command to run', async ({ opened, store }) => {
    await readDefinitions(store, [budget]);
    await sql`create view mine as select uri, budget from ${sql.table('contacts_wide')}`.execute(store.db);
    await sql`create materialized view "Copy" as select budget from ${sql.table('contacts_wide')}`.execute(store.db);
    await readDefinitions(store, [retyped, { uri: fieldUri(2), label: 'Colour', field_type: 'text' }]);
    await ingestBodies(store, [contactBody(1, { [fieldUri(1)]: 5, [fieldUri(2)]: 'blue' })]);
    await using again = await openListening(opened.url);
    // Reported once, however often it is tried again.
    await again.store.refreshViews();
    expect(again.problems).toMatchObject([
      {
        message: 'The view contacts_wide is out of date and could not be replaced (2BP01).',
        hint: expect.stringContaining('Run: drop view slotstream.contacts_wide cascade;'),
      },
    ]);
    expect((await sql`select budget from mine`.execute(store.db)).rows).toEqual([{ budget: 5 }]);
    const [before] = await viewRows(store, 'contacts_wide');
    expect(before).toMatchObject({ budget: 5 });
    expect(before).not.toHaveProperty('colour');
    await sql`drop view mine`.execute(store.db);
    await sql`drop materialized view "Copy"`.execute(store.db);
    expect(await again.store.refreshViews()).toEqual([]);
    expect(await viewRows(store, 'contacts_wide')).toMatchObject([{ budget: null, colour: 'blue' }]);
    expect(again.problems).toHaveLength(1);
  });

  it('may be read by whom they were granted to, also after ours was dropped and made anew', async ({ store }) => {
    const role = `analyst_${Math.trunc(performance.now() * 1000)}`;
    await sql`create role ${sql.id(role)}`.execute(store.db);
    await readDefinitions(store, [budget]);
    await sql`grant select on ${sql.table('contacts_wide')} to ${sql.id(role)}`.execute(store.db);
    await sql`grant select on ${sql.table('contacts_wide')} to public`.execute(store.db);
    await readDefinitions(store, [retyped]);
    const { rows } = await sql<{ role: boolean; all: boolean }>`
      select has_table_privilege(${role}, 'slotstream.contacts_wide', 'select') as role, relacl::text like '%{=r/%' or relacl::text like '%,=r/%' as all
      from pg_class where relname = 'contacts_wide'`.execute(store.db);
    expect(rows).toEqual([{ role: true, all: true }]);
    expect((await shapeOfView(store, 'contacts_wide'))?.columns ?? {}).toMatchObject({ budget: 'json' });
    await sql`drop owned by ${sql.id(role)}`.execute(store.db);
    await sql`drop role ${sql.id(role)}`.execute(store.db);
  });

  it('do not keep a start waiting that finds one of ours being read', async ({ opened, store }) => {
    await sql`comment on view ${sql.table('booking_moments')} is 'Kept by Slotstream (0123456789abcdef).'`.execute(
      store.db,
    );
    await store.db.transaction().execute(async (reader) => {
      await sql`select count(*) from ${sql.table('booking_moments')}`.execute(reader);
      await using again = await openListening(opened.url);
      expect(messages(again.problems)).toEqual([
        'The view booking_moments is out of date and could not be replaced (55P03).',
      ]);
    });
    await using later = await openListening(opened.url);
    expect(later.problems).toEqual([]);
    const { rows } = await sql<{ about: string }>`
      select obj_description('slotstream.booking_moments'::regclass, 'pg_class') as about`.execute(store.db);
    expect(rows[0]?.about).toContain('What happened to bookings');
  });
});

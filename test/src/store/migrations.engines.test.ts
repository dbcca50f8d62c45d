// A new database has the tables of the code. A mirror whose tables have another form is refused, never taken for an empty one.
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { TableShape } from '#src/store/columns.ts';
import { schemaVersion } from '#src/store/migrations.ts';
import { connectStore, openStore } from '#src/store/open-store.ts';
import { tables } from '#src/store/schema/tables.ts';
import { availableEngines } from '../../harness/stores.ts';

const quiet = { report: () => {} };

const allText = { text: 'text', time: 'text', date: 'text', json: 'text' };
const postgresTypes = { time: 'timestamptz', date: 'date', json: 'jsonb' };
const liveTypes = {
  sqlite: { ...allText, flag: 'integer', integer: 'integer', number: 'real' },
  postgres: { ...allText, ...postgresTypes, flag: 'bool', integer: 'int8', number: 'float8' },
};
/** Their upserts leave required columns out. */
const upserted = ['alerts', 'webhook_subscriptions'];

describe.each(availableEngines)('a new database on $name', ({ name: engine, fresh }) => {
  it('has the tables and columns that the code writes', async () => {
    await using opened = await fresh();
    const live = await opened.store.db.introspection.getTables();
    for (const [name, { key, columns, required }] of Object.entries<TableShape>(tables)) {
      const expected = Object.entries(columns).map(([column, kind]) => {
        const mayBeNull = !key.includes(column) && (upserted.includes(name) || !required.includes(column));
        return `${column} ${liveTypes[engine][kind]}${mayBeNull ? '' : ' not null'}`;
      });
      const found = live.find((table) => table.name === name)?.columns ?? [];
      const actual = found.map(
        (column) => `${column.name} ${column.dataType.toLowerCase()}${column.isNullable ? '' : ' not null'}`,
      );
      expect([name, actual.toSorted()]).toEqual([name, expected.toSorted()]);
    }
  });
});

describe.each(availableEngines)('a mirror of another form on $name', ({ name: engine, blank }) => {
  it.each([
    ['0001-first-release', '0002-bookings'],
    ['0001-initial', '0002-sync-checkpoints'],
    ['0001-mirror-00000000'],
  ])('is refused by the name of its migration, and not changed: %s', async (...names) => {
    await using place = await blank();
    const inSchema = engine === 'postgres' ? 'create schema slotstream; set search_path = slotstream;' : '';
    const values = names.map((name) => `('${name}', '')`).join(', ');
    await load(
      place.url,
      `${inSchema} create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null);
        insert into kysely_migration values ${values}; create table event_log (seq integer)`,
    );
    for (const needs of [quiet, { ...quiet, existing: true }])
      await expect(openStore(needs, place.url)).rejects.toMatchObject({
        code: 'other_form',
        message: `The database has a mirror of another version of Slotstream: its tables were made by ${names[0]}, those of this version by ${schemaVersion()}.`,
        hint: expect.stringMatching(/export.*DATABASE_SCHEMA.*backfill/) as string,
      });
    const left = await connectStore(quiet, place.url);
    await using _closed = { [Symbol.asyncDispose]: () => left.close() };
    const tables = await left.db.introspection.getTables({ withInternalKyselyTables: true });
    expect(tables.map(({ name }) => name).toSorted()).toEqual(['event_log', 'kysely_migration']);
  });
});

async function load(url: string, text: string): Promise<void> {
  if (url.startsWith('sqlite:')) {
    const database = new Sqlite(url.slice('sqlite:'.length));
    database.exec(text);
    database.close();
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text);
  await client.end();
}

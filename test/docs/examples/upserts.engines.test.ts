// The SQL examples keep a copy of a table: from the feed in PostgreSQL, from incremental exports in DuckDB.
import { readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { expect, inject, it } from 'vitest';
import { DuckDBInstance } from '@duckdb/node-api';
import { openHome } from '../../harness/product.ts';
import { openStore } from '#src/store/open-store.ts';
import { freshPostgres, ingestBodies } from '../../harness/stores.ts';

const example = (name: string) => readFileSync(join(import.meta.dirname, '../../../docs/examples', name), 'utf8');
const contact = (id: string, company: string, day: number): string => {
  const at = `2025-01-0${day}T09:00:00.000000Z`;
  return JSON.stringify({
    event: 'contact.created',
    created_at: at,
    payload: { uri: `https://api.example.test/contacts/${id}`, name: id, company, created_at: at, updated_at: at },
  });
};
const deleted = (id: string): string =>
  JSON.stringify({
    event: 'contact.deleted',
    created_at: '2025-01-09T09:00:00.000000Z',
    payload: { uri: `https://api.example.test/contacts/${id}`, deleted_at: '2025-01-09T09:00:00.000000Z' },
  });

it.runIf(inject('postgresUrl') !== '')(
  'the upsert from the feed follows changes and deletes, also after a load that failed',
  async () => {
    await using home = await openHome();
    await using store = await openStore({ report: () => {} }, home.store);
    await using warehouse = await freshPostgres();
    const { db } = warehouse.store;
    const sqlOf = example('upsert_from_feed.sql');
    // The two statements that its comment says to run once.
    for (const [, statement = ''] of sqlOf.matchAll(/^-- {3}(create table .*;)$/gm))
      await db.executeQuery(CompiledQuery.raw(statement));
    const read = async () => {
      const { rows } = await db.executeQuery<{ seq: number }>(CompiledQuery.raw('select seq from feed_position'));
      const { code, out } = await home.run(['feed', '--after', String(rows[0]?.seq), '--include', 'row']);
      expect(code).toBe(0);
      return out.split('\n').filter((line) => line !== '');
    };
    const load = async () => {
      const lines = await read();
      for (const line of lines)
        await db.executeQuery(CompiledQuery.raw('insert into feed_lines select $1::jsonb', [line]));
      await db.executeQuery(CompiledQuery.raw(sqlOf));
      const { rows } = await db.executeQuery(
        CompiledQuery.raw('select name, company from contacts_copy order by name'),
      );
      return rows;
    };

    await ingestBodies(store, [contact('ada', 'Old', 1), contact('ben', 'Old', 1)]);
    expect(await load()).toEqual([
      { name: 'ada', company: 'Old' },
      { name: 'ben', company: 'Old' },
    ]);
    await ingestBodies(store, [contact('ada', 'New', 2), deleted('ben')]);
    // The warehouse does not answer: these lines are lost.
    expect(await read()).toHaveLength(2);
    expect(await load()).toEqual([{ name: 'ada', company: 'New' }]);
    expect(await read()).toEqual([]);
    expect(await load()).toEqual([{ name: 'ada', company: 'New' }]);
  },
);

it('the upsert from incremental exports ends with the newest row of each contact', async () => {
  await using home = await openHome();
  await using store = await openStore({ report: () => {} }, home.store);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'slotstream-out-'));
  const exported = async (n: number) => {
    const out = join(folder.path, `contacts-${n}.parquet`);
    const { code, err } = await home.run(['export', 'contacts', '--format', 'parquet', '--incremental', '--out', out]);
    expect({ code, err }).toMatchObject({ code: 0 });
  };
  await ingestBodies(store, [contact('ada', 'Old', 1), contact('ben', 'Old', 1)]);
  await exported(1);
  await ingestBodies(store, [contact('ada', 'New', 2), deleted('ben')]);
  await exported(2);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run(`set variable files = '${folder.path}/contacts-*.parquet'`);
    for (let times = 0; times < 2; times += 1) await connection.run(example('upsert_from_exports.sql'));
    const read = 'select company, deleted_at is not null as deleted from contacts_copy order by uri';
    expect((await connection.runAndReadAll(read)).getRowObjectsJS()).toEqual([
      { company: 'New', deleted: false },
      { company: null, deleted: true },
    ]);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
});

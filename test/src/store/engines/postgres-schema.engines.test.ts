// Mirrors beside other tables: each in a schema of its own, with a queue of its own, and tables of other programs are left alone.
import { readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { withSchema } from '#src/base/database-schema.ts';
import { openQueue } from '#src/queue/registry.ts';
import { openStore } from '#src/store/open-store.ts';
import { until } from '../../../harness/ports.ts';
import { createDatabase } from '../../../harness/postgres.ts';
import { openHome } from '../../../harness/product.ts';
import { receivedAt, rowsOf } from '../../../harness/stores.ts';
import { ask } from '../../../oracle/deliveries.ts';

const quiet = { report: () => undefined };
const failure = async (url: string): Promise<unknown> => {
  try {
    await (await openStore(quiet, url)).close();
  } catch (error) {
    return error;
  }
  return undefined;
};

const tablesBySchema = `select schemaname as schema, count(*)::integer as count from pg_tables
  where schemaname !~ '^(pg_|information_schema)' group by 1 order by 1`;

describe.runIf(inject('postgresUrl'))('a database with tables of another program', () => {
  it.each([
    ['create table public.users (id int)', 'a table "users"'],
    [
      'create table public.users (id int); create view public.people as select 1 as one',
      'the tables "people", "users"',
    ],
    ['create table public.kysely_migration (name text, timestamp text)', 'a table "kysely_migration"'],
  ])('is refused by their names in the schema that was asked for, and not changed: %s', async (statement, named) => {
    const url = await createDatabase(inject('postgresUrl'));
    await ask(url, statement);
    expect(await failure(withSchema(url, 'public'))).toMatchObject({
      message: `The schema public of the database has ${named} that Slotstream did not make.`,
      hint: expect.stringContaining('DATABASE_SCHEMA') as string,
    });
    expect(await ask(url, tablesBySchema)).toEqual([{ schema: 'public', count: 1 }]);
  });

  it('keeps them: without DATABASE_SCHEMA a mirror has the schema slotstream', async () => {
    const url = await createDatabase(inject('postgresUrl'));
    await ask(url, 'create table public.users (id int); create table public.kysely_migration (name text)');
    await (await openStore(quiet, url)).close();
    expect(await ask(url, tablesBySchema)).toEqual([
      { schema: 'public', count: 2 },
      { schema: 'slotstream', count: expect.any(Number) as number },
    ]);
  });

  it('has two mirrors in schemas of their own, each with its queue, which leave them alone', async () => {
    const DATABASE_URL = await createDatabase(inject('postgresUrl'));
    await ask(
      DATABASE_URL,
      `create table public.users (id int); create table public.contacts (id int);
      create index contacts_primary_email on public.contacts (id)`,
    );
    await using other = await openStore(quiet, withSchema(DATABASE_URL, 'other'));
    await using one = await openHome({ DATABASE_URL, DATABASE_SCHEMA: 'one' });
    const { output } = await one.open('start');
    expect(output()).toContain('made a new, empty mirror in the schema one of the database of DATABASE_URL');
    expect((await one.run(['trigger', 'contact.created'])).code).toBe(0);
    const rowsIn = (table: string) => ask(DATABASE_URL, `select * from ${table}`);
    await until(async () => (await rowsIn('one.contacts')).length === 1, 'the delivery is a row');
    expect([await rowsOf(other, 'event_log'), await rowsIn('public.contacts')]).toEqual([[], []]);

    await using folder = await mkdtempDisposable(join(tmpdir(), 'slotstream-out-'));
    const file = join(folder.path, 'contacts.csv');
    expect((await one.run(['export', 'contacts', '--format', 'csv', '--out', file])).code).toBe(0);
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2);
    expect((await one.run(['rebuild'])).out).toContain('no row differed.');
    const { out } = await one.run(['doctor']);
    expect(out).toMatch(/✓ store: postgres answers/);
    expect(out).not.toMatch(/search: |views: /);

    const queueIn = (schema: string) =>
      openQueue({ url: withSchema(DATABASE_URL, schema), dataDir: '', name: 'deliveries', report: () => undefined });
    const [queue, otherQueue] = [await queueIn('one'), await queueIn('other')];
    await queue.add({ v: 1, deliveries: [{ body: '{}', receivedAt }] });
    expect([(await queue.depth()).waiting, (await otherQueue.depth()).waiting]).toEqual([1, 0]);
    await Promise.all([queue.close(), otherQueue.close()]);
    expect((await ask(DATABASE_URL, tablesBySchema)).map(({ schema }) => schema)).toEqual([
      'one',
      'other',
      'public',
      'slotstream_queue_one',
      'slotstream_queue_other',
    ]);
    expect(await ask(DATABASE_URL, `select indexname from pg_indexes where schemaname = 'public'`)).toHaveLength(1);
  });

  it('has a mirror in the default schema, which another in a schema of its own does not take for its own', async () => {
    const url = await createDatabase(inject('postgresUrl'));
    await (await openStore(quiet, url)).close();
    await (await openStore(quiet, withSchema(url, 'second'))).close();
    const [first, second] = await ask(url, tablesBySchema);
    expect(first).toMatchObject({ schema: 'second' });
    expect(second).toEqual({ schema: 'slotstream', count: first?.['count'] });
  });

  it('has a mirror in public, which is not taken for an empty database: the error says how to go on', async () => {
    const url = await createDatabase(inject('postgresUrl'));
    await (await openStore(quiet, withSchema(url, 'public'))).close();
    for (const needs of [quiet, { ...quiet, existing: true }])
      await expect(openStore(needs, url)).rejects.toMatchObject({
        code: 'other_form',
        message:
          'The database has a mirror in the schema public, and none in the schema slotstream, which this version uses.',
        hint: 'Set DATABASE_SCHEMA=public to use it, or DATABASE_SCHEMA=slotstream for a new one beside it.',
      });
    expect(await ask(url, tablesBySchema)).toHaveLength(1);
    // Both commands of the hint work.
    await using home = await openHome({ DATABASE_URL: url, DATABASE_SCHEMA: 'public' });
    expect((await home.run(['status', '--json'])).out).toContain('"engine":"postgres"');
    await (await openStore(quiet, withSchema(url, 'slotstream'))).close();
    await (await openStore({ ...quiet, existing: true }, url)).close();
  });

  it('has a mirror of an earlier form in public: the error says how to keep its data', async () => {
    const url = await createDatabase(inject('postgresUrl'));
    await ask(
      url,
      `create table public.event_log (seq int); create table public.kysely_migration (name text);
      insert into public.kysely_migration values ('0001-first-release'), ('0002-bookings')`,
    );
    await using home = await openHome({ DATABASE_URL: url });
    const { code, err } = await home.run(['start']);
    expect([code, err]).toEqual([2, expect.stringMatching(/a mirror in the schema public.*export/s)]);
    expect(await ask(url, tablesBySchema)).toEqual([{ schema: 'public', count: 2 }]);
  });
});

it.runIf(inject('postgresUrl'))('a user who may not create the schema gets the statement that creates it', async () => {
  const url = new URL(await createDatabase(inject('postgresUrl')));
  const role = `without_schema_${process.pid}`;
  await ask(url.href, `create role ${role} login`);
  url.username = role;
  expect(await failure(withSchema(url.href, 'mirror'))).toMatchObject({
    message: 'PostgreSQL does not let the user of DATABASE_URL create the schema "mirror" (42501).',
    hint: expect.stringContaining('create schema mirror authorization USER') as string,
  });
});

it.runIf(inject('postgresUrl'))(
  'a user without rights on the mirror gets an error that names the right user',
  async () => {
    const url = new URL(await createDatabase(inject('postgresUrl')));
    await (await openStore(quiet, url.href)).close();
    const role = `without_rights_${process.pid}`;
    await ask(url.href, `create role ${role} login`);
    url.username = role;
    expect(await failure(url.href)).toMatchObject({
      code: 'store_unavailable',
      message: `PostgreSQL does not let the user "${role}" use what is in the schema slotstream (42501).`,
      hint: 'Name in DATABASE_URL the user who made the mirror, or make this user the owner of the schema and its tables.',
    });
  },
);

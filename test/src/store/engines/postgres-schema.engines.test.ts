// Mirrors beside other tables: each in a schema of its own, with a queue of its own, and tables of other programs are left alone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { withSchema } from '#src/base/database-schema.ts';
import { openStore } from '#src/store/open-store.ts';
import { until } from '../../../harness/ports.ts';
import { createDatabase, startPostgres } from '../../../harness/postgres.ts';
import { openHome } from '../../../harness/product.ts';
import { openTestSandbox } from '../../../harness/sandbox.ts';

async function ask(url: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

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
    ['create table users (id int)', 'a table "users"'],
    ['create table users (id int); create view people as select 1 as one', 'the tables "people", "users"'],
    ['create table kysely_migration (name text, timestamp text)', 'a table "kysely_migration"'],
  ])('is refused by their names, and not changed: %s', async (statement, named) => {
    const url = await createDatabase(inject('postgresUrl'));
    await ask(url, statement);
    expect(await failure(url)).toMatchObject({
      message: `The database has ${named} that Slotstream did not make.`,
      hint: expect.stringContaining('DATABASE_SCHEMA=slotstream') as string,
    });
    expect(await ask(url, tablesBySchema)).toEqual([{ schema: 'public', count: 1 }]);
  });

  it('has two mirrors in schemas of their own, each with its queue, which leave them alone', async () => {
    // The queue refuses a server that would lose what it accepted.
    await using server = await startPostgres({ durable: true });
    const DATABASE_URL = await server.createDatabase();
    await ask(
      DATABASE_URL,
      `create table users (id int); create table contacts (id int); create index contacts_primary_email on contacts (id)`,
    );
    await using sandbox = await openTestSandbox({ contacts: 4, bookings: 2, rateLimits: false });
    const { base_url: API_BASE_URL, tokens } = sandbox.handles;
    const engines = { DATABASE_URL, QUEUE_URL: DATABASE_URL, API_BASE_URL, API_TOKEN: tokens.owner };
    await using one = await openHome({ ...engines, DATABASE_SCHEMA: 'one' });
    await using other = await openHome({ ...engines, DATABASE_SCHEMA: 'other' });
    await other.open('start');
    const { output } = await one.open('start');
    expect(output()).toContain('made a new, empty mirror in the schema one of the database of DATABASE_URL');
    expect((await one.run(['backfill'])).code).toBe(0);
    const count = async (table: string) =>
      Number((await ask(DATABASE_URL, `select count(*) from ${table}`))[0]?.['count']);
    expect([await count('one.contacts'), await count('other.contacts'), await count('contacts')]).toEqual([4, 0, 0]);

    const before = await count('one.invitees');
    expect((await one.run(['trigger', 'invitee.created'])).code).toBe(0);
    await until(async () => (await count('one.invitees')) === before + 1, 'the delivery is a row');
    expect(await count('other.event_log')).toBe(0);

    const file = join(one.dataDir, 'contacts.csv');
    expect((await one.run(['export', 'contacts', '--format', 'csv', '--out', file])).code).toBe(0);
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(5);
    expect((await one.run(['rebuild'])).out).toContain('no row differed.');
    const { out } = await one.run(['doctor']);
    expect(out).toMatch(/✓ store: postgres answers/);
    expect(out).not.toMatch(/search: |views: /);
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
    expect(second).toEqual({ schema: 'second', count: first?.['count'] });
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

// What docs/backup.md promises of the read-only role on PostgreSQL, tried.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { withSchema } from '#src/base/database-schema.ts';
import { openStore } from '#src/store/open-store.ts';
import type { DeclaredTable } from '#src/store/schema/declaration.ts';
import { declaredTables } from '#src/store/schema/tables.ts';
import { createDatabase } from './harness/postgres.ts';
import { freshPostgres } from './harness/stores.ts';

const script = readFileSync(join(import.meta.dirname, '../docs/examples/read-only-role.sql'), 'utf8');

function createReader(url: string, role: string, args: readonly string[] = []): void {
  const input = script.replaceAll('slotstream_reader', role);
  execFileSync('psql', ['-d', url, '-v', 'ON_ERROR_STOP=1', ...args], { input, stdio: ['pipe', 'ignore', 'pipe'] });
}

/** Roles belong to the whole server. */
const newRole = (name: string): string => `${name}_${randomBytes(6).toString('hex')}`;

/** As the owner, or as another role. */
async function connect(url: string, role?: string) {
  const connectionString = role === undefined ? url : url.replace(/\/\/[^@]*@/, `//${role}@`);
  const client = new pg.Client({
    connectionString,
    ...(role === undefined && { options: '-c search_path=slotstream' }),
  });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

async function expectReadable(client: pg.Client, ...names: readonly string[]): Promise<void> {
  for (const name of names)
    await expect(client.query(`select * from ${name}`)).resolves.toMatchObject({ command: 'SELECT' });
}

describe.runIf(Boolean(inject('postgresUrl')))('the read-only role', () => {
  it('reads tables and views, later ones too, and neither changes them nor reads payloads and internal state', async () => {
    await using opened = await freshPostgres();
    const role = newRole('reader');
    await using owner = await connect(opened.url);
    createReader(opened.url, role);
    await owner.query('create view later as select 1 as value');
    await using reader = await connect(opened.url, role);
    await expectReadable(reader, 'contacts', 'invitees', 'contacts_wide', 'bookings', 'later');
    expect((await reader.query('show jit')).rows).toEqual([{ jit: 'off' }]);
    for (const name of ['event_log', 'key_values'])
      await expect(reader.query(`select * from ${name}`)).rejects.toThrow('permission denied');
    await expect(reader.query('select body from event_log')).rejects.toThrow('permission denied');
    await expectReadable(reader, '(select seq, event, outcome, reason, changes from event_log) as entries');
    await expect(reader.query('delete from contacts')).rejects.toThrow('read-only transaction');
    await reader.query('set default_transaction_read_only = off');
    await expect(reader.query('delete from contacts')).rejects.toThrow('permission denied');
  });

  it('reads exactly the tables and columns that are declared as readable', async () => {
    await using opened = await freshPostgres();
    const role = newRole('reader');
    await using owner = await connect(opened.url);
    createReader(opened.url, role);
    const { rows } = await owner.query<{ place: string }>(
      `select relname || '.' || attname as place from pg_class join pg_attribute on attrelid = pg_class.oid
        where relkind = 'r' and relnamespace = 'slotstream'::regnamespace and attnum > 0 and not attisdropped
        and relname not like 'kysely%' and has_column_privilege($1, pg_class.oid, attnum, 'select')`,
      [role],
    );
    const declared = Object.values<DeclaredTable>(declaredTables).flatMap(({ name, readable, columns }) =>
      Object.entries(columns).flatMap(([column, each]) =>
        readable === 'all' && each.readable === undefined ? [`${name}.${column}`] : [],
      ),
    );
    expect(rows.map(({ place }) => place).toSorted()).toEqual(declared.toSorted());
  });

  it('reads the schema of DATABASE_SCHEMA', async () => {
    const url = await createDatabase(inject('postgresUrl'));
    await (await openStore({ report: () => {} }, withSchema(url, 'mirror'))).close();
    const role = newRole('reader');
    createReader(url, role, ['-v', 'schema=mirror']);
    await using reader = await connect(url, role);
    await expectReadable(reader, 'contacts_wide');
    await expect(reader.query('select * from event_log')).rejects.toThrow('permission denied');
  });

  it('is created by a superuser also where another role, which may create no roles, owns the tables', async () => {
    await using opened = await freshPostgres();
    const [role, ownerRole] = [newRole('reader'), newRole('owner')];
    await using superuser = await connect(opened.url);
    await superuser.query(`create role ${ownerRole}; grant all on schema slotstream to ${ownerRole}`);
    await superuser.query(`alter table contacts owner to ${ownerRole}`);
    createReader(opened.url, role);
    await superuser.query(`set role ${ownerRole}; create view later as select 1 as value; set role ${role}`);
    await expectReadable(superuser, 'contacts', 'later');
  });
});

// What docs/backup.md promises of databases, tried: the read-only role on PostgreSQL, and a restored copy of a SQLite file in use.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { DatabaseSync, backup } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { withSchema } from '#src/base/database-schema.ts';
import { openStore } from '#src/store/open-store.ts';
import { noShowBooking } from './harness/data/no-show-bookings.ts';
import { createDatabase } from './harness/postgres.ts';
import { freshPostgres, freshSqlite, ingestBodies, projectedRows } from './harness/stores.ts';

const script = readFileSync(join(import.meta.dirname, '../docs/examples/read-only-role.sql'), 'utf8');

function createReader(url: string, role: string, args: readonly string[] = []): void {
  const input = script.replaceAll('slotstream_reader', role);
  execFileSync('psql', ['-d', url, '-v', 'ON_ERROR_STOP=1', ...args], { input, stdio: ['pipe', 'ignore', 'pipe'] });
}

describe.runIf(Boolean(inject('postgresUrl')))('the read-only role', () => {
  it('reads tables and views, later ones too, and neither changes them nor reads payloads and internal state', async () => {
    await using opened = await freshPostgres();
    // Roles belong to the whole server.
    const role = `reader_${randomBytes(6).toString('hex')}`;
    const owner = new pg.Client({ connectionString: opened.url });
    await owner.connect();
    const url = new URL(opened.url);
    url.username = role;
    const reader = new pg.Client({ connectionString: url.href });
    try {
      createReader(opened.url, role);
      await owner.query('create view later as select 1 as value');
      await reader.connect();
      for (const name of ['contacts', 'invitees', 'contacts_wide', 'booking_journeys', 'later'])
        await expect(reader.query(`select * from ${name}`)).resolves.toMatchObject({ command: 'SELECT' });
      for (const name of ['event_log', 'key_values'])
        await expect(reader.query(`select * from ${name}`)).rejects.toThrow('permission denied');
      await expect(reader.query('delete from contacts')).rejects.toThrow('read-only transaction');
      await reader.query('set default_transaction_read_only = off');
      await expect(reader.query('delete from contacts')).rejects.toThrow('permission denied');
    } finally {
      await reader.end();
      await owner.query(`drop owned by ${role}; drop role ${role}`);
      await owner.end();
    }
  });

  it('reads the schema of DATABASE_SCHEMA', async () => {
    const url = await createDatabase(inject('postgresUrl'));
    await (await openStore({ report: () => {} }, withSchema(url, 'mirror'))).close();
    const role = `reader_${randomBytes(6).toString('hex')}`;
    createReader(url, role, ['-v', 'schema=mirror']);
    const reader = new pg.Client({ connectionString: url.replace(/\/\/[^@]*@/, `//${role}@`) });
    await reader.connect();
    try {
      await expect(reader.query('select * from contacts_wide')).resolves.toMatchObject({ command: 'SELECT' });
      await expect(reader.query('select * from event_log')).rejects.toThrow('permission denied');
    } finally {
      await reader.end();
    }
  });

  it('is created by a superuser also where another role, which may create no roles, owns the tables', async () => {
    await using opened = await freshPostgres();
    const suffix = randomBytes(6).toString('hex');
    const role = `reader_${suffix}`;
    const ownerRole = `owner_${suffix}`;
    const superuser = new pg.Client({ connectionString: opened.url });
    await superuser.connect();
    try {
      await superuser.query(`create role ${ownerRole}; grant all on schema public to ${ownerRole}`);
      await superuser.query(`alter table contacts owner to ${ownerRole}`);
      createReader(opened.url, role);
      await superuser.query(`set role ${ownerRole}; create view later as select 1 as value; set role ${role}`);
      for (const name of ['contacts', 'later'])
        await expect(superuser.query(`select * from ${name}`)).resolves.toMatchObject({ command: 'SELECT' });
    } finally {
      await superuser.query(`reset role; drop owned by ${role}, ${ownerRole} cascade; drop role ${role}, ${ownerRole}`);
      await superuser.end();
    }
  });
});

describe('a copy of the SQLite file made while it is written to', () => {
  it('opens as a store with the same rows', async () => {
    await using opened = await freshSqlite();
    const folder = await mkdtemp(join(tmpdir(), 'slotstream-backup-'));
    try {
      await ingestBodies(opened.store, [noShowBooking(1, Date.parse('2026-03-04T10:00:00Z')).marked]);
      const copy = join(folder, 'mirror.db');
      const source = new DatabaseSync(opened.url.slice('sqlite:'.length), { readOnly: true });
      await backup(source, copy);
      source.close();
      const before = await projectedRows(opened.store);
      await using restored = await openStore({ report: () => {} }, `sqlite:${copy}`);
      expect(await projectedRows(restored)).toEqual(before);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

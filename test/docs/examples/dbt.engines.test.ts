// The dbt project: its models run in DuckDB on exported tables and in PostgreSQL, and its tests pass.
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { CompiledQuery } from 'kysely';
import { describe, expect, inject, it } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { delivery, ingestCountedBookings, january, uri } from '../../harness/data/counted-bookings.ts';
import { readProject, type Run } from '../../harness/dbt.ts';
import { exportFolder } from '../../harness/mirror/export-folder.ts';
import { freshMemory, freshPostgres, ingestBodies } from '../../harness/stores.ts';

const folder = join(import.meta.dirname, '../../../docs/examples/dbt');

const moved = delivery('invitee.created', january(20), {
  uri: uri('invitees', 'D2'),
  old_invitee: uri('invitees', 'D1'),
  event: uri('events', 'H1'),
  email: 'D@example.test',
  created_at: january(20),
  updated_at: january(20),
});

/** A booking that no other one names, until the one before it says so. */
const unlinked = delivery('invitee.created', january(21), {
  uri: uri('invitees', 'J2'),
  event: uri('events', 'H1'),
  email: 'J@example.test',
  created_at: january(21),
  updated_at: january(21),
});
const linked = delivery('invitee.canceled', january(22), {
  uri: uri('invitees', 'J1'),
  new_invitee: uri('invitees', 'J2'),
  rescheduled: true,
  email: 'J@example.test',
  created_at: january(19),
  updated_at: january(22),
});

/** Builds, changes bookings, builds again. `refresh` makes the sources current. */
async function buildTwice(store: Store, run: Run, refresh: () => Promise<void>): Promise<void> {
  const project = readProject(folder);
  await ingestCountedBookings(store);
  await refresh();
  await project.build(run);
  expect(await run('select uri, outcome from dbt_bookings where moves = 2 order by uri')).toEqual([
    { uri: uri('invitees', 'A1'), outcome: 'unknown' },
    { uri: uri('invitees', 'B1'), outcome: 'no_show' },
  ]);
  const load = await run(
    'select host, cast(meetings as integer) as meetings, cast(hours as double precision) as hours from dbt_host_load where meetings = 3',
  );
  expect(load).toEqual([{ host: 'Host ben', meetings: 3, hours: 1.5 }]);
  expect(await run('select host, rate from dbt_no_shows_by_month where rate > 0.4')).toEqual([
    { host: 'Host ben', rate: 0.5 },
  ]);
  const booked = await run(
    'select cast(sum(booked) as integer) as booked, cast(sum(paid) as integer) as paid from dbt_bookings_by_source',
  );
  expect(booked).toEqual([{ booked: 9, paid: 2 }]);
  expect(await run('select name, cast(bookings as integer) as bookings from dbt_contact_activity')).toEqual([
    { name: 'Guest A', bookings: 1 },
  ]);
  expect(await run('select cast(count(booked_at) as integer) as booked from dbt_time_to_book')).toEqual([
    { booked: 3 },
  ]);

  // Two bookings that turn out to be one: the table must not keep both.
  const bookingsOf = (relation: string) => run(`select uri, last_invitee, outcome from ${relation} order by uri`);
  for (const body of [moved, unlinked, linked]) {
    await ingestBodies(store, [body]);
    await refresh();
    await project.build(run);
    expect(await bookingsOf('dbt_bookings')).toEqual(await bookingsOf('bookings'));
  }
  expect(await run(`select uri from dbt_bookings where last_invitee = '${uri('invitees', 'J2')}'`)).toEqual([
    { uri: uri('invitees', 'J1') },
  ]);

  const failures = await project.failures(run);
  expect(Object.keys(failures).length).toBeGreaterThan(20);
  expect(Object.entries(failures).filter(([, count]) => count !== 0)).toEqual([]);
}

describe('the dbt models', () => {
  it('run in DuckDB on exported tables', async () => {
    await using opened = await freshMemory();
    await using files = await exportFolder();
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    try {
      const run: Run = async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJS();
      await buildTwice(opened.store, run, async () => {
        for (const { name } of readProject(folder).sources) {
          const { file } = await files.write(opened.store, { name, format: 'parquet' });
          await run(`create or replace table ${name} as select * from read_parquet('${file}')`);
        }
      });
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  });

  it.runIf(inject('postgresUrl') !== '')('run in PostgreSQL beside the tables', async () => {
    await using opened = await freshPostgres();
    // One connection, for temporary tables.
    await opened.store.db.connection().execute(async (db) => {
      const run: Run = async (sql) => (await db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(sql))).rows;
      // As a project that names the schema `slotstream_schema` in its sources, and makes its models in `public`.
      await run('set search_path = public, slotstream');
      await buildTwice(opened.store, run, async () => {});
    });
  });
});

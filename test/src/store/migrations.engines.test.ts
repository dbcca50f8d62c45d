// A database of the previous schema, brought up to date: every value of the program's own state arrives in its new table.
import { sql, type Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { describe, expect, it } from 'vitest';
import { openPostgres } from '#src/store/engines/postgres.ts';
import { openSqlite } from '#src/store/engines/sqlite.ts';
import { migrationsFor } from '#src/store/migrations.ts';
import { postgresTypes, sqliteTypes } from '#src/store/migrations/storage-types.ts';
import { openStore } from '#src/store/open-store.ts';
import type { Database } from '#src/store/tables.ts';
import { rowsOf, storeEngines } from '../../harness/stores.ts';

const state = {
  'lease watch': { holder: 'me', expires_ms: 1, ran_ms: 2 },
  'alerts conditions': { episodes: [] },
  'alerts clock': { ahead_seconds: 0.5, at_ms: 3 },
  gap: { since: '2026-01-01T00:00:00.000000Z', notes: 1 },
  retention: { pruned_ever: 7 },
  reconcile: { contacts_from: '2026-01-01T00:00:00.000000Z' },
  mirrored: { origin: 'https://api.example.test', organization: 'https://api.example.test/organizations/1' },
  erasure_key: 'k'.repeat(64),
};
const positions = {
  backfill: { resources: ['contacts'], ended: [] },
  'backfill contacts': { state: 'walking' },
  'page backfill contacts': '{"records":[],"rows":0}',
  sweep: { pages: 3 },
};

/** The database as the version before `key_values` left it. */
async function migrateToPrevious(url: string): Promise<void> {
  const isSqlite = url.startsWith('sqlite:');
  await using stack = new AsyncDisposableStack();
  const engine = isSqlite ? openSqlite(url.slice('sqlite:'.length)) : openPostgres(url, () => {});
  stack.defer(() => engine.close());
  const migrations = migrationsFor(isSqlite ? sqliteTypes : postgresTypes);
  const migrator = new Migrator({ db: engine.db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateTo('0005-alerts');
  expect(error).toBeUndefined();
  for (const [key, value] of Object.entries({ ...state, ...positions })) await insert(engine.db, key, value);
}

const insert = (db: Kysely<Database>, key: string, value: unknown) =>
  sql`insert into sync_checkpoints (key, value) values (${key}, ${JSON.stringify(value)})`.execute(db);

describe.each(storeEngines)('a database of the previous schema on $name', ({ available, blank }) => {
  it.runIf(available)('keeps its resume positions, and finds every other value in the new table', async () => {
    await using place = await blank();
    await migrateToPrevious(place.url);
    await using store = await openStore({ report: () => {} }, place.url);
    const stored = async (table: 'key_values' | 'sync_checkpoints') =>
      Object.fromEntries((await rowsOf(store, table)).map(({ key, value }) => [String(key), value]));
    expect(await stored('key_values')).toEqual({ ...state, time_zones: expect.any(Object) });
    expect(await stored('sync_checkpoints')).toEqual(positions);
  });
});

// A new database has the tables of the code. Those of releases are upgraded with all their rows; those before the first are refused.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '#src/config/load.ts';
import { Report } from '#src/doctor/check.ts';
import { checkStore } from '#src/doctor/engines.ts';
import { createLog } from '#src/observability/log.ts';
import { hasDueWork } from '#src/store/alerts/claims.ts';
import type { TableShape } from '#src/store/columns.ts';
import { connectStore, openStore } from '#src/store/open-store.ts';
import { tables } from '#src/store/tables.ts';
import { isFilled } from '#workers/sync/mirror-identity.ts';
import { unredactedContacts } from '#src/store/unredacted-contacts.ts';
import { redactDeletedContacts } from '#workers/sync/redact-deleted-contacts.ts';
import { readAccount } from '#src/store/settings-row.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { contactDelivery } from '../../harness/data/contact-deliveries.ts';
import { ingestBodies, rowsOf, availableEngines, storeEngines, tableNames } from '../../harness/stores.ts';

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
      const actual = found
        // SQLite's number of a row, for the trigram index.
        .filter((column) => !(name === 'contact_search' && column.name === 'id'))
        .map((column) => `${column.name} ${column.dataType.toLowerCase()}${column.isNullable ? '' : ' not null'}`);
      expect([name, actual.toSorted()]).toEqual([name, expected.toSorted()]);
    }
  });
});

describe.each(availableEngines)('a database of a version before 0.1.0 on $name', ({ blank }) => {
  it('is refused by the name of its migration, and not changed', async () => {
    await using place = await blank();
    const engine = await connectStore(quiet, place.url);
    await using _closed = { [Symbol.asyncDispose]: () => engine.close() };
    await sql`create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(
      engine.db,
    );
    await sql`insert into kysely_migration values ('0001-initial', ''), ('0002-sync-checkpoints', '')`.execute(
      engine.db,
    );
    await sql`create table event_log (seq integer)`.execute(engine.db);
    await expect(openStore(quiet, place.url)).rejects.toMatchObject({
      code: 'store_version',
      message: 'The database was made by a version before 0.1.0: it has the migration 0002-sync-checkpoints.',
      hint: expect.stringContaining('backfill') as string,
    });
    const tables = await engine.db.introspection.getTables({ withInternalKyselyTables: true });
    expect(tables.map(({ name }) => name).toSorted()).toEqual(['event_log', 'kysely_migration']);
  });
});

const folder = join(import.meta.dirname, 'released');
/** A row of a release as the migrations since then leave it: none where they remove it. */
function migrated(table: string, row: Readonly<Record<string, unknown>>): readonly object[] {
  const { words: _words, follows: _follows, ...rest } = row;
  if (table === 'key_values' && row['key'] === 'contact search') return [];
  const { changes } = row;
  if (table !== 'event_log' || changes === null) return [rest];
  const isText = typeof changes === 'string';
  const tables = Object.entries((isText ? JSON.parse(changes) : changes) as Record<string, unknown>);
  const plain = Object.fromEntries(tables.map(([name, columns]) => [name, columns === 'created' ? {} : columns]));
  return [{ ...rest, changes: isText ? JSON.stringify(plain) : plain }];
}

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

const released = availableEngines.flatMap(({ name: engine, ...rest }) =>
  globSync(`*.${engine}.sql`, { cwd: folder }).map((file) => ({ ...rest, file })),
);

it('a database of the first release is stored for each engine', () => {
  expect(released.map(({ file }) => file)).toEqual(
    expect.arrayContaining(storeEngines.map(({ name }) => `0.1.0.${name}.sql`)),
  );
});

describe.each(released)('the released database $file', ({ blank, file }) => {
  it('keeps the id of its feed and its account', async () => {
    await using place = await blank();
    await load(place.url, readFileSync(join(folder, file), 'utf8'));
    const account = { origin: 'https://api.example.test', organization: 'https://api.example.test/organizations/7' };
    const values = { 'feed source': { id: 'the-former-id' }, mirrored: { ...account, filled: true } };
    for (const [key, value] of Object.entries(values))
      await load(
        place.url,
        `delete from key_values where key = '${key}';
        insert into key_values (key, value) values ('${key}', '${JSON.stringify(value)}')`,
      );
    await using store = await openStore(quiet, place.url);
    expect(store.settings).toMatchObject({ id: 'the-former-id', isSettled: false });
    expect(await readAccount(store)).toMatchObject({ ...account, owner: null });
    expect(await isFilled(store)).toBe(true);
    await using again = await openStore(quiet, place.url);
    expect(again.settings.id).toBe('the-former-id');
  });

  it('is upgraded with the retractions that were not sent', async () => {
    await using place = await blank();
    await load(place.url, readFileSync(join(folder, file), 'utf8'));
    const row = (id: string, state: string, { follows = 'null', claimed = 'null', sent = 'null' } = {}) =>
      `('${id}', '${state}', ${follows}, 1, ${claimed}, ${sent}, '2026-11-17T12:00:00.000000Z', '2026-11-17T12:01:00.000000Z')`;
    const at = `'2026-11-17T12:00:00.000000Z'`;
    const alerts = ['waiting', 'refused', 'done'].map((id) => row(id, 'retracted', { sent: at }));
    const retractions = Object.entries({ waiting: 'pending', refused: 'failed', done: 'sent' }).map(([id, state]) =>
      row(`${id}-retraction`, state, { follows: `'${id}'` }),
    );
    const others = [row('under-way', 'retracted', { claimed: at }), row('closed', 'retracted')];
    await load(
      place.url,
      `insert into alerts (id, state, follows, episode, claimed_at, sent_at, due_at, next_at)
        values ${[...alerts, ...retractions, ...others].join(', ')}`,
    );
    await using store = await openStore(quiet, place.url);
    const rows = await store.db.selectFrom('alerts').select(['id', 'state']).where('episode', '=', 1).execute();
    expect(Object.fromEntries(rows.map(({ id, state }) => [id, state]))).toMatchObject({
      waiting: 'retracting',
      refused: 'failed',
      done: 'retracted',
      'under-way': 'retracting',
      closed: 'retracted',
    });
    expect(rows.filter(({ id }) => id.endsWith('-retraction'))).toEqual([]);
    expect(await hasDueWork(store, '2026-11-17T12:01:00.000000Z')).toBe(true);
  });

  it('is upgraded with every row, passes doctor, and takes deliveries', async () => {
    await using place = await blank();
    await load(place.url, readFileSync(join(folder, file), 'utf8'));
    const before = await connectStore(quiet, place.url);
    const names = (await before.db.introspection.getTables()).map(({ name }) => name);
    const stored = tableNames.filter((name) => names.includes(name));
    const rows = new Map<string, readonly Readonly<Record<string, unknown>>[]>();
    for (const name of stored)
      rows.set(name, (await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(before.db)).rows);
    await before.close();

    await using store = await openStore(quiet, place.url);
    for (const name of stored) {
      const { rows: now } = await sql<object>`select * from ${sql.table(name)}`.execute(store.db);
      const kept = (rows.get(name) ?? [])
        .flatMap((row) => migrated(name, row))
        .map((row) => expect.objectContaining(row) as object);
      expect([name, kept.length > 0, now]).toEqual([name, true, expect.arrayContaining(kept)]);
    }
    const report = new Report();
    const log = createLog({ level: 'silent', pretty: false });
    const config = loadConfig({ DATABASE_URL: place.url });
    await checkStore({ config, log, now: () => new Date(), mirror: async () => store }, report);
    // The server of the tests is not durable.
    const found = report.findings.filter(({ sentence }) => !sentence.startsWith('PostgreSQL runs with'));
    // Its world was written with ERASE_ON_DELETE=false.
    expect(found).toMatchObject([{ id: 'store', state: 'ok' }, { id: 'privacy' }]);
    expect(await redactDeletedContacts({ store, screen: privacyScreen(store.settings) })).toBe(1);
    expect(await unredactedContacts(store)).toEqual([]);
    expect(await rebuild({ store, screen: privacyScreen({ eraseOnDelete: false }) })).toMatchObject({
      rowsDiffered: 0,
    });
    const contacts = (await rowsOf(store, 'contacts')).length;
    await ingestBodies(store, [contactDelivery({ id: 'new', version: 1 })]);
    expect(await rowsOf(store, 'contacts')).toHaveLength(contacts + 1);
  });
});

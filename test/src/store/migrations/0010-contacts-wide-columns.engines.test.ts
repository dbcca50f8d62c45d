// A database from before the columns of `contacts_wide` were stored keeps the columns that its view has, whatever the labels are by now.
import { Migrator } from 'kysely/migration';
import { describe, expect, it } from 'vitest';
import { openPostgres } from '#src/store/engines/postgres.ts';
import { openSqlite } from '#src/store/engines/sqlite.ts';
import { migrationsFor } from '#src/store/migrations.ts';
import { postgresTypes, sqliteTypes } from '#src/store/migrations/storage-types.ts';
import { openStore } from '#src/store/open-store.ts';
import { contactsWide } from '#src/store/views/contacts-wide.ts';
import { readFieldColumns } from '#src/store/views/views.ts';
import { contactBody, fieldUri } from '../../../harness/data/custom-fields.ts';
import { viewRows } from '../../../harness/mirror/view-rows.ts';
import { ingestBodies, storeEngines } from '../../../harness/stores.ts';

const hostile = fieldUri(`2';"\\--`);
const created_at = '2025-01-01T00:00:00.000000Z';

/** The view was made when the labels were "Notes" and "Seats"; a label was changed and a field was added since. */
async function makePrevious(url: string): Promise<void> {
  const isSqlite = url.startsWith('sqlite:');
  await using stack = new AsyncDisposableStack();
  const engine = isSqlite ? openSqlite(url.slice('sqlite:'.length)) : openPostgres(url, () => {});
  stack.defer(() => engine.close());
  const { db, dialect, views } = engine;
  const migrations = migrationsFor(isSqlite ? sqliteTypes : postgresTypes);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  expect((await migrator.migrateTo('0008-contact-search-table')).error).toBeUndefined();
  await db
    .insertInto('custom_field_definitions')
    .values([
      { uri: fieldUri(1), label: 'Account notes', field_type: 'text', created_at },
      { uri: hostile, label: 'Seats', field_type: 'number', created_at },
      { uri: fieldUri(3), label: 'Churn risk', field_type: 'text', created_at },
    ] as never)
    .execute();
  const { name, about, select } = contactsWide([
    { field_uri: fieldUri(1), column_name: 'notes', position: 0, label: 'Notes', field_type: 'text' },
    { field_uri: hostile, column_name: 'seats', position: 1, label: 'Seats', field_type: 'number' },
  ]);
  await views.create(db, { name, about, columns: {}, select: select(dialect, 'UTC') });
}

describe.each(storeEngines)('the columns of contacts_wide in a former database on $name', ({ available, blank }) => {
  it.runIf(available)('keep their names and order; a field that had none gets one at the end', async () => {
    await using place = await blank();
    await makePrevious(place.url);
    const problems: unknown[] = [];
    await using store = await openStore({ report: (problem) => problems.push(problem) }, place.url);
    expect(problems).toEqual([]);
    expect(await readFieldColumns(store)).toEqual([
      { field_uri: fieldUri(1), column_name: 'notes', position: 0, label: 'Account notes', field_type: 'text' },
      { field_uri: hostile, column_name: 'seats', position: 1, label: 'Seats', field_type: 'number' },
      { field_uri: fieldUri(3), column_name: 'churn_risk', position: 2, label: 'Churn risk', field_type: 'text' },
    ]);
    await ingestBodies(store, [contactBody(1, { [fieldUri(1)]: 'a', [hostile]: 2, [fieldUri(3)]: 'high' })]);
    expect(await viewRows(store, 'contacts_wide')).toMatchObject([{ notes: 'a', seats: 2, churn_risk: 'high' }]);
  });
});

// Databases of versions that this one does not support are refused before anything in them changes.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { connectStore, openStore } from '#src/store/open-store.ts';
import { storeEngines } from '../../harness/stores.ts';

const quiet = { report: () => {} };

describe.each(storeEngines)('a database of a version before 0.1.0 on $name', ({ available, blank }) => {
  it.runIf(available)('is refused by the name of its migration, and not changed', async () => {
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

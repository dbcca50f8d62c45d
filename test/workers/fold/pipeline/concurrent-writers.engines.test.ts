// Stores that fail, or do something else, while deliveries come: nothing is lost, and passing trouble is not reported. Many writers at once:
// retention.engines.test.ts and row-workspace.engines.test.ts; readers beside them: feed-writers.engines.test.ts.
import { statSync } from 'node:fs';
import { sql } from 'kysely';
import { describe, expect, inject, it } from 'vitest';
import { isTransient } from '#src/base/errors.ts';
import { openStore } from '#src/store/open-store.ts';
import { startPostgres } from '../../../harness/postgres.ts';
import { aDayLater, freshSqlite, ingestBodies, rowsOf } from '../../../harness/stores.ts';

const contact = (n: number, name = `n${n}`) =>
  JSON.stringify({
    event: 'contact.updated',
    created_at: '2025-04-14T11:43:10Z',
    payload: { uri: `https://api.example.test/contacts/${n}`, name },
  });

describe.runIf(inject('postgresUrl') !== '')('a PostgreSQL that restarts', () => {
  it('ends no process, fails what it was doing as passing, and is used again by the next transaction', async () => {
    await using server = await startPostgres({ durable: true });
    const reported: unknown[] = [];
    await using store = await openStore({ report: (error) => reported.push(error) }, await server.createDatabase());
    await ingestBodies(store, [contact(1)]);
    // Idle connections break: only the pool hears of it.
    await server.restart('immediate');
    await ingestUntilItPasses(() => ingestBodies(store, [contact(2)]));
    // A connection breaks in the middle of a transaction, between two statements.
    const interrupted = store.transaction(async ({ db }) => {
      await sql`select 1`.execute(db);
      await server.restart('immediate');
      await sql`select 1`.execute(db);
    });
    await expect(interrupted).rejects.toSatisfy(isTransient);
    await ingestUntilItPasses(() => ingestBodies(store, [contact(3)]));
    expect(await rowsOf(store, 'contacts')).toHaveLength(3);
    expect(reported.every((error) => isTransient(error))).toBe(true);
  });
});

/** As the queue does: again, while the cause passes by itself. */
async function ingestUntilItPasses(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isTransient(error) || attempt > 5) throw error;
    }
  }
}

describe('a SQLite file that is scrubbed', () => {
  it('takes deliveries all the while, and has an empty write-ahead log afterwards', async () => {
    await using opened = await freshSqlite();
    await ingestBodies(
      opened.store,
      Array.from({ length: 200 }, (_, n) => contact(n, 'x'.repeat(5_000))),
    );
    const gone = {
      event: 'contact.deleted',
      created_at: '2025-04-14T12:00:00Z',
      payload: { uri: 'https://api.example.test/contacts/gone' },
    };
    await ingestBodies(opened.store, [JSON.stringify(gone)]);
    const scrubbing = opened.store.engine.scrub(aDayLater());
    for (let n = 0; n < 20; n += 1) await ingestBodies(opened.store, [contact(1_000 + n)]);
    await scrubbing;
    await opened.store.engine.scrub(aDayLater());
    expect(await rowsOf(opened.store, 'contacts')).toHaveLength(221);
    expect(statSync(`${opened.url.slice('sqlite:'.length)}-wal`).size).toBe(0);
  });
});

describe('a SQLite file that can grow no further', () => {
  it('fails a batch as passing, keeps nothing of it, and takes it once there is room', async () => {
    await using opened = await freshSqlite();
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(opened.store.db);
    const limit = (pages: number) => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(opened.store.db);
    await limit((rows[0]?.page_count ?? 0) + 4);
    const batch = Array.from({ length: 50 }, (_, n) => contact(n, 'x'.repeat(2_000)));
    await expect(ingestBodies(opened.store, batch)).rejects.toSatisfy(isTransient);
    expect(await rowsOf(opened.store, 'event_log')).toEqual([]);
    await limit(1_000_000);
    await ingestBodies(opened.store, batch);
    expect(new Set((await rowsOf(opened.store, 'event_log')).map(({ outcome }) => outcome))).toEqual(
      new Set(['applied']),
    );
  });
});

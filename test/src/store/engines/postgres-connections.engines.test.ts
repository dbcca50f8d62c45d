// Connections to PostgreSQL that die silently, and a pooler that drops the settings of the session.
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, inject, it, vi } from 'vitest';
import { isTransient } from '#src/base/errors.ts';
import { sixDigits } from '#src/store/engines/postgres.ts';
import { withSchema } from '#src/base/database-schema.ts';
import { openStore } from '#src/store/open-store.ts';
import { readRows } from '#src/store/rows.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { createDatabase } from '../../../harness/postgres.ts';
import { openProxy } from '../../../harness/silent-proxy.ts';
import { contactDelivery } from '../../../harness/data/contact-deliveries.ts';
import { ask } from '../../../oracle/deliveries.ts';
import { ingestBodies } from '../../../harness/stores.ts';
import { copyPostgres } from '../../../harness/templates.ts';

const quiet = { report: () => undefined };

describe.runIf(inject('postgresUrl'))('a store behind a connection that passes nothing any more', () => {
  it('fails its statements as transient, and goes on over new connections', async () => {
    const url = await copyPostgres();
    await using proxy = await openProxy(url);
    await using store = await openStore(quiet, proxy.url);
    store.engine.limitSilence(500);
    const slow = store.transaction(async ({ db }) => sql`select pg_sleep(60)`.execute(db));
    // The limit is for silence of the server, and while it works it is silent too.
    await expect(slow).rejects.toSatisfy(isTransient);
    await store.engine.ping();
    // Both are clocks of this machine.
    expect(Math.abs(await store.engine.clockAheadMs())).toBeLessThan(60_000);
    expect(proxy.silence()).toBeGreaterThan(0);
    await expect(store.engine.ping()).rejects.toSatisfy(isTransient);
    await store.engine.ping();
  });

  it.each([1, 2])(
    'does not wait for ever for a server that is silent once it has let the client in, after %i answers',
    { timeout: 60_000 },
    async (answers) => {
      await using proxy = await openProxy(await copyPostgres(), { answers });
      await expect(openStore(quiet, proxy.url)).rejects.toSatisfy(isTransient);
    },
  );

  it('does not close a connection that is idle, nor one that streams to a slow reader', async () => {
    const url = await copyPostgres();
    const reported: unknown[] = [];
    await using store = await openStore({ report: (error) => void reported.push(error) }, url);
    store.engine.limitSilence(300);
    const pids = async () =>
      ask(
        url,
        `select pid from pg_stat_activity where application_name = 'slotstream' and datname = current_database() order by pid`,
      );
    const before = await pids();
    const pages = store.engine.stream({ sql: 'select generate_series(1, 200)', parameters: [] });
    await pages.next();
    await new Promise((resolve) => setTimeout(resolve, 900));
    let rows = 0;
    for await (const page of pages) rows += page.length;
    expect(rows).toBeGreaterThan(0);
    expect(await pids()).toEqual(expect.arrayContaining(before));
    expect(reported).toEqual([]);
  });
});

describe.runIf(inject('postgresUrl'))('a store behind a pooler that drops the settings of the session', () => {
  it('writes and reads the same times, and waits no longer for locks than usual', async () => {
    const url = await copyPostgres();
    await ask(url, `alter database ${new URL(url).pathname.slice(1)} set timezone = 'Asia/Kolkata'`);
    await using proxy = await openProxy(url, { dropsOptions: true });
    await using store = await openStore(quiet, proxy.url);
    expect(store.engine.isPooled()).toBe(true);
    const inside = await store.transaction(async ({ db }) => {
      const { rows } = await sql<{
        zone: string;
        lock: string;
        idle: string;
        at: string;
      }>`select current_setting('TimeZone') as zone,
        current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle, timestamptz '2025-04-14 11:42:33.5+00' as at`.execute(
        db,
      );
      return rows[0];
    });
    expect(inside).toEqual({ zone: 'UTC', lock: '10s', idle: '20s', at: '2025-04-14T11:42:33.500000Z' });
    const { rows } = await sql<{ zone: string }>`select current_setting('TimeZone') as zone`.execute(store.db);
    // Nothing of ours stays on a session that others use too.
    expect(rows).toEqual([{ zone: 'Asia/Kolkata' }]);
  });

  it('takes no lock of a session when it opens, which would stay on a connection of the pooler', async () => {
    const statements = vi.spyOn(pg.Client.prototype, 'query');
    await using _ = { [Symbol.asyncDispose]: async () => statements.mockRestore() };
    await using _store = await openStore(quiet, await createDatabase(inject('postgresUrl')));
    const texts = statements.mock.calls.map(([text]) => (typeof text === 'string' ? text : JSON.stringify(text)));
    const locks = texts.flatMap((text) => text.match(/pg_advisory\w+/g) ?? []);
    expect(new Set(locks)).toEqual(new Set(['pg_advisory_xact_lock']));
  });

  it('refuses a rebuild, whose temporary tables would hide the live ones from others', async () => {
    await using proxy = await openProxy(await copyPostgres(), { dropsOptions: true });
    await using store = await openStore(quiet, proxy.url);
    await expect(rebuild({ store } as never)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('direct connection'),
    });
  });

  it.each([undefined, 'mirror'])('has its tables in their schema, which every statement names: %s', async (schema) => {
    const url = await createDatabase(inject('postgresUrl'));
    await using proxy = await openProxy(url, { dropsOptions: true });
    await using store = await openStore(quiet, withSchema(proxy.url, schema));
    await ingestBodies(store, [contactDelivery({ id: 'a', version: 1 })]);
    const [row] = await ask(url, `select count(*) as n from ${schema ?? 'slotstream'}.contacts_wide`);
    expect([store.engine.isPooled(), row?.['n']]).toEqual([true, 1]);
    expect(await ask(url, `select 1 from pg_class where relnamespace = 'public'::regnamespace`)).toEqual([]);
  });

  it('is not suspected where the URL has options of its own, which stay', async () => {
    const url = `${await copyPostgres()}?options=${encodeURIComponent('-c statement_timeout=77s')}`;
    await using store = await openStore(quiet, url);
    const { rows } = await sql<{ limit: string }>`select current_setting('statement_timeout') as limit`.execute(
      store.db,
    );
    expect([store.engine.isPooled(), rows]).toEqual([false, [{ limit: '77s' }]]);
  });
});

it.each([
  ['2025-04-14 11:42:33.11+00', '2025-04-14T11:42:33.110000Z'],
  ['2025-04-14 11:42:33+00', '2025-04-14T11:42:33.000000Z'],
  ['2025-04-14 17:12:33.115889+05:30', '2025-04-14T11:42:33.115889Z'],
  ['2025-04-14 13:42:33.5+02', '2025-04-14T11:42:33.500000Z'],
  ['2025-01-01 00:30:00-03', '2025-01-01T03:30:00.000000Z'],
])('a time that PostgreSQL writes as %s is read as %s', (text, read) => {
  expect(sixDigits(text)).toBe(read);
});

describe.runIf(inject('postgresUrl'))('a store whose prepared statements are no longer valid', () => {
  it.each([
    ['the session was reset', 'discard all'],
    [
      'another process changed the type of a column',
      'alter table slotstream.event_types alter column color type varchar(80)',
    ],
  ])('goes on when %s', async (_what, statement) => {
    await using store = await openStore(quiet, await copyPostgres());
    const read = () =>
      store.transaction((unit) => readRows(unit, 'event_types', ['https://example.com/event_types/1']));
    await read();
    const prepared = async () => (await sql`select name from pg_prepared_statements`.execute(store.db)).rows.length;
    expect(await prepared()).toBeGreaterThan(0);
    await sql.raw(statement).execute(store.db);
    expect(await read()).toEqual(new Map());
    expect(await read()).toEqual(new Map());
  });
});

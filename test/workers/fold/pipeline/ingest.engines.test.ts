// What every store is, on each engine: its keys, and that what is written comes back as it was.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Json } from '#src/store/columns.ts';
import { readRows, writeRows, type StoredRow, type UriRow } from '#src/store/rows.ts';
import type { MirrorTable } from '#workers/fold/projections/contract.ts';
import { openStore } from '#src/store/open-store.ts';
import { tables } from '#src/store/schema/tables.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { availableEngines } from '../../../harness/stores.ts';

describe.each(availableEngines)('a store on $name', ({ blank, fresh }) => {
  const opened = openedOnce(fresh);

  async function roundTrip(table: MirrorTable, row: UriRow): Promise<StoredRow> {
    await opened.store.transaction((unit) => writeRows(unit, table, [row]));
    return opened.store.transaction(async (unit) => (await readRows(unit, table, [row.uri])).get(row.uri) as StoredRow);
  }

  it('holds the keys that the page of tables says', async () => {
    for (const [name, { key }] of Object.entries(tables)) {
      const { rows } =
        opened.store.engine.name === 'sqlite'
          ? await sql<{ name: string }>`select name from pragma_table_info(${name})
              where pk > 0`.execute(opened.store.db)
          : await sql<{
              name: string;
            }>`select a.attname as name from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
              where i.indrelid = ${`slotstream.${name}`}::regclass and i.indisprimary`.execute(opened.store.db);
      expect([name, ...rows.map((row) => row.name).toSorted()]).toEqual([name, ...[...key].toSorted()]);
    }
  });

  it('gives timestamps back with their six digits', async () => {
    const times = {
      created_at: '2025-04-14T11:42:33.115889Z',
      updated_at: '2025-04-14T11:42:33.000000Z',
      as_of: '2025-04-14T11:42:33.100000Z',
      deleted_at: '0001-01-01T00:00:00.000001Z',
      last_meeting_date: '9999-12-31T23:59:59.999999Z',
      first_email_date: '1969-12-31T23:59:59.999990Z',
    };
    expect(await roundTrip('contacts', { uri: 'https://x/times', ...times })).toMatchObject(times);
  });

  it('gives JSON back as the value it was, whatever kind of value it is', async () => {
    const values: Json[] = [
      'text',
      '"5"',
      '5',
      '',
      5,
      -0.5,
      1e-300,
      12345678901234,
      true,
      false,
      [],
      {},
      [null, [1, { a: null }]],
      { 'a.b"c': 'ž🐎\u202e' },
    ];
    for (const value of values) {
      expect((await roundTrip('contacts', { uri: 'https://x/json', custom_fields: value }))['custom_fields']).toEqual(
        value,
      );
    }
  });

  it('gives flags and numbers back, and null where there is nothing', async () => {
    const values = { active: true, secret: false, admin_managed: null, duration: 30, position: 0 };
    expect(await roundTrip('event_types', { uri: 'https://x/flags', ...values })).toMatchObject(values);
    const amounts = { payment_amount: 12.35, payment_successful: false, rescheduled: true };
    expect(await roundTrip('invitees', { uri: 'https://x/amount', ...amounts })).toMatchObject(amounts);
    const whole = await roundTrip('invitees', { uri: 'https://x/nothing' });
    expect(Object.entries(whole).filter(([, value]) => value !== null)).toEqual([['uri', 'https://x/nothing']]);
  });

  it('writes and reads more rows at once than one statement holds', async () => {
    const rows = Array.from({ length: 205 }, (_, n) => ({ uri: `https://x/many/${n}`, name: `n${n}` }));
    const found = await opened.store.transaction(async (unit) => {
      await writeRows(unit, 'contacts', rows);
      return readRows(
        unit,
        'contacts',
        rows.map(({ uri }) => uri),
      );
    });
    expect([...found.values()].map(({ name }) => name).toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
  });

  it('is refused when a newer version has migrated it', async () => {
    await using newer = await fresh();
    await sql`insert into ${sql.table('kysely_migration')} (name, timestamp) values ('9999-from-the-future', '2099-01-01')`.execute(
      newer.store.db,
    );
    await expect(openStore({ report: () => {} }, newer.url)).rejects.toMatchObject({ code: 'store_version' });
  });

  it('is opened read-only where it exists, and not created where it does not', async () => {
    const existing = { report: () => {}, existing: true };
    await using there = await fresh();
    await (await openStore(existing, there.url)).close();
    await using nothing = await blank();
    for (const _again of [1, 2])
      await expect(openStore(existing, nothing.url)).rejects.toMatchObject({
        code: 'no_mirror',
        message: expect.not.stringContaining('postgres://') as string,
      });
    await (await openStore({ report: () => {} }, nothing.url)).close();
    await (await openStore(existing, nothing.url)).close();
  });
});

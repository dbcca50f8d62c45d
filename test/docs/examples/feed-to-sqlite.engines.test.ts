// The Python consumer copies every table of records and goes on where it stopped.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import BetterSqlite from 'better-sqlite3';
import { expect, inject, it } from 'vitest';
import { openStore } from '#src/store/open-store.ts';
import { ingestCountedBookings } from '../../harness/data/counted-bookings.ts';
import { openHome } from '../../harness/product.ts';
import { ingestBodies } from '../../harness/stores.ts';

const script = join(import.meta.dirname, '../../../docs/examples/feed_to_sqlite.py');
const run = promisify(execFile);

it.runIf(inject('pythonPath') !== '')('the Python consumer keeps a copy of the tables, deletes included', async () => {
  await using home = await openHome();
  await using store = await openStore({ report: () => {} }, home.store);
  await ingestCountedBookings(store);
  const product = await home.open('start');
  const copyPath = join(home.dataDir, 'copy.db');
  const env = {
    ...process.env,
    SLOTSTREAM_URL: (await product.admin('/healthz')).url.replace(/\/healthz$/, ''),
    SLOTSTREAM_TOKEN: home.settings['ADMIN_TOKEN'] ?? '',
  };
  const copied = async () => (await run(inject('pythonPath'), [script, copyPath, '--once'], { env })).stdout;
  const rowsIn = (query: string) => {
    const copy = new BetterSqlite(copyPath, { readonly: true });
    try {
      return copy.prepare(query).all();
    } finally {
      copy.close();
    }
  };

  expect(await copied()).toMatch(/^Copied entries: \d\d\./);
  for (const table of [
    'invitees',
    'scheduled_events',
    'contacts',
    'event_types',
    'routing_form_submissions',
  ] as const) {
    const rows = await store.db.selectFrom(table).select(['uri', 'created_at']).orderBy('uri').execute();
    expect(rowsIn(`select uri, created_at from ${table} order by uri`)).toEqual(rows);
  }
  expect(rowsIn("select emails from contacts where name = 'Guest A'")).toEqual([
    { emails: '[{"email": "a@example.test", "is_primary": true}]' },
  ]);

  const uri = 'https://api.example.test/contacts/a';
  await ingestBodies(store, [
    JSON.stringify({
      event: 'contact.deleted',
      created_at: '2025-02-01T00:00:00.000000Z',
      payload: { uri, deleted_at: '2025-02-01T00:00:00.000000Z' },
    }),
  ]);
  expect(await copied()).toMatch(/^Copied entries: 1\./);
  expect(rowsIn('select uri from contacts')).toEqual([]);
  expect(await (await product.admin('/api/feed/consumers')).text()).toContain('feed-to-sqlite');
});

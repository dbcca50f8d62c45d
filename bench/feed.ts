// How fast the feed is read from a log of a million entries on SQLite: whole, as text, page after page.
import { join } from 'node:path';
import { sql } from 'kysely';
import { readFeed } from '#src/feed/entry.ts';
import type { Store } from '#src/store/contract.ts';
import { openStore } from '#src/store/open-store.ts';
import { bodies } from './deliveries.ts';
import { openBulk } from './bulk.ts';
import { percentile, type Measurement } from './measure.ts';
import { temporaryFolder } from './processes.ts';

const entries = 1_000_000;
const patterns = 1_000;
const limit = 1_000;
/** So many of them are read a second time. */
const created = 50_000;

export const feed: Measurement = {
  name: 'feed',
  about: `a log of ${entries} entries read through the feed on SQLite`,
  async run() {
    using folder = temporaryFolder();
    const path = join(folder.path, 'mirror.db');
    await fill(path);
    await using store = await openStore({ report: () => {} }, `sqlite:${path}`);
    const { pageMs, characters, perSecond } = await readAll(store, { after: 0 });
    const rareAt = performance.now();
    await readFeed(store, { events: ['no.such_event'] }, { after: 0, limit });
    const nothingFoundMs = performance.now() - rareAt;
    // The last of them again, as entries that created their rows: their changes are derived from their bodies.
    const after = entries - created;
    await sql`update event_log set changes = '{"contacts":"created","invitees":"created","scheduled_events":"created"}'
      where seq > ${after}`.execute(store.db);
    const derived = await readAll(store, { after });
    return [
      { name: 'feed.per_second', value: perSecond, limit: ['>=', 50_000] },
      { name: 'feed.created_ratio', value: derived.perSecond / perSecond, limit: ['>=', 0.1] },
      { name: 'feed.entry_characters', value: characters },
      // How long other requests of the process wait for a page.
      { name: 'feed.page_p99_ms', value: percentile(pageMs, 0.99) },
      { name: 'feed.nothing_found_ms', value: nothingFoundMs },
    ];
  },
};

async function readAll(store: Store, from: { readonly after: number }) {
  const pageMs: number[] = [];
  let { after } = from;
  let characters = 0;
  let read = 0;
  const startedAt = performance.now();
  for (;;) {
    const pageAt = performance.now();
    const page = await readFeed(store, {}, { after, limit });
    pageMs.push(performance.now() - pageAt);
    if (page.entries.length === 0) break;
    read += page.entries.length;
    for (const { text } of page.entries) characters += text.length;
    after = page.nextAfter;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  if (read !== entries - from.after) throw new Error(`${read} of ${entries - from.after} entries were read`);
  return { pageMs, characters: characters / read, perSecond: read / seconds };
}

/** Entries as the product writes them, a thousand different ones over and over. */
async function fill(path: string): Promise<void> {
  const database = await openBulk(path);
  database.exec(
    'create temp table pattern (n integer primary key, event text, subject_uri text, changes text, body text)',
  );
  const keep = database.prepare('insert into pattern (event, subject_uri, changes, body) values (?, ?, ?, ?)');
  for (const body of bodies(patterns, 11)) {
    const { event, payload } = JSON.parse(body) as { event: string; payload: { uri?: string; email?: string } };
    keep.run(event, payload.uri ?? null, JSON.stringify({ contacts: { company: [null, payload.email ?? ''] } }), body);
  }
  database.exec(`
    insert into event_log (delivery_id, source, event, subject_uri, occurred_at, received_at, outcome, changes, body, tie)
    with recursive n(i) as (select 0 union all select i + 1 from n where i < ${entries} - 1)
    select lower(hex(randomblob(32))), 'webhook', event, subject_uri, '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:01.000000Z', 'applied',
      changes, body, '0000000000000000' from n join pattern on pattern.n = 1 + n.i % ${patterns}`);
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}

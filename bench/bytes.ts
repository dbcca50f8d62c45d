// How much is written and stored per event on SQLite: pages of the write-ahead log by size of the batch, and bytes of the file. These
// figures do not depend on the speed of the machine.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { openStore } from '#src/store/open-store.ts';
import { ingest } from '../test/harness/ingest.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { bodies } from './deliveries.ts';
import type { Figure, Measurement } from './measure.ts';
import { temporaryFolder } from './processes.ts';

const events = 10_000;
const receivedAt = '2026-01-01T00:00:00.000000Z';
/** A frame of the write-ahead log is a page with a header. */
const frameBytes = 4_096 + 24;

export const bytes: Measurement = {
  name: 'bytes',
  about: `${events} deliveries on SQLite: pages written and bytes stored per event`,
  async run() {
    const story = bodies(events, 3);
    const figures: Figure[] = [];
    for (const batchSize of [50, 256, 1_024]) {
      const { pages, log, file } = await written(story, batchSize);
      const name = `bytes.wal_pages_${batchSize}`;
      // Half of what batches of 50 wrote before deliveries were committed in groups.
      figures.push(batchSize === 50 ? { name, value: pages } : { name, value: pages, limit: ['<=', 5.7] });
      if (batchSize === 256)
        figures.push({ name: 'bytes.log', value: log, limit: ['<=', 4_000] }, { name: 'bytes.file', value: file });
    }
    return figures;
  },
};

async function written(
  story: readonly string[],
  batchSize: number,
): Promise<Readonly<Record<'pages' | 'log' | 'file', number>>> {
  using folder = temporaryFolder();
  const path = join(folder.path, 'mirror.db');
  await using store = await openStore({ report: () => {} }, `sqlite:${path}`);
  const reader = new Sqlite(path);
  reader.pragma('wal_checkpoint(TRUNCATE)');
  // While this transaction is open, the write-ahead log is not started again.
  reader.exec('begin');
  reader.prepare('select count(*) from event_log').get();
  const needs = { store, screen: privacyScreen({ eraseOnDelete: true }) };
  for (let at = 0; at < story.length; at += batchSize) {
    const deliveries = story.slice(at, at + batchSize).map((body) => ({ body, receivedAt }));
    await ingest(needs, { v: 1, deliveries }, receivedAt);
  }
  const pages = statSync(`${path}-wal`).size / frameBytes / events;
  reader.exec('commit');
  const stored = reader
    .prepare<[], { readonly log: number; readonly file: number }>(
      `select sum(pgsize) as file, sum(pgsize) filter (where name like '%event_log%') as log from dbstat`,
    )
    .get();
  reader.close();
  return { pages, log: (stored?.log ?? Number.NaN) / events, file: (stored?.file ?? Number.NaN) / events };
}

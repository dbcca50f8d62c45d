// How fast batches of 50 become rows on SQLite, against a bare better-sqlite3 loop that writes the same rows in the same
// transactions without reading, parsing or folding anything.
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { openStore } from '#src/store/open-store.ts';
import { ingest } from '#workers/pipeline/ingest.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { bodies } from './deliveries.ts';
import { median, type Measurement } from './measure.ts';
import { temporaryFolder } from './processes.ts';
import { recordWrites, type Recorded } from './recorder.ts';

const events = 10_000;
const batchSize = 50;
const rounds = 3;
const receivedAt = '2026-01-01T00:00:00.000000Z';

export const project: Measurement = {
  name: 'project',
  about: `${events} deliveries projected on SQLite against a bare loop writing the same rows`,
  async run() {
    const story = bodies(events, 3);
    const writes = await recorded(story);
    const product: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      product.push(await projectedPerSecond(story));
      bare.push(await writtenPerSecond(writes));
    }
    return [
      { name: 'project.per_second', value: median(product) },
      { name: 'project.bare_per_second', value: median(bare) },
      { name: 'project.ratio', value: median(product) / median(bare), limit: ['>=', 0.3] },
    ];
  },
};

export async function ingestAll(url: string, story: readonly string[]): Promise<number> {
  await using store = await openStore({ report: () => {} }, url);
  const startedAt = performance.now();
  for (let at = 0; at < story.length; at += batchSize) {
    const deliveries = story.slice(at, at + batchSize).map((body) => ({ body, receivedAt }));
    await ingest({ store, screen: privacyScreen({ eraseOnDelete: true }) }, { v: 1, deliveries }, receivedAt);
  }
  return (performance.now() - startedAt) / 1000;
}

async function projectedPerSecond(story: readonly string[]): Promise<number> {
  using folder = temporaryFolder();
  return events / (await ingestAll(`sqlite:${join(folder.path, 'mirror.db')}`, story));
}

async function recorded(story: readonly string[]): Promise<readonly Recorded[]> {
  using folder = temporaryFolder();
  using recorder = recordWrites();
  await ingestAll(`sqlite:${join(folder.path, 'mirror.db')}`, story);
  return recorder.writes.filter(({ sql }) => !/^(create|drop|alter|pragma)/i.test(sql) && !sql.includes('kysely_'));
}

async function writtenPerSecond(writes: readonly Recorded[]): Promise<number> {
  using folder = temporaryFolder();
  const path = join(folder.path, 'mirror.db');
  // The empty tables come from the product; the file is then opened with the same settings.
  await using made = await openStore({ report: () => {} }, `sqlite:${path}`);
  await made.close();
  const database = new Sqlite(path);
  for (const setting of ['journal_mode = WAL', 'synchronous = FULL', 'secure_delete = ON', 'cache_size = -8000'])
    database.pragma(setting);
  const statements = new Map<string, Sqlite.Statement>();
  const startedAt = performance.now();
  for (const { sql, parameters } of writes) {
    let statement = statements.get(sql);
    if (!statement) statements.set(sql, (statement = database.prepare(sql)));
    statement.run(parameters);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  database.close();
  return events / seconds;
}

// How fast jobs of 50 deliveries become rows on SQLite, as the worker takes them off a full queue, against a bare better-sqlite3 loop
// that writes the same rows in the same transactions without reading, parsing or folding anything.
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { createLog } from '#src/observability/log.ts';
import type { BatchProcessor } from '#src/queue/contract.ts';
import { openStore } from '#src/store/open-store.ts';
import { startDeliveryWorker } from '#workers/fold/pipeline/delivery-worker.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { bodies } from './deliveries.ts';
import { median, medianFigure, type Measurement } from './measure.ts';
import { temporaryFolder } from './processes.ts';

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
    const cpu: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const before = process.cpuUsage();
      product.push(await projectedPerSecond(story));
      const { user, system } = process.cpuUsage(before);
      cpu.push((user + system) / events);
      bare.push(await writtenPerSecond(writes));
    }
    return [
      { name: 'project.per_second', value: median(product) },
      { ...medianFigure('project.cpu_us', cpu), unit: 'µs/event' },
      { name: 'project.bare_per_second', value: median(bare) },
      { name: 'project.ratio', value: median(product) / median(bare), limit: ['>=', 0.3] },
    ];
  },
};

/** Hands the story to a delivery worker in jobs, as a queue would. Returns seconds. */
export async function ingestAll(
  url: string,
  story: readonly string[],
  receivedAtOf: (body: string) => string = () => receivedAt,
): Promise<number> {
  await using store = await openStore({ report: () => {} }, url);
  let process: BatchProcessor | undefined;
  let concurrency = 0;
  const worker = startDeliveryWorker({
    store,
    screen: privacyScreen({ eraseOnDelete: true }),
    queue: {
      work(given, _quarantine, options) {
        process = given;
        concurrency = options.concurrency;
        return { close: async () => {} };
      },
    },
    metrics: { projected: () => {}, visible: () => {} },
    log: createLog({ level: 'silent', pretty: false }),
    clock: Date.now,
  });
  const jobs = Array.from({ length: Math.ceil(story.length / batchSize) }, (_, at) => ({
    v: 1,
    deliveries: story
      .slice(at * batchSize, (at + 1) * batchSize)
      .map((body) => ({ body, receivedAt: receivedAtOf(body) })),
  }));
  const startedAt = performance.now();
  const take = async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await process?.(job);
  };
  await Promise.all(Array.from({ length: concurrency }, take));
  const seconds = (performance.now() - startedAt) / 1000;
  await worker.close();
  return seconds;
}

async function projectedPerSecond(story: readonly string[]): Promise<number> {
  using folder = temporaryFolder();
  return events / (await ingestAll(`sqlite:${join(folder.path, 'mirror.db')}`, story));
}

async function recorded(story: readonly string[]): Promise<readonly Recorded[]> {
  using folder = temporaryFolder();
  const url = `sqlite:${join(folder.path, 'mirror.db')}`;
  // The migrations are not part of it.
  await (await openStore({ report: () => {} }, url)).close();
  using recorder = recordWrites();
  await ingestAll(url, story);
  return recorder.writes.filter(({ sql }) => !/^(create|drop|alter|pragma)/i.test(sql) && !sql.includes('kysely_'));
}

interface Recorded {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Records every writing statement until disposed. */
function recordWrites(): Disposable & { readonly writes: Recorded[] } {
  const writes: Recorded[] = [];
  const scratch = new Sqlite(':memory:');
  const prototype = Object.getPrototypeOf(scratch.prepare('select 1')) as {
    run(parameters: readonly unknown[]): unknown;
  };
  scratch.close();
  const original = prototype.run;
  prototype.run = function record(this: Sqlite.Statement, parameters: readonly unknown[]) {
    writes.push({ sql: this.source, parameters });
    return original.call(this, parameters);
  };
  return { writes, [Symbol.dispose]: () => void (prototype.run = original) };
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

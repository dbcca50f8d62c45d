// How fast `slotstream rebuild` folds a long log on SQLite and on PostgreSQL, in a mirror where no row differs, and what it holds in
// memory meanwhile.
import { appendEntries } from '#src/store/log/append.ts';
import { lockLog } from '#src/store/locks.ts';
import { openStore } from '#src/store/open-store.ts';
import { parseBatch } from '#workers/fold/pipeline/parse.ts';
import { cpuSecondsOfAll } from './cpu.ts';
import { bodies } from './deliveries.ts';
import type { Figure, Measurement } from './measure.ts';
import { startServers } from './mirror.ts';
import { runProduct, temporaryFolder } from './processes.ts';

/** How many entries the log has; a million takes some minutes to fill. */
const entriesVariable = 'SLOTSTREAM_BENCH_ENTRIES';
const entries = Number(process.env[entriesVariable] ?? 100_000);
/** A longer log holds the same story several times, about other records. */
const storyLength = Math.min(entries, 20_000);
const perTransaction = 2_000;
const receivedAt = '2026-01-01T00:00:00.000000Z';

export const rebuilding: Measurement = {
  name: 'rebuild',
  about: `${entries} log entries (${entriesVariable}) on SQLite and on PostgreSQL`,
  async run() {
    const story = bodies(storyLength, 5);
    using folder = temporaryFolder();
    await fillLog(`sqlite:${folder.path}/mirror.db`, story);
    const sqlite = await measured('sqlite', { DATA_DIR: folder.path }, []);
    await using servers = await startServers();
    const url = await servers.postgres.createDatabase();
    await fillLog(url, story);
    const env = { DATA_DIR: folder.path, DATABASE_URL: url };
    return [...sqlite, ...(await measured('postgres', env, [servers.pids.postgres]))];
  },
};

/** Only the log: the first rebuild makes the rows. */
async function fillLog(url: string, story: readonly string[]): Promise<void> {
  await using store = await openStore({ report: () => {} }, url);
  for (let at = 0; at < entries; at += perTransaction) {
    const copy = Math.floor(at / story.length);
    const from = at % story.length;
    const deliveries = story.slice(from, from + perTransaction).map((body) => {
      return { body: body.replaceAll('api.scheduling.test', `copy${copy}.scheduling.test`), receivedAt };
    });
    const parsed = parseBatch({ v: 1, deliveries }, receivedAt);
    await store.transaction(async (unit) => {
      await lockLog(unit);
      const changes = { contacts: { city: [null, 'Berlin'] } };
      await appendEntries(
        unit,
        parsed.map(({ entry }) => ({ ...entry, outcome: 'applied' as const, changes })),
      );
    });
  }
}

async function measured(
  engine: string,
  env: Readonly<Record<string, string>>,
  servers: readonly number[],
): Promise<readonly Figure[]> {
  await rebuild(env);
  const pids = [process.pid, ...servers];
  const cpuBefore = cpuSecondsOfAll(pids);
  const { seconds, peakMb, rowsDiffered } = await rebuild(env);
  const cpu = cpuSecondsOfAll(pids) - cpuBefore;
  if (rowsDiffered !== 0) throw new Error(`A second rebuild found ${rowsDiffered} rows that differ.`);
  return [
    { name: `rebuild.${engine}_per_second`, value: entries / seconds, unit: 'entries/s', limit: ['>=', 5_000] },
    { name: `rebuild.${engine}_cpu_us`, value: (cpu / entries) * 1e6, unit: 'µs/entry' },
    { name: `rebuild.${engine}_rss_mb`, value: peakMb, unit: 'MB', limit: ['<=', 250] },
  ];
}

async function rebuild(env: Readonly<Record<string, string>>) {
  const startedAt = performance.now();
  const { output, peakMb } = await runProduct(['rebuild', '--json'], env);
  const report = JSON.parse(output) as { entries: number; rowsDiffered: number };
  if (report.entries !== entries) throw new Error(`The rebuild read ${report.entries} of ${entries} entries.`);
  return { seconds: (performance.now() - startedAt) / 1000, peakMb, rowsDiffered: report.rowsDiffered };
}

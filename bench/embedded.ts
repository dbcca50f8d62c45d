// The default with nothing to install, end to end: the first start, deliveries sent by HTTP until they are rows, and the memory.
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { residentMb, watchPeak } from './cpu.ts';
import type { Measurement } from './measure.ts';
import { runLoad, startProduct, temporaryFolder } from './processes.ts';

const seconds = 5;
const idleMs = 3000;

export const embedded: Measurement = {
  name: 'embedded',
  about: `first start, and end to end on the embedded queue and SQLite for ${seconds} s`,
  drivesProcesses: true,
  async run() {
    using folder = temporaryFolder();
    const startedAt = performance.now();
    await using product = await startProduct('start', { DATA_DIR: folder.path });
    const startSeconds = (performance.now() - startedAt) / 1000;
    await wait(idleMs);
    const idleMb = residentMb(product.pid);
    const database = new Sqlite(join(folder.path, 'mirror.db'), { readonly: true });
    const logged = database.prepare<[], { entries: number }>(
      'select count(*) + coalesce(sum(duplicates), 0) as entries from event_log',
    );
    using peak = watchPeak(product.pid);
    const load = await runLoad({ port: product.port, connections: 64, seconds, bodies: 20_000 });
    const drainingSince = performance.now();
    const accepted = load.statuses['202'] ?? 0;
    for (const endAt = performance.now() + 60_000; performance.now() < endAt; await wait(20)) {
      if ((logged.get()?.entries ?? 0) >= accepted) break;
    }
    const drainSeconds = (performance.now() - drainingSince) / 1000;
    const entries = logged.get()?.entries ?? 0;
    database.close();
    if (entries < accepted) throw new Error(`only ${entries} of ${accepted} accepted deliveries became rows`);
    return [
      { name: 'embedded.per_second', value: accepted / (load.seconds + drainSeconds), limit: ['>=', 900] },
      { name: 'embedded.rss_mb', value: peak.mb, limit: ['<=', 220], unit: 'MB' },
      { name: 'embedded.idle_mb', value: idleMb, limit: ['<=', 160], unit: 'MB' },
      { name: 'embedded.first_start_s', value: startSeconds, limit: ['<=', 2], unit: 's' },
    ];
  },
};

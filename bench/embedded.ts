// The default with nothing to install, end to end: deliveries sent by HTTP until they are rows, and the memory it takes.
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import type { Measurement } from './measure.ts';
import { residentMb } from './memory.ts';
import { runLoad, startProduct, temporaryFolder } from './processes.ts';

const seconds = 5;

export const embedded: Measurement = {
  name: 'embedded',
  about: `end to end on the embedded queue and SQLite for ${seconds} s`,
  async run() {
    using folder = temporaryFolder();
    await using product = await startProduct('start', { DATA_DIR: folder.path });
    const database = new Sqlite(join(folder.path, 'mirror.db'), { readonly: true });
    const logged = database.prepare<[], { entries: number }>(
      'select count(*) + coalesce(sum(duplicates), 0) as entries from event_log',
    );
    const startedAt = performance.now();
    const { statuses } = await runLoad({ port: product.port, connections: 64, seconds, bodies: 20_000 });
    const accepted = statuses['202'] ?? 0;
    for (const endAt = performance.now() + 60_000; performance.now() < endAt; await wait(20)) {
      if ((logged.get()?.entries ?? 0) >= accepted) break;
    }
    const tookSeconds = (performance.now() - startedAt) / 1000;
    const entries = logged.get()?.entries ?? 0;
    const memoryMb = residentMb(product.pid);
    database.close();
    if (entries < accepted) throw new Error(`only ${entries} of ${accepted} accepted deliveries became rows`);
    return [
      // "About 1,000" is what is wanted; this far below it is not about that any more.
      { name: 'embedded.per_second', value: accepted / tookSeconds, limit: ['>=', 700] },
      { name: 'embedded.rss_mb', value: memoryMb, unit: 'MB' },
    ];
  },
};

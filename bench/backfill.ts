// How much of a backfill is waiting for the service, and whether its memory grows with the address book.
import type { Standing } from './backfill-walker.ts';
import type { Measurement } from './measure.ts';
import { startSandbox, startWalker, temporaryFolder } from './processes.ts';

const contacts = 60_000;
const first = 10_000;
const latencyMs = 50;

export const backfill: Measurement = {
  name: 'backfill',
  about: `${contacts} contacts from the sandbox into SQLite without a rate limit: the first ${first} with answers that take ${latencyMs} ms more`,
  async run() {
    using folder = temporaryFolder();
    await using sandbox = await startSandbox({ contacts });
    await sandbox.faults({ latency_ms: latencyMs });
    await using walker = startWalker<Standing>([sandbox.baseUrl, sandbox.token, folder.path, String(first)]);
    const early = await walker.next();
    await sandbox.faults({});
    const end = await walker.next();
    if (end.rows !== contacts) throw new Error(`${end.rows} of ${contacts} contacts were read`);
    const rest = { rows: end.rows - early.rows, ms: end.elapsedMs - early.elapsedMs };
    return [
      // The time in which a call was out. It overlaps with folding the page before, which the second figure tells.
      { name: 'backfill.wait_share', value: early.waitedMs / early.elapsedMs, limit: ['>=', 0.7] },
      { name: 'backfill.busy_share', value: early.busyMs / early.elapsedMs },
      { name: 'backfill.rows_per_s', value: (rest.rows / rest.ms) * 1000 },
      { name: 'backfill.rss_mb', value: end.peakMb, limit: ['<=', 250], unit: 'MB' },
      { name: 'backfill.rss_growth', value: end.peakMb / early.peakMb, limit: ['<=', 1.15] },
    ];
  },
};

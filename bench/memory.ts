// What receiver and worker hold in memory under full load on Redis.
import { readFileSync } from 'node:fs';
import { startRedis } from '../test/harness/redis.ts';
import type { Measurement } from './measure.ts';
import { runLoad, startProduct, temporaryFolder } from './processes.ts';

const seconds = 10;

export const memory: Measurement = {
  name: 'memory',
  about: `resident memory of receiver and worker under full load on Redis for ${seconds} s`,
  async run() {
    await using redis = await startRedis();
    using folder = temporaryFolder();
    const env = { DATA_DIR: folder.path, QUEUE_URL: redis.url };
    await using receiver = await startProduct('receive', env);
    await using worker = await startProduct('work', { ...env, DATA_DIR: `${folder.path}/work` });
    const peaks = { receiver: 0, worker: 0 };
    const looking = setInterval(() => {
      peaks.receiver = Math.max(peaks.receiver, residentMb(receiver.pid));
      peaks.worker = Math.max(peaks.worker, residentMb(worker.pid));
    }, 100);
    await runLoad({ port: receiver.port, connections: 64, seconds, bodies: 5_000 });
    clearInterval(looking);
    return [
      { name: 'rss_mb.receiver', value: peaks.receiver, limit: ['<=', 200], unit: 'MB' },
      { name: 'rss_mb.worker', value: peaks.worker, limit: ['<=', 200], unit: 'MB' },
    ];
  },
};

export function residentMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) / 1024;
}

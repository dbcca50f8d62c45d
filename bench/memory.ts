// What receiver and worker hold in memory under full load on Redis.
import { readFileSync } from 'node:fs';
import { startRedis } from '../test/harness/redis.ts';
import type { Measurement } from './measure.ts';
import { command, installProduct, runLoad, startProduct, temporaryFolder } from './processes.ts';

const seconds = 10;

export const memory: Measurement = {
  name: 'memory',
  about: `resident memory of receiver and worker under full load on Redis for ${seconds} s, from a checkout and installed`,
  async run() {
    using installed = await installProduct();
    const [checkout, installation] = [await peaksOf(command), await peaksOf(installed.command)];
    return [
      { name: 'rss_mb.receiver', value: checkout.receiver, limit: ['<=', 200], unit: 'MB' },
      { name: 'rss_mb.worker', value: checkout.worker, limit: ['<=', 200], unit: 'MB' },
      { name: 'rss_mb.installed_receiver', value: installation.receiver, limit: ['<=', 200], unit: 'MB' },
      { name: 'rss_mb.installed_worker', value: installation.worker, limit: ['<=', 200], unit: 'MB' },
    ];
  },
};

async function peaksOf(program: string): Promise<{ readonly receiver: number; readonly worker: number }> {
  await using redis = await startRedis();
  using folder = temporaryFolder();
  const env = { DATA_DIR: folder.path, QUEUE_URL: redis.url };
  await using receiver = await startProduct('receive', env, program);
  await using worker = await startProduct('work', { ...env, DATA_DIR: `${folder.path}/work` }, program);
  const peaks = { receiver: 0, worker: 0 };
  const looking = setInterval(() => {
    peaks.receiver = Math.max(peaks.receiver, residentMb(receiver.pid));
    peaks.worker = Math.max(peaks.worker, residentMb(worker.pid));
  }, 100);
  await runLoad({ port: receiver.port, connections: 64, seconds, bodies: 5_000 });
  clearInterval(looking);
  return peaks;
}

export function residentMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) / 1024;
}

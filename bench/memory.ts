// What receiver and worker hold in memory under full load on Redis.
import { startRedis } from '../test/harness/redis.ts';
import { watchPeak } from './cpu.ts';
import type { Figure, Measurement } from './measure.ts';
import { command, installProduct, runLoad, startProduct, temporaryFolder } from './processes.ts';

const seconds = 10;

export const memory: Measurement = {
  name: 'memory',
  about: `resident memory of receiver and worker under full load on Redis for ${seconds} s, from a checkout and installed`,
  async run() {
    using installed = await installProduct();
    return [...(await peaksOf('', command)), ...(await peaksOf('installed_', installed.command))];
  },
};

async function peaksOf(prefix: string, program: string): Promise<readonly Figure[]> {
  await using redis = await startRedis();
  using folder = temporaryFolder();
  const env = { DATA_DIR: folder.path, QUEUE_URL: redis.url };
  await using receiver = await startProduct('receive', env, program);
  await using worker = await startProduct('work', { ...env, DATA_DIR: `${folder.path}/work` }, program);
  using receiverPeak = watchPeak(receiver.pid);
  using workerPeak = watchPeak(worker.pid);
  await runLoad({ port: receiver.port, connections: 64, seconds, bodies: 5_000 });
  return [
    { name: `rss_mb.${prefix}receiver`, value: receiverPeak.mb, limit: ['<=', 200], unit: 'MB' },
    { name: `rss_mb.${prefix}worker`, value: workerPeak.mb, limit: ['<=', 250], unit: 'MB' },
  ];
}

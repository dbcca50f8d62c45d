// What `start` costs while nothing arrives: CPU time and wake-ups, embedded and on Redis, with a SQLite file.
import { setTimeout as wait } from 'node:timers/promises';
import { startRedis } from '../test/harness/redis.ts';
import { idleUsage } from './cpu.ts';
import type { Figure, Measurement } from './measure.ts';
import { startProduct, temporaryFolder } from './processes.ts';

/** After the start: its last compilations and first runs of jobs belong to it. */
const settleSeconds = 10;
const seconds = 30;

export const idle: Measurement = {
  name: 'idle',
  about: `CPU and wake-ups of an idle \`start\` over ${seconds} s, embedded and on Redis`,
  drivesProcesses: true,
  async run() {
    const figures = [...(await measure('embedded', {}))];
    await using redis = await startRedis();
    figures.push(...(await measure('redis', { QUEUE_URL: redis.url })));
    return figures;
  },
};

async function measure(name: string, queue: Readonly<Record<string, string>>): Promise<readonly Figure[]> {
  using folder = temporaryFolder();
  await using product = await startProduct('start', { DATA_DIR: folder.path, ...queue });
  await wait(settleSeconds * 1000);
  const before = idleUsage(product.pid);
  await wait(seconds * 1000);
  const after = idleUsage(product.pid);
  return [
    {
      name: `idle.${name}_cpu`,
      value: ((after.cpuSeconds - before.cpuSeconds) / seconds) * 100,
      limit: ['<=', 0.5],
      unit: '%',
    },
    { name: `idle.${name}_wakeups`, value: (after.wakeups - before.wakeups) / seconds, unit: '/s' },
  ];
}

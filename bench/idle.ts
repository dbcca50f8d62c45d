// What `start` costs while nothing arrives: CPU time and wake-ups, embedded and on Redis, with a SQLite file.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { startRedis } from '../test/harness/redis.ts';
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
  const before = usageOf(product.pid);
  await wait(seconds * 1000);
  const after = usageOf(product.pid);
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

/** Over all threads. /proc/PID/stat counts in hundredths of a second, which is too coarse for an idle process. */
function usageOf(pid: number): { readonly cpuSeconds: number; readonly wakeups: number } {
  const usage = { cpuSeconds: 0, wakeups: 0 };
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ');
    const status = readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8');
    usage.cpuSeconds += Number(nanoseconds) / 1e9;
    usage.wakeups += Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  }
  return usage;
}

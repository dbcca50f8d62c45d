// Single deliveries at a steady rate on Redis and PostgreSQL, with one worker and with three: how long the longest waits for its
// row, what an event costs, and the highest rate.
import { cpuSecondsOfAll } from './cpu.ts';
import { bodies, request } from './deliveries.ts';
import { percentile, type Figure, type Measurement } from './measure.ts';
import { sendUntilStored, startMirror, startServers, type Servers } from './mirror.ts';
import { sendRequests } from './processes.ts';
import { coldSeconds, postgresLog, watchLog } from './watch-log.ts';

const rates = [200, 1_000];
const seconds = 15;
const burst = 5_000;
/** By all workers together, so that the receiver and the tables are the same for one and for three. */
const warmUp = 24_000;

export const steady: Measurement = {
  name: 'steady',
  about: `single deliveries at ${rates.join(' and ')}/s (new, then warm) for ${seconds} s on Redis and PostgreSQL, one and three workers`,
  drivesProcesses: true,
  async run() {
    await using servers = await startServers();
    const one = await withWorkers(1, servers);
    const three = await withWorkers(3, servers);
    return [
      ...one.figures,
      ...three.figures,
      { name: 'steady.events_per_cpu_second_ratio', value: three.perCpuSecond / one.perCpuSecond, limit: ['>=', 0.85] },
      { name: 'steady.burst_ratio', value: three.perSecond / one.perSecond, limit: ['>=', 0.9] },
    ];
  },
};

interface Outcome {
  readonly figures: readonly Figure[];
  readonly perCpuSecond: number;
  readonly perSecond: number;
}

async function withWorkers(count: number, servers: Servers): Promise<Outcome> {
  await servers.redis.cli('flushall');
  await using mirror = await startMirror(servers, count);
  const { database, port, receiver, workers } = mirror;
  const pids = [receiver, ...workers].map(({ pid }) => pid).concat(Object.values(servers.pids));
  await using reader = await postgresLog(mirror.url);
  const prefix = `steady.workers_${count}`;
  const figures: Figure[] = [];
  const total = rates.reduce((sum, rate) => sum + rate * seconds, warmUp + burst);
  const story = bodies(total, 23);
  let at = 0;
  const take = (some: number): readonly Buffer[] => story.slice(at, (at += some)).map(request);
  const send = async (requests: readonly Buffer[]): Promise<number> => {
    const { startedAt, endedAt } = await sendUntilStored(database, { port, requests, connections: 32 });
    return (requests.length * 1000) / (endedAt - startedAt);
  };
  let perCpuSecond = Number.NaN;
  for (const rate of rates) {
    const requests = take(rate * seconds);
    const watch = await watchLog(reader, 5);
    const before = cpuSecondsOfAll(pids);
    const { dueAt } = await sendRequests({ port, requests, connections: 64, perSecond: rate });
    const { delays, missing } = await watch.end(dueAt, 10_000);
    perCpuSecond = (requests.length - missing) / (cpuSecondsOfAll(pids) - before);
    const longest = (some: readonly number[]): number => some.reduce((a, b) => Math.max(a, b), 0);
    const settled = delays.slice(rate * coldSeconds);
    figures.push(
      { name: `${prefix}.at_${rate}.longest_of_first_seconds_ms`, value: longest(delays.slice(0, rate * coldSeconds)) },
      {
        name: `${prefix}.at_${rate}.longest_ms`,
        value: longest(settled),
        limit: ['<=', 1_000],
      },
      { name: `${prefix}.at_${rate}.p99_ms`, value: percentile(settled, 0.99) },
      { name: `${prefix}.at_${rate}.still_waiting`, value: missing, limit: ['<=', 0] },
      { name: `${prefix}.at_${rate}.events_per_cpu_second`, value: perCpuSecond },
    );
    if (missing > 0) await (await watchLog(reader, 50)).end(dueAt.slice(-missing), 60_000);
    // The first rate finds new processes; what one and three workers cost is compared when all are warm.
    if (rate === rates[0]) await send(take(warmUp));
  }
  const perSecond = await send(take(burst));
  return { figures: [...figures, { name: `${prefix}.burst_per_second`, value: perSecond }], perCpuSecond, perSecond };
}

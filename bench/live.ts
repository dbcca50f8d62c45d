// Processor time of an event on the whole live path: receiver, worker, PostgreSQL and Redis. Compare it with another commit:
// npm run bench -- live --against COMMIT
import { cpuSeconds } from './cpu.ts';
import { bodies, request } from './deliveries.ts';
import type { Measurement } from './measure.ts';
import { sendUntilStored, startMirror, startServers } from './mirror.ts';

const events = 5_000;
const warmUp = 1_500;
const connections = 32;

export const live: Measurement = {
  name: 'live',
  about: `processor time per event from receiver to PostgreSQL, ${events} events, ${connections} connections`,
  drivesProcesses: true,
  async run() {
    await using servers = await startServers();
    await using mirror = await startMirror(servers);
    const { receiver, workers, database, port } = mirror;
    const pids = { receiver: receiver.pid, worker: workers[0]?.pid ?? 0, ...servers.pids };
    const cpu = () => Object.values(pids).map(cpuSeconds);
    const size = async () =>
      Number((await database.rows<{ size: string }>('select pg_database_size(current_database()) as size'))[0]?.size);
    const requests = bodies(warmUp + events, 21).map(request);
    await sendUntilStored(database, { port, requests: requests.slice(0, warmUp), connections });
    await database.rows('vacuum analyze');
    const before = { cpu: cpu(), size: await size() };
    const { startedAt, endedAt } = await sendUntilStored(database, {
      port,
      requests: requests.slice(warmUp),
      connections,
    });
    const spent = cpu().map((total, at) => ((total - (before.cpu[at] ?? 0)) * 1e6) / events);
    return [
      { name: 'live.per_second', value: (events * 1000) / (endedAt - startedAt) },
      { name: 'live.cpu_us', value: spent.reduce((sum, us) => sum + us, 0), unit: 'µs/event' },
      ...Object.keys(pids).map((name, at) => ({ name: `live.${name}_us`, value: spent[at] ?? 0, unit: 'µs/event' })),
      { name: 'live.postgres_bytes', value: ((await size()) - before.size) / events, unit: 'bytes/event' },
    ];
  },
};

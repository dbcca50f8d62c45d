// Processor time of an event on the whole live path: receiver, worker, PostgreSQL and Redis. Compare it with another commit:
// npm run bench -- live --against COMMIT
import { setTimeout as wait } from 'node:timers/promises';
import { connect, countEntries, cpuSeconds, startServers } from './cpu.ts';
import { bodies, request } from './deliveries.ts';
import type { Measurement } from './measure.ts';
import { startProduct, temporaryFolder } from './processes.ts';
import { sendRequests } from './requests.ts';

const events = 5_000;
const warmUp = 1_500;
const connections = 32;

export const live: Measurement = {
  name: 'live',
  about: `processor time per event from receiver to PostgreSQL, ${events} events, ${connections} connections`,
  drivesProcesses: true,
  async run() {
    await using servers = await startServers();
    using folder = temporaryFolder();
    const url = await servers.postgres.createDatabase();
    const env = { QUEUE_URL: servers.redis.url, DATABASE_URL: url };
    await using receiver = await startProduct('receive', { ...env, DATA_DIR: `${folder.path}/receiver` });
    await using worker = await startProduct('work', { ...env, DATA_DIR: `${folder.path}/worker` });
    const pids = { receiver: receiver.pid, worker: worker.pid, ...servers.pids };
    const cpu = () => Object.entries(pids).map(([name, pid]) => ({ name, seconds: cpuSeconds(pid) }));
    await using database = await connect(url);
    const story = bodies(warmUp + events, 21);
    const sendAll = async (some: readonly string[]): Promise<number> => {
      const logged = await countEntries(database);
      const { startedAt } = await sendRequests({ port: receiver.port, requests: some.map(request), connections });
      for (const endBy = Date.now() + 60_000; (await logged()) < some.length; await wait(25))
        if (Date.now() > endBy) throw new Error(`only ${await logged()} of ${some.length} became rows`);
      return (performance.timeOrigin + performance.now() - startedAt) / 1000;
    };
    await sendAll(story.slice(0, warmUp));
    await database.rows('vacuum analyze');
    const before = cpu();
    const seconds = await sendAll(story.slice(warmUp));
    const spent = cpu().map(({ name, seconds }, at) => ({
      name,
      us: ((seconds - (before[at]?.seconds ?? 0)) * 1e6) / events,
    }));
    return [
      { name: 'live.per_second', value: events / seconds },
      { name: 'live.cpu_us', value: spent.reduce((sum, { us }) => sum + us, 0), unit: 'µs/event' },
      ...spent.map(({ name, us }) => ({ name: `live.${name}_us`, value: us, unit: 'µs/event' })),
    ];
  },
};

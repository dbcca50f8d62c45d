// Rows about the processes of the product: left alone, killed, restarted, stopped and continued.
import { until } from '../../harness/ports.ts';
import type { TestRedis } from '../../harness/redis.ts';
import { embedded, postgresAlone, redisAndPostgres, redisAndSqlite, type WithRedis } from '../engines.ts';
import { failuresSince } from '../faults/answers.ts';
import { requireFault, seconds } from '../faults/evidence.ts';
import { scenario, type Run, type Scenario } from '../scenario.ts';
import type { Engines } from '../stack.ts';

/** Longer than the lock of a job (5 s) and two checks of stalled jobs (4.5 s each). */
const stoppedMs = 15_000;
const othersFinishMs = 300;

async function leaveAlone({ load, wait }: Run<Engines>): Promise<string> {
  const failures = failuresSince(load);
  await wait(3_000);
  return failures().text;
}

/** Kills one of the processes at a random moment, starts it again within a second, and so on. */
async function kill({ load, random, wait, stack }: Run<Engines>, of: 'workers' | 'receivers', times: number) {
  const failures = failuresSince(load);
  const gone: number[] = [];
  while (gone.length < times) {
    await wait(random.below(1_500));
    const part = random.pick(stack[of]);
    const pid = part.pid();
    if (!part.isRunning()) throw new Error(`${part.name} had ended by itself:\n${part.output().slice(-1_000)}`);
    await part.kill9();
    requireFault(!isAlive(pid), `process ${pid} is still there`);
    gone.push(pid);
    await wait(random.below(1_000));
    await part.start();
  }
  return `processes ${gone.join(', ')} are gone; ${failures().text}`;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function restartAll({ stack, load }: Run<Engines>): Promise<string> {
  const failures = failuresSince(load);
  const parts = [...stack.workers, ...stack.receivers];
  for (const part of parts) {
    const pid = part.pid();
    await part.stop();
    await part.start();
    requireFault(part.pid() !== pid, `${part.name} went on`);
  }
  return `${parts.length} processes ended with exit code 0 and have successors; ${failures().text}`;
}

/** Stops a worker in the midst of a job until another worker has taken the job over; then the first one goes on with it. */
async function stopWorker({ engines: { redis }, stack: { workers }, random, wait }: Run<WithRedis>): Promise<string> {
  const worker = random.pick(workers);
  const earlier = await stalledJobs(redis);
  await stopWithJob();
  const fromMs = Date.now();
  let stalled: readonly string[] = [];
  await until(
    async () => (stalled = (await stalledJobs(redis)).filter((id) => !earlier.includes(id))).length > 0,
    'its jobs count as stalled',
    20_000,
  );
  await until(
    async () => {
      const locked = await lockedJobs(redis);
      for (const id of stalled) if (!locked.has(id) && (await isInQueue(redis, id))) return false;
      return true;
    },
    'other workers have its jobs',
    30_000,
  );
  const takenMs = Date.now() - fromMs;
  await wait(Math.max(0, stoppedMs - takenMs));
  worker.signal('SIGCONT');
  return `${stalled.length} of its jobs stalled, other workers had them ${seconds(takenMs)} after the stop; it went on after ${seconds(Date.now() - fromMs)}`;

  async function stopWithJob(): Promise<void> {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      worker.signal('SIGSTOP');
      const locked = await lockedJobs(redis);
      await wait(othersFinishMs);
      const later = await lockedJobs(redis);
      if ([...locked].some(([id, token]) => later.get(id) === token)) return;
      worker.signal('SIGCONT');
      await wait(random.below(200));
    }
    requireFault(false, 'the worker never had a job when it was stopped');
  }
}

async function stopReceiver({ stack, load, random, wait }: Run<Engines>): Promise<string> {
  const failures = failuresSince(load);
  const receiver = random.pick(stack.receivers);
  receiver.signal('SIGSTOP');
  await wait(10_000);
  receiver.signal('SIGCONT');
  const { of, text } = failures();
  requireFault(of('TIMEOUT') > 0, 'every delivery was answered');
  return text;
}

/** The jobs of the queue as Redis knows them. */
const queue = '{slotstream}:deliveries';

/** The lock of a job is the token of the worker that runs it. */
async function lockedJobs(redis: TestRedis): Promise<ReadonlyMap<string, string>> {
  const keys = (await redis.cli('--scan', '--pattern', `${queue}:*:lock`)).split('\n').filter((key) => key !== '');
  const tokens = keys.length === 0 ? [] : (await redis.cli('MGET', ...keys)).split('\n');
  return new Map(keys.map((key, at) => [key.slice(queue.length + 1, -':lock'.length), tokens[at] ?? '']));
}

/** Jobs that BullMQ took from a worker, in its last hundred events. */
async function stalledJobs(redis: TestRedis): Promise<readonly string[]> {
  const events = await redis.cli('XRANGE', `${queue}:events`, '-', '+');
  return Array.from(events.matchAll(/^stalled\njobId\n(.+)$/gm), ([, id]) => id ?? '');
}

async function isInQueue(redis: TestRedis, id: string): Promise<boolean> {
  return (await redis.cli('EXISTS', `${queue}:${id}`)) === '1';
}

const killWorkers = (run: Run<Engines>) => kill(run, 'workers', 5);
const killReceivers = (run: Run<Engines>) => kill(run, 'receivers', 3);

export const processRows: readonly Scenario[] = [
  ...[redisAndPostgres, postgresAlone, redisAndSqlite, embedded].map((on) => scenario('no fault', on, leaveAlone)),
  ...[redisAndPostgres, postgresAlone, redisAndSqlite].map((on) =>
    scenario('kill -9 of a worker, 5 times', on, killWorkers),
  ),
  ...[redisAndPostgres, postgresAlone].map((on) => scenario('kill -9 of a receiver, 3 times', on, killReceivers)),
  scenario('kill -9 of the process, 4 times', embedded, (run) => kill(run, 'receivers', 4)),
  scenario('rolling restart of everything (SIGTERM)', redisAndPostgres, restartAll),
  scenario('a worker stopped (SIGSTOP) until another has its job, then continued', redisAndPostgres, stopWorker),
  scenario('a receiver stopped (SIGSTOP) for 10 s', redisAndPostgres, stopReceiver),
];

// Rows about clocks that are wrong, in one process or in all.
import { join } from 'node:path';
import { until } from '../../harness/ports.ts';
import { postgresAlone, redisAndPostgres, type InstallationOf, type WithRedis } from '../engines.ts';
import { failuresSince } from '../faults/answers.ts';
import { clockAhead, clockByFile, clockObstacle, requireAhead } from '../faults/clock.ts';
import { kib, diskLogBytes } from '../faults/evidence.ts';
import { scenario, type Run, type Scenario } from '../scenario.ts';
import type { Engines } from '../stack.ts';

const tenMinutes = 600;
const hour = 3_600;

/** One worker is behind and one ahead; both work for some seconds, are killed, and come back with a right clock. */
async function skewWorkers({ stack: { workers }, wait, random }: Run<Engines>): Promise<string> {
  const skewed = workers.slice(0, 2).map((part, at) => ({ part, seconds: at === 0 ? -tenMinutes : tenMinutes }));
  for (const { part, seconds } of skewed) {
    await part.stop();
    await part.start(clockAhead(seconds));
    await requireAhead(part, seconds);
  }
  const lengths = skewed.map(({ part }) => part.output().length);
  const batches = (): readonly (string | undefined)[] =>
    skewed.map(({ part }, at) => lastBatch(part.output().slice(lengths[at])));
  await until(() => batches().every((time) => time !== undefined), 'both process deliveries', 30_000);
  await wait(random.below(4_000));
  for (const { part } of skewed) await part.kill9();
  await wait(4_000);
  const seen = batches().map(
    (time, at) => `${skewed[at]?.part.name} ${skewed[at]?.seconds} s (its last batch at ${time})`,
  );
  await Promise.all(skewed.map(({ part }) => part.start()));
  return `${seen.join(', ')} at ${new Date().toISOString()}; both killed`;
}

const lastBatch = (output: string): string | undefined =>
  output.match(/(?<="time":")[^"]+(?=".*"msg":"batch")/g)?.at(-1);

interface WithClock extends WithRedis {
  readonly setClock: (seconds: number) => Promise<void>;
}

const withClock: InstallationOf<WithClock> = {
  on: redisAndPostgres.on,
  async open(resources) {
    const engines = await redisAndPostgres.open(resources);
    const clock = await clockByFile(join(engines.redis.dir, 'clock'));
    return { ...engines, setClock: clock.set, settings: { ...engines.settings, ...clock.settings } };
  },
};

/** Redis is away at the step back, so that the disk log has deliveries from the future. */
async function stepClocks({ engines, stack, load, wait }: Run<WithClock>): Promise<string> {
  const failures = failuresSince(load);
  const parts = [...stack.receivers, ...stack.workers];
  await engines.setClock(hour);
  await wait(3_000);
  for (const part of parts) await requireAhead(part, hour);
  await engines.redis.kill9();
  await wait(2_000);
  let onDisk = 0;
  await until(async () => (onDisk = await diskLogBytes(stack.receivers)) > 0, 'deliveries are in the disk log');
  await engines.setClock(0);
  await wait(2_000);
  await engines.redis.restart();
  for (const part of parts) await requireAhead(part, 0);
  return `${parts.length} processes were ${hour} s ahead, then right again, with ${kib(onDisk)} in the disk log; ${failures().text}`;
}

const obstacle = clockObstacle;
const ofWorkers = "a worker's clock 10 min behind, another's 10 min ahead, both killed (kill -9)";

export const clockRows: readonly Scenario[] = [
  ...[redisAndPostgres, postgresAlone].map((on) => scenario(ofWorkers, on, skewWorkers, { obstacle })),
  scenario('all clocks 1 h ahead and back, Redis away at the step back', withClock, stepClocks, {
    settings: { SIGNATURE_TOLERANCE_SECONDS: '0' },
    obstacle,
  }),
];

// What it costs that every delivery is verified and safe in Redis and in the disk log before it is answered: processor time and rate
// against a bare Hono server that only reads the body, and the share of the disk log.
import { startRedis } from '../test/harness/redis.ts';
import { cpuSeconds } from './cpu.ts';
import { median, medianFigure, type Measurement } from './measure.ts';
import { runLoad, startBaseline, startProduct, temporaryFolder, type Running } from './processes.ts';

const rounds = 5;
const seconds = 3;
/** V8 optimizes the code of the receiver during its first 40,000 deliveries or so, which costs more than a receiver that has run for a while. */
const warmUpSeconds = 10;

/** One round of load on one server. */
interface Round {
  readonly perSecond: number;
  readonly cpuUs: number;
}

export const ack: Measurement = {
  name: 'ack',
  about: 'acknowledged/s and processor time on Redis against a bare Hono server that only reads the body',
  async run() {
    await using redis = await startRedis();
    using folder = temporaryFolder();
    using otherFolder = temporaryFolder();
    const common = { QUEUE_URL: redis.url, DISK_LOG_MAX_MB: '4096' };
    await using receiver = await startProduct('receive', { ...common, DATA_DIR: folder.path });
    await using unlogged = await startProduct('receive', {
      ...common,
      DATA_DIR: otherFolder.path,
      DISK_LOG: 'fallback',
    });
    await using baseline = await startBaseline();
    const product: Round[] = [];
    const without: Round[] = [];
    const bare: Round[] = [];
    for (const one of [receiver, unlogged, baseline]) await measure(one, warmUpSeconds);
    // Turn by turn, so that whatever else the machine does falls on all.
    for (let round = 0; round < rounds; round += 1) {
      without.push(await measure(unlogged));
      product.push(await measure(receiver));
      bare.push(await measure(baseline));
    }
    const rate = (of: readonly Round[]): number => median(of.map(({ perSecond }) => perSecond));
    const cpu = (of: readonly Round[]): readonly number[] => of.map(({ cpuUs }) => cpuUs);
    const cpuRatio = (of: readonly Round[]): readonly number[] =>
      of.map(({ cpuUs }, round) => (bare[round]?.cpuUs ?? Number.NaN) / cpuUs);
    const unit = 'µs/delivery';
    return [
      { name: 'ack.per_second', value: rate(product) },
      { name: 'ack.unlogged_per_second', value: rate(without) },
      { name: 'ack.baseline_per_second', value: rate(bare) },
      { name: 'ack.ratio', value: rate(product) / rate(bare) },
      { name: 'ack.disk_log_ratio', value: rate(product) / rate(without), limit: ['>=', 0.85] },
      medianFigure('ack.cpu_us', cpu(product), { unit }),
      medianFigure('ack.unlogged_cpu_us', cpu(without), { unit }),
      medianFigure('ack.baseline_cpu_us', cpu(bare), { unit }),
      medianFigure('ack.cpu_ratio', cpuRatio(product), { limit: ['>=', 0.6] }),
      medianFigure('ack.unlogged_cpu_ratio', cpuRatio(without)),
    ];
  },
};

async function measure({ port, pid }: Running, forSeconds = seconds): Promise<Round> {
  const before = cpuSeconds(pid);
  const report = await runLoad({ port, connections: 64, seconds: forSeconds, bodies: 500 });
  const spent = cpuSeconds(pid) - before;
  const others = Object.entries(report.statuses).filter(([status]) => status !== '202');
  if (others.length > 0) throw new Error(`not every delivery was accepted: ${JSON.stringify(report.statuses)}`);
  const accepted = report.statuses['202'] ?? 0;
  return { perSecond: accepted / report.seconds, cpuUs: (spent * 1e6) / accepted };
}

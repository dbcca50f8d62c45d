// How much of a bare server's rate is left when every delivery is verified and safe in Redis and in the journal before it is
// answered, and what the journal costs.
import { startRedis } from '../test/harness/redis.ts';
import { median, type Measurement } from './measure.ts';
import { runLoad, startBaseline, startProduct, temporaryFolder, type Running } from './processes.ts';

const rounds = 5;
const seconds = 3;

export const ack: Measurement = {
  name: 'ack',
  about: 'acknowledged/s on Redis against the same Hono server that only reads the body',
  async run() {
    await using redis = await startRedis();
    using folder = temporaryFolder();
    using otherFolder = temporaryFolder();
    const common = { QUEUE_URL: redis.url, JOURNAL_MAX_MB: '4096' };
    await using receiver = await startProduct('receive', { ...common, DATA_DIR: folder.path });
    await using unjournaled = await startProduct('receive', { ...common, DATA_DIR: otherFolder.path, JOURNAL: 'off' });
    await using baseline = await startBaseline();
    const product: number[] = [];
    const without: number[] = [];
    const bare: number[] = [];
    for (const one of [receiver, unjournaled, baseline]) await rate(one);
    // Turn by turn, so that whatever else the machine does falls on all.
    for (let round = 0; round < rounds; round += 1) {
      without.push(await rate(unjournaled));
      product.push(await rate(receiver));
      bare.push(await rate(baseline));
    }
    return [
      { name: 'ack.per_second', value: median(product) },
      { name: 'ack.unjournaled_per_second', value: median(without) },
      { name: 'ack.baseline_per_second', value: median(bare) },
      { name: 'ack.ratio', value: median(product) / median(bare), limit: ['>=', 0.6] },
      { name: 'ack.journal_ratio', value: median(product) / median(without), limit: ['>=', 0.85] },
    ];
  },
};

async function rate({ port }: Running): Promise<number> {
  const report = await runLoad({ port, connections: 64, seconds, bodies: 500 });
  const others = Object.entries(report.statuses).filter(([status]) => status !== '202');
  if (others.length > 0) throw new Error(`not every delivery was accepted: ${JSON.stringify(report.statuses)}`);
  return (report.statuses['202'] ?? 0) / report.seconds;
}

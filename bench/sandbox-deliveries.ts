// How much load the sandbox can make: what it delivers, signed, against what the receiver takes at most. The sandbox sends with
// undici; `ack` measures the receiver with the load generator of bench/load.ts.
import { startRedis } from '../test/harness/redis.ts';
import { median, type Measurement } from './measure.ts';
import { runLoad, startProduct, startSandboxSender, startSink, temporaryFolder } from './processes.ts';
import type { SandboxSender } from './processes.ts';

const rounds = 3;
const seconds = 2;

export const sandboxDeliveries: Measurement = {
  name: 'sandbox-deliveries',
  about: 'signed deliveries/s of the sandbox to a bare sink, against what our receiver on Redis takes at most',
  async run() {
    await using redis = await startRedis();
    using folder = temporaryFolder();
    await using receiver = await startProduct('receive', {
      DATA_DIR: folder.path,
      QUEUE_URL: redis.url,
      // Nothing takes the deliveries out of the queue.
      JOURNAL_MAX_MB: '4096',
    });
    await using sink = await startSink();
    await using sandbox = await startSandboxSender();
    const toSink: number[] = [];
    const toReceiver: number[] = [];
    const taken: number[] = [];
    await takenPerSecond(receiver.port);
    await sentPerSecond(sandbox, sink.port);
    // Alternating, so that other load on the machine affects all three alike.
    for (let round = 0; round < rounds; round += 1) {
      taken.push(await takenPerSecond(receiver.port));
      toSink.push(await sentPerSecond(sandbox, sink.port));
      toReceiver.push(await sentPerSecond(sandbox, receiver.port));
    }
    return [
      { name: 'sandbox.deliveries_per_second', value: median(toSink) },
      { name: 'sandbox.deliveries_to_receiver_per_second', value: median(toReceiver) },
      { name: 'sandbox.receiver_takes_per_second', value: median(taken) },
      { name: 'sandbox.deliveries_ratio', value: median(toSink) / median(taken), limit: ['>=', 1] },
    ];
  },
};

async function takenPerSecond(port: number): Promise<number> {
  const report = await runLoad({ port, connections: 64, seconds, bodies: 500 });
  return (report.statuses['202'] ?? 0) / report.seconds;
}

async function sentPerSecond(sandbox: SandboxSender, port: number): Promise<number> {
  const { perSecond, failed } = await sandbox.send({ url: `http://127.0.0.1:${port}/webhooks`, seconds });
  if (failed > 0) throw new Error(`${failed} of the last deliveries were not accepted`);
  return perSecond;
}

// A whole receiver on a free loopback port: listener, ladder, intake and disk log; only the queue is the test's.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '#src/observability/log.ts';
import { createMetrics } from '#src/observability/metrics/registry.ts';
import { unpackBatch } from '#src/queue/batch-codec.ts';
import type { DeliveryBatch, PackedBatch, QueuedDelivery } from '#src/queue/contract.ts';
import { createReceiver, type ReceiverNeeds, type ReceiverOptions } from '#src/receiver/webhook.ts';
import { openQueueCircuit } from '#src/receiver/queue-circuit.ts';
import { startCheckLoop } from '#src/receiver/disk-log/check-loop.ts';
import { openDiskLog } from '#src/receiver/disk-log/disk-log.ts';
import { addDeliveryHealth, createHealth, type EngineCheck } from '#src/receiver/health.ts';
import { createIntake } from '#src/receiver/intake.ts';
import { openListener, type ListenerOptions } from '#src/receiver/listener.ts';
import { signDelivery } from '#src/signing/signature.ts';

export const signingKey = 'canary-signing-key-of-the-receiver-tests';
export const signatureHeader = 'Calendly-Webhook-Signature';

export type TestQueue = ReturnType<typeof testQueue>;

export function testQueue(mode: 'up' | 'down' | 'frozen' = 'up') {
  const queue = {
    /** Every delivery that reached the queue, in order. */
    deliveries: [] as QueuedDelivery[],
    batches: [] as DeliveryBatch[],
    /** `down` rejects, `frozen` never answers. */
    mode,
    async enqueue(batch: DeliveryBatch | PackedBatch): Promise<void> {
      if (queue.mode === 'frozen') return new Promise<void>(() => undefined);
      if (queue.mode === 'down') throw new Error('connection refused');
      // As it would lie in a real queue: through JSON.
      const stored = unpackBatch(JSON.parse(JSON.stringify(batch))) as DeliveryBatch;
      queue.batches.push(stored);
      queue.deliveries.push(...stored.deliveries);
    },
  };
  return queue;
}

export interface ReceiverSetup {
  readonly queue?: TestQueue;
  readonly keysAt?: (nowMs: number) => readonly string[];
  readonly clock?: () => number;
  readonly answers?: ReceiverNeeds['answers'];
  readonly options?: Partial<ReceiverOptions>;
  readonly listener?: Partial<ListenerOptions>;
  readonly maxDiskLogBytes?: number;
  readonly maxWaitingBytes?: number;
  readonly circuitTimeoutMs?: number;
  readonly checks?: Readonly<Record<string, EngineCheck>>;
}

export async function openReceiver(setup: ReceiverSetup = {}) {
  const { queue = testQueue(), clock = Date.now, keysAt = () => [signingKey] } = setup;
  const folder = mkdtempSync(join(tmpdir(), 'slotstream-receiver-'));
  const lines: string[] = [];
  const log = createLog({ level: 'debug', pretty: false, destination: { write: (line) => void lines.push(line) } });
  const metrics = createMetrics();
  const { queue: ping = async () => undefined, ...checks } = setup.checks ?? {};
  const engine = { add: queue.enqueue, check: async () => [], ping: async () => void (await ping()) };
  const circuit = await openQueueCircuit(
    { queue: engine, log, clock: Date.now },
    { timeoutMs: setup.circuitTimeoutMs ?? 100, firstPauseMs: 10, longestPauseMs: 20, checkEveryMs: 5 },
  );
  const diskLog = await openDiskLog(
    { circuit, log, metrics },
    { root: join(folder, 'disk-log'), maxBytes: setup.maxDiskLogBytes ?? 1024 ** 2 },
  );
  metrics.watch({ diskLog: diskLog.status });
  const stopLoop = startCheckLoop({ diskLog, circuit, log }, { everyMs: 5 });
  const intake = createIntake({ diskLog, metrics }, { maxWaitingBytes: setup.maxWaitingBytes ?? 1024 ** 2 * 32 });
  const health = createHealth({ checks, clock });
  addDeliveryHealth(health, { circuit, diskLog });
  const app = createReceiver(
    { intake, keysAt, health, metrics, log, clock, answers: setup.answers },
    {
      scheme: 'timestamped',
      header: signatureHeader,
      toleranceSeconds: 180,
      allowUnsigned: false,
      maxBodyBytes: 1024 ** 2,
      ...setup.options,
    },
  );
  const listener = await openListener({ host: '127.0.0.1', port: 0, ...setup.listener });
  listener.serve({ fetch: app.fetch, onClosing: () => health.stop(), onEvicted: metrics.evicted });
  const url = `http://127.0.0.1:${listener.port}`;

  async function close(): Promise<void> {
    await listener.close();
    await intake.settled();
    await stopLoop();
    await diskLog.close();
    await circuit.close();
  }

  function sign(body: string | Uint8Array, key = signingKey): Record<string, string> {
    const bytes = Buffer.from(body as string);
    const atSeconds = Math.floor(clock() / 1000);
    return signDelivery({ scheme: 'timestamped', headerName: signatureHeader, key, body: bytes, atSeconds, id: '' });
  }

  return {
    url,
    port: listener.port,
    app,
    queue,
    diskLog,
    lines,
    metrics,
    sign,
    close,
    /** Posts the body, rightly signed unless other headers are given. */
    post: (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = sign(body)) =>
      fetch(`${url}/webhooks`, { method: 'POST', body, headers }),
    counted: async (line: string) => {
      const { text } = await metrics.read();
      const found = text.split('\n').find((candidate) => candidate.startsWith(`${line} `));
      return Number(found?.slice(line.length + 1) ?? 0);
    },
    [Symbol.asyncDispose]: async () => {
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Sends raw bytes on a socket of its own and gives back all that came until the other side closed. */
export async function exchange(
  port: number,
  chunks: AsyncIterable<string | Buffer> | Iterable<string | Buffer>,
): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const answer: Buffer[] = [];
  const closed = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => answer.push(chunk));
    socket.on('close', resolve);
    // A reset after the answer is the other side's way of hanging up.
    socket.on('error', resolve);
  });
  for await (const chunk of chunks) {
    if (socket.destroyed || socket.readableEnded) break;
    socket.write(chunk);
  }
  await closed;
  socket.destroy();
  return Buffer.concat(answer).toString('latin1');
}

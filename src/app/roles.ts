// The two roles of a process: receiving deliveries into the queue, and projecting them from the queue into the tables.
import { join } from 'node:path';
import type { DiskSpace } from '#src/base/disk-space.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Config } from '#src/config/load.ts';
import type { Tail } from '#src/feed/tail.ts';
import type { Log } from '#src/observability/log.ts';
import type { Metrics, ReceivedOutcome } from '#src/observability/metrics/registry.ts';
import { batchIdOf } from '#src/queue/batch-codec.ts';
import type { DeliveryBatch, DeliveryQueue } from '#src/queue/contract.ts';
import { readWentBackNote } from '#src/queue/went-back.ts';
import type { QueueCircuit } from '#src/receiver/queue-circuit.ts';
import { startCheckLoop } from '#src/receiver/disk-log/check-loop.ts';
import { openDiskLog, type DiskLog } from '#src/receiver/disk-log/disk-log.ts';
import { addDeliveryHealth, type Health } from '#src/receiver/health.ts';
import { createIntake } from '#src/receiver/intake.ts';
import type { Listener } from '#src/receiver/listener.ts';
import { createReceiver, type ReceiverNeeds as ReceiverParts } from '#src/receiver/webhook.ts';
import { openKeyRing } from '#src/signing/key-ring.ts';
import type { Store } from '#src/store/contract.ts';
import { startDeliveryWorker } from '#workers/fold/pipeline/delivery-worker.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { addDiskHealth, diskLogFolder } from './disk.ts';
import type { LogWatch } from './log-watch.ts';

/** What a process does: `start` has both roles, `receive` and `work` have one each. */
export interface Roles {
  readonly receives: boolean;
  readonly works: boolean;
  /** Whether a missing signing key is generated; only `start` does, because receivers on other machines share their key. */
  readonly makesKey: boolean;
}

interface RoleNeeds {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly opened: AsyncDisposableStack;
  onBatch(): void;
}

export interface Receiver {
  /** Undefined without a listener. */
  readonly port: number | undefined;
  readonly diskLog: DiskLog;
  /** Takes a delivery, at any path; at `/answers/TOKEN` it serves a signed link, where ANSWERS is on. */
  receive(request: Request): Promise<Response>;
}

type ReceiverNeeds = RoleNeeds & {
  readonly queue: Pick<DeliveryQueue, 'losses' | 'notes'>;
  readonly circuit: QueueCircuit;
  readonly disks: Pick<DiskSpace, 'hasRoom' | 'full'>;
  readonly health: Health;
  readonly answers: ReceiverParts['answers'];
};

export async function openReceiver(
  needs: ReceiverNeeds,
  { makesKey, listener }: Pick<Roles, 'makesKey'> & { readonly listener: Listener | undefined },
): Promise<Receiver> {
  const { config, log, metrics, queue, circuit, disks, health, opened } = needs;
  const { maxBytes, keepMs, mode } = config.diskLog;
  const losses = mode === 'every' ? queue.losses : undefined;
  const diskLog = await openDiskLog(
    {
      circuit,
      losses,
      log,
      metrics,
      hasRoom: () => disks.hasRoom('disk_log'),
      wentBack: () => readWentBackNote(queue.notes),
    },
    { root: diskLogFolder(config), maxBytes, keepMs },
  );
  opened.defer(() => diskLog.close());
  metrics.watch({ diskLog: diskLog.status });
  const { keys, allowUnsigned, ...signing } = config.signing;
  const ring = openKeyRing({ keys, dataDir: config.dataDir, generate: makesKey, allowUnsigned });
  for (const warning of ring.warnings) log.warn(warning);
  if (ring.source === 'none')
    log.warn('there is no signing key, so nothing tells whether the queue at QUEUE_URL belongs to this mirror');
  if (ring.hasNewKey) log.info(`created a signing key: ${join(config.dataDir, 'signing-keys')}`);
  addDiskHealth(health, disks, addDeliveryHealth(health, { circuit, diskLog }));
  opened.defer(startCheckLoop({ diskLog, circuit, log }));
  const batched = (size: number): void => {
    needs.onBatch();
    metrics.batched(size);
  };
  const senders = listener && (() => listener.activeConnections());
  const onBatch = (batch: DeliveryBatch, outcome: ReceivedOutcome): void => {
    const level = outcome === 'queued' ? 'debug' : 'info';
    if (log.isLevelEnabled(level))
      log[level]({ batch: batchIdOf(batch), deliveries: batch.deliveries.length, outcome }, 'received');
  };
  const intake = createIntake({ diskLog, metrics: { batched }, onBatch, ...(senders && { senders }) });
  opened.defer(() => intake.settled());
  const app = createReceiver(
    { intake, keysAt: ring.keysAt, health, metrics, log, answers: needs.answers, clock: Date.now },
    { ...signing, allowUnsigned, maxBodyBytes: config.maxBodyBytes },
  );
  listener?.serve({ fetch: app.fetch, onClosing: () => health.stop(), onEvicted: metrics.evicted });
  // Again, because it closes before what it uses.
  if (listener) opened.defer(() => listener.close());
  const receive = async (request: Request): Promise<Response> => {
    const { url, method, headers, body } = request;
    if (needs.answers && /\/answers\/[^/]+$/.test(new URL(url).pathname)) return needs.answers(request, '');
    const init: RequestInit = { method, headers, ...(body && { body, duplex: 'half' }) };
    return app.fetch(new Request(new URL('/webhooks', url), init), {});
  };
  return { port: listener?.port, diskLog, receive };
}

export function openWorker(
  {
    log,
    metrics,
    queue,
    disks,
    tail,
    health,
    opened,
    onBatch,
    watch,
  }: Omit<RoleNeeds, 'config'> & {
    readonly queue: DeliveryQueue;
    readonly disks: Pick<DiskSpace, 'hasRoom'>;
    readonly tail: Pick<Tail, 'poke'>;
    readonly health: Pick<Health, 'add'>;
    readonly watch: Pick<LogWatch, 'committed'>;
  },
  store: Store,
): void {
  const worker = startDeliveryWorker({
    queue,
    store,
    screen: privacyScreen(store.settings),
    metrics,
    log,
    clock: Date.now,
    // Without room every batch would fail; a queue of another mirror has its deliveries.
    mayTake: async () =>
      queue.owner.isOwn() === true && (await disks.hasRoom('store')) && (await disks.hasRoom('queue')),
    onCommitted(entries) {
      watch.committed(entries);
      onBatch();
      tail.poke();
    },
  });
  opened.defer(() => worker.close());
  health.add('worker', async () => {
    if (queue.owner.isOwn() === false)
      throw new SlotstreamError('queue_unsafe', 'The queue belongs to another mirror: nothing is taken from it.');
    if (worker.isStuck()) throw new SlotstreamError('store_unavailable', 'No batch has ended for a minute.');
  });
}

// What every process opens, whatever its roles: its queue, its health, its metrics, and the store of a worker.
import { slotstream } from '#src/base/command.ts';
import type { DiskSpace } from '#src/base/disk-space.ts';
import type { Config } from '#src/config/load.ts';
import { openTail, type Tail } from '#src/feed/tail.ts';
import type { Log } from '#src/observability/log.ts';
import { createMetrics, type Metrics } from '#src/observability/metrics/registry.ts';
import type { DeliveryQueue } from '#src/queue/contract.ts';
import { openQueueCircuit, type QueueCircuit } from '#src/receiver/queue-circuit.ts';
import { keyMarks } from '#src/signing/key-ring.ts';
import { openQueue } from '#src/queue/registry.ts';
import { createHealth, type Health } from '#src/receiver/health.ts';
import type { Store } from '#src/store/contract.ts';
import type { Reading } from '#src/store/reading/reading.ts';
import { consumersBehind } from '#src/store/log/consumer-offsets.ts';
import { countUnprojected, lastSeq } from '#src/store/log/read.ts';
import { settleSettings } from '#src/store/settings-row.ts';
import { settingNames } from '#src/store/shared-settings.ts';
import { requireStatedAccount } from '#workers/sync/mirror-identity.ts';
import { addDiskHealth } from './disk.ts';
import { errorLogger, lastReconcileRuns, openMirror, openReadingOf } from './mirror.ts';
import { requireSameSettings } from './mirror-settings.ts';
import { watchStore } from './store-outage.ts';
import type { Roles } from './roles.ts';

/** PostgreSQL answers within milliseconds; a server that is silent for this long has lost the connection. */
const silenceMs = 20_000;

/** What every process has, whatever its roles. */
export interface SharedParts {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly queue: DeliveryQueue;
  readonly circuit: QueueCircuit;
  readonly disks: DiskSpace;
  readonly health: Health;
  /** Undefined where this process does not work: a receiver needs no database. */
  readonly store: Store | undefined;
  /** Of the store, for questions. */
  readonly reading: Reading | undefined;
  readonly tail: Tail;
  readonly opened: AsyncDisposableStack;
  /** Is called after every batch that this process received or projected. */
  onBatch(): void;
}

/** The mirror of a worker: the first one writes what all share, and one that states something else does not start. */
async function openOwnMirror(config: Config, log: Log): Promise<Store> {
  await using opened = new AsyncDisposableStack();
  const store = opened.use(await openMirror(config, log, { create: true, warns: true }));
  await requireStatedAccount(store, config.api);
  await settleSettings(store, new Date().toISOString());
  requireSameSettings(store.settings, config.stated, settingNames);
  opened.move();
  return store;
}

const damagedQueue =
  'the file of the embedded queue is damaged and was set aside: deliveries that waited in it may be missing; those in the disk log are enqueued again';

export async function openShared(
  { config, log, disks, opened }: Pick<SharedParts, 'config' | 'log' | 'disks' | 'opened'>,
  { works, receives }: Roles,
): Promise<Omit<SharedParts, 'onBatch'>> {
  const metrics = createMetrics();
  metrics.unsignedAllowed(config.signing.allowUnsigned);
  const store = works ? opened.use(await openOwnMirror(config, log)) : undefined;
  // Not before: a migration of a large database may take longer.
  store?.engine.limitSilence(silenceMs);
  if (store) opened.use(watchStore({ config, store, log }));
  const reading = store && opened.use(await openReadingOf({ config, log, store }));
  const report = errorLogger(log, 'queue');
  const { queueUrl: url, dataDir } = config;
  const onDamaged = (file: string) =>
    log.error({ file, hint: `Fetch what the service still has: ${slotstream} reconcile --repair` }, damagedQueue);
  const claimant = () => ({
    mirrorId: store?.settings.id,
    keyMarks: keyMarks({ keys: config.signing.keys, dataDir: config.dataDir }),
    receives,
  });
  const queue = await openQueue({ url, dataDir, report, onDamaged, claimant });
  opened.defer(() => queue.close());
  const circuit = await openQueueCircuit({ queue, log, hasRoom: () => disks.hasRoom('queue') });
  opened.defer(() => circuit.close());
  const checks = { queue: circuit.ping, ...(store && { store: () => store.engine.ping() }) };
  const health = createHealth({ checks, clock: Date.now });
  addDiskHealth(health, disks);
  metrics.watch({
    engines: async () => (await health.readiness()).engines,
    queueDepth: () => queue.depth(),
    disks: () => disks.free(),
    ...(store && {
      quarantine: () => countUnprojected(store, 'quarantined'),
      reconciled: () => lastReconcileRuns(store),
      consumers: () => consumersBehind(store),
    }),
  });
  const tail = openTail({ lastSeq: async () => (store ? lastSeq(store) : 0) });
  opened.defer(() => tail.close());
  return { config, log, metrics, queue, circuit, disks, health, store, reading, tail, opened };
}

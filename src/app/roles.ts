// The two roles of a process: receiving deliveries into the queue, and projecting them from the queue into the tables.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskSpace } from '#src/base/disk-space.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Config } from '#src/config/load.ts';
import type { Tail } from '#src/feed/tail.ts';
import type { Log } from '#src/observability/log.ts';
import type { Metrics } from '#src/observability/metrics/registry.ts';
import type { DeliveryQueue } from '#src/queue/contract.ts';
import type { DurabilityGate } from '#src/queue/durability-gate.ts';
import { addQueueHealth, type Health } from '#src/receiver/health.ts';
import { createIntake } from '#src/receiver/intake.ts';
import type { Listener } from '#src/receiver/listener.ts';
import { openJournal, type Journal } from '#src/receiver/journal/journal.ts';
import type { JournaledBatch } from '#src/receiver/journal/journal-store.ts';
import { journaledCircuit, startJournalChecks } from '#src/receiver/journal/journaled-circuit.ts';
import { createQueueCircuit, type QueueCircuit } from '#src/receiver/queue-circuit-breaker.ts';
import { startDrain } from '#src/receiver/spool/drain.ts';
import { openSpool, type Spool } from '#src/receiver/spool/spool.ts';
import { createReceiver } from '#src/receiver/webhook.ts';
import { openKeyRing } from '#src/signing/key-ring.ts';
import type { Store } from '#src/store/contract.ts';
import { startDeliveryWorker } from '#workers/pipeline/delivery-worker.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { addDiskHealth } from './disk.ts';

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
  readonly port: number;
  readonly spool: Spool;
  /** Present where the queue can lose what it accepted. */
  readonly journal: Journal | undefined;
}

type ReceiverNeeds = RoleNeeds & {
  readonly queue: Pick<DeliveryQueue, 'losses'>;
  readonly gate: DurabilityGate;
  readonly disks: Pick<DiskSpace, 'hasRoom' | 'full'>;
  readonly health: Health;
};

export async function openReceiver(
  needs: ReceiverNeeds,
  { makesKey, listener }: Pick<Roles, 'makesKey'> & { readonly listener: Listener },
): Promise<Receiver> {
  const { config, log, metrics, disks, health, opened } = needs;
  const spool = await openSpool(
    { log, metrics, hasRoom: () => disks.hasRoom('spool') },
    { root: join(config.dataDir, 'spool') },
  );
  opened.defer(() => spool.close());
  const { keys, allowUnsigned, ...signing } = config.signing;
  const ring = openKeyRing({ keys, dataDir: config.dataDir, generate: makesKey, allowUnsigned });
  for (const warning of ring.warnings) log.warn(warning);
  if (ring.hasNewKey) log.info(`created a signing key: ${join(config.dataDir, 'signing-keys')}`);
  const { circuit, journal } = await openCircuit(needs, spool);
  addQueueHealth(health, { circuit, spool, ping: () => needs.gate.ping() });
  addDiskHealth(health, disks, () => spool.accepts());
  const drain = startDrain({ circuit, spool, log });
  opened.defer(() => drain.stop());
  const batched = (size: number): void => {
    needs.onBatch();
    metrics.batched(size);
  };
  const senders = () => listener.activeConnections();
  const intake = createIntake({ circuit, spool, metrics: { batched }, senders, ...(journal && { journal }) });
  opened.defer(() => intake.settled());
  const { fetch } = createReceiver(
    { intake, keysAt: ring.keysAt, health, metrics, log, clock: Date.now },
    { ...signing, allowUnsigned, maxBodyBytes: config.maxBodyBytes },
  );
  listener.serve({ fetch, onClosing: () => health.stop(), onEvicted: metrics.evicted });
  // Again, because it closes before what it uses.
  opened.defer(() => listener.close());
  return { port: listener.port, spool, journal };
}

/** The way into the queue: through the journal, where the queue can lose what it accepted. */
async function openCircuit(
  { config, log, metrics, queue, gate, disks, health, opened }: ReceiverNeeds,
  spool: Pick<Spool, 'accepts'>,
): Promise<{
  readonly circuit: QueueCircuit;
  readonly journal: Journal | undefined;
}> {
  const common = { log, clock: Date.now };
  const root = join(config.dataDir, 'journal');
  if (!queue.losses || !config.journal.isOn) {
    if (await hasFolders(root)) log.warn({ folder: root }, leftJournal);
    return { circuit: createQueueCircuit({ ...common, enqueue: (batch) => gate.enqueue(batch) }), journal: undefined };
  }
  const { enqueue } = gate;
  const { maxBytes } = config.journal;
  const hasRoom = () => disks.hasRoom('journal');
  const journal = await openJournal({ losses: queue.losses, enqueue, log, metrics, hasRoom }, { root, maxBytes });
  opened.defer(() => journal.close());
  health.add(
    'journal',
    async () => {
      if (journal.isFull() || journal.isFailing())
        throw new SlotstreamError('queue_unavailable', 'The journal takes no batches.');
    },
    // The spool does not help a full journal: what it holds has to pass the journal too.
    async () => !journal.isFull() && spool.accepts(),
  );
  opened.defer(startJournalChecks({ journal, log }));
  const circuit = createQueueCircuit<JournaledBatch>({ ...common, enqueue: ({ id, content }) => enqueue(content, id) });
  return { circuit: journaledCircuit(journal, circuit), journal };
}

const leftJournal =
  'the journal is off, but its folder has batches of an earlier run: start once with JOURNAL=on and the Redis queue they were for, or delete it';

async function hasFolders(root: string): Promise<boolean> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  return entries.some((entry) => entry.isDirectory());
}

export function openWorker(
  {
    config,
    log,
    metrics,
    queue,
    tail,
    health,
    opened,
    onBatch,
  }: RoleNeeds & {
    readonly queue: DeliveryQueue;
    readonly tail: Pick<Tail, 'poke'>;
    readonly health: Pick<Health, 'add'>;
  },
  store: Store,
): void {
  const worker = startDeliveryWorker({
    queue,
    store,
    screen: privacyScreen(config),
    metrics,
    log,
    clock: Date.now,
    onCommitted() {
      onBatch();
      tail.poke();
    },
  });
  opened.defer(() => worker.close());
  health.add('worker', async () => {
    if (worker.isStuck()) throw new SlotstreamError('store_unavailable', 'No batch has ended for a minute.');
  });
}

// The composition root: opens everything that the roles of a process need, in order, and closes it in the reverse order.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { slotstream } from '#src/base/command.ts';
import type { DiskSpace, FreeBytes } from '#src/base/disk-space.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { withTimeout } from '#src/base/timeout.ts';
import type { Config } from '#src/config/load.ts';
import { openTail, type Tail } from '#src/feed/tail.ts';
import type { Log } from '#src/observability/log.ts';
import { createMetrics, type Metrics } from '#src/observability/metrics/registry.ts';
import type { DeliveryQueue } from '#src/queue/contract.ts';
import { openQueueCircuit, type QueueCircuit } from '#src/receiver/queue-circuit.ts';
import { openQueue } from '#src/queue/registry.ts';
import { createHealth, type Health } from '#src/receiver/health.ts';
import type { Store } from '#src/store/contract.ts';
import { consumersBehind } from '#src/store/log/consumer-offsets.ts';
import { countUnprojected, lastSeq } from '#src/store/log/read.ts';
import { bookingsBehind } from '#src/store/status-counts.ts';
import { hasOrganization } from '#workers/sync/mirror-identity.ts';
import { openAdmin } from './admin.ts';
import type { Alerts } from './alerting.ts';
import { answerPages } from './answers.ts';
import { openBookingsJob, openRetention, openSyncJobs, prepareBackground } from './background.ts';
import { addDiskHealth, openDataFolder, openDisks } from './disk.ts';
import { startHeartbeat } from './heartbeat.ts';
import { healthOf, installationOf } from './installation.ts';
import { startHandler, type FeedHandler } from './handlers.ts';
import { bindListeners, type ListenerChoice } from './listeners.ts';
import { errorLogger, lastReconcileRuns, mirrorStatus, openMirror } from './mirror.ts';
import { openReceiver, openWorker, type Roles } from './roles.ts';
import type { Sinks } from './sink-pumps.ts';
import { openStoreClock } from './store-clock.ts';
import { watchStore } from './store-outage.ts';

export interface App extends AsyncDisposable {
  /** The port of the webhook listener; undefined where this process does not receive. */
  readonly port: number | undefined;
  readonly adminPort: number;
  readonly adminUrl: string;
  readonly adminToken: string;
  /** A link that logs a browser in once; valid for a minute when no other time is given. */
  loginLink(validMs?: number): string;
  status(): Promise<object>;
  /** Takes a delivery, at any path, or serves a signed link; rejects where this process does not receive. */
  receive(request: Request): Promise<Response>;
  /** Calls a handler for entries of the log; resolves once it has an offset. Where this process does not work, it is never called. */
  follow(handler: FeedHandler): Promise<void>;
  /** Whether the mirror was registered or has entries; false also where this process has no store. */
  isSetUp(): Promise<boolean>;
}

/** PostgreSQL answers within milliseconds; a server that is silent for this long has lost the connection. */
const silenceMs = 20_000;
const pingTimeoutMs = 2_000;

export interface AppNeeds {
  readonly config: Config;
  readonly log: Log;
  /** The clock of the alert rules; tests move it. */
  readonly clock?: () => number;
  /** Replaces the free space of the disks; tests fill them. */
  readonly freeBytes?: FreeBytes | undefined;
  /** Both, where it is absent. */
  readonly listens?: ListenerChoice;
  /** The command that prints a login link, where it is not `status --login` alone. */
  readonly loginCommand?: string | undefined;
}

/** What every process has, whatever its roles. */
interface AppParts {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly queue: DeliveryQueue;
  readonly circuit: QueueCircuit;
  readonly disks: DiskSpace;
  readonly health: Health;
  /** Undefined where this process does not work: a receiver needs no database. */
  readonly store: Store | undefined;
  readonly tail: Tail;
  readonly opened: AsyncDisposableStack;
  /** Is called after every batch that this process received or projected. */
  onBatch(): void;
}

export async function openApp(
  { config, log, clock = Date.now, freeBytes, loginCommand, listens = { webhook: true, admin: true } }: AppNeeds,
  roles: Roles,
): Promise<App> {
  await using opened = new AsyncDisposableStack();
  for (const warning of config.warnings) log.warn(warning);
  const prepared = roles.works ? await prepareBackground(config) : undefined;
  const listeners = await bindListeners({ config, log, opened, listens }, roles);
  openDataFolder(config);
  const disks = openDisks({ config, log, freeBytes }, roles);
  let lastBatchMs: number | undefined;
  const onBatch = () => void (lastBatchMs = Date.now());
  const shared = { ...(await openShared({ config, log, disks, opened }, roles)), onBatch };
  const { store, queue, health } = shared;
  const following = store && opened.use(await openStoreClock(store.engine)).following;
  const [nowMs, alertClock] = [following?.(Date.now) ?? Date.now, following?.(clock) ?? clock];
  const background = store && { ...shared, store, holder: randomUUID(), nowMs };

  if (store) await prepared?.alerts.register(store, alertClock);
  if (store) openWorker(shared, store);
  const pages = answerPages({ ...shared, nowMs });
  const receiver = roles.receives
    ? await openReceiver({ ...shared, answers: pages }, { ...roles, listener: listeners.webhook })
    : undefined;
  // After the receiver, which generates a missing signing key: watching the subscriptions needs it.
  if (background) await openRetention(background);
  if (background) await openSyncJobs(background);

  const running: RunningParts = {};
  const startedAt = new Date().toISOString();
  const reported = { roles, adminUrl: listeners.adminUrl, receiver, nowMs, lastBatchMs: () => lastBatchMs };
  const heartbeat = await startHeartbeat({ ...shared, ...reported });
  const installation = installationOf(config, { queue, processes: heartbeat.processes });
  const readHealth = async () => {
    const processes = await heartbeat.processes();
    const database = heartbeat.database();
    const asked = { ...installation, processes: async () => processes };
    const answering = database === 'not answering' ? undefined : store;
    return { processes, health: await healthOf({ store: answering, installation: asked, database, nowMs: nowMs() }) };
  };
  const readStore = async () => {
    if (!store) return {};
    await withTimeout(store.engine.ping(), pingTimeoutMs);
    return { ...(await mirrorStatus(store)), ...(running.sinks && { sinks: await running.sinks.status() }) };
  };
  const status = async () => {
    // At once: a command that asks waits for 5 seconds, and each of them may need 2 of them.
    const [depth, mirror, health] = await Promise.all([
      queue.depth().catch(() => ({ state: 'not answering' })),
      readStore().catch(() => ({ store: { state: 'not answering' } })),
      readHealth(),
    ]);
    return {
      roles: { receives: roles.receives, works: roles.works },
      started_at: startedAt,
      host: hostname(),
      pid: process.pid,
      queue: { engine: queue.engine, ...depth },
      ...(receiver && { disk_log: receiver.diskLog.status() }),
      ...mirror,
      ...(running.alerts && { alert_channels: running.alerts.channelStates() }),
      ...health,
    };
  };
  const sinks = async () => (await running.sinks?.list()) ?? [];
  const admin = openAdmin(shared, {
    ...listeners,
    works: roles.works,
    nowMs,
    status,
    loginCommand,
    sinks,
    installation,
  });
  // Last, so that they close first: they read the tail, which closes with the admin listener.
  if (background) {
    await openBookingsJob(background);
    running.sinks = prepared?.openSinks?.(background);
    running.alerts = await prepared?.alerts.open({ ...background, installation, clock: alertClock });
  }
  opened.defer(() => health.stop());
  const resources = opened.move();
  const isSetUp = async () =>
    store !== undefined &&
    ((await hasOrganization(store).catch(() => false)) || (await lastSeq(store).catch(() => 0)) > 0);
  return {
    port: receiver?.port,
    ...admin,
    status,
    isSetUp,
    async receive(request) {
      if (!receiver) throw new SlotstreamError('usage', 'This process does not receive deliveries.');
      return receiver.receive(request);
    },
    async follow(handler) {
      if (!background) return;
      const schedules = await startHandler(background, handler);
      // Meanwhile it may have closed.
      if (resources.disposed) await schedules.close();
      else resources.defer(() => schedules.close());
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Opened after the admin listener, which reports on them. */
interface RunningParts {
  sinks?: Sinks | undefined;
  alerts?: Alerts | undefined;
}

const damagedQueue =
  'the file of the embedded queue is damaged and was set aside: deliveries that waited in it may be missing; those in the disk log are enqueued again';

async function openShared(
  { config, log, disks, opened }: Pick<AppParts, 'config' | 'log' | 'disks' | 'opened'>,
  { works }: Roles,
): Promise<Omit<AppParts, 'onBatch'>> {
  const metrics = createMetrics();
  metrics.unsignedAllowed(config.signing.allowUnsigned);
  const store = works ? opened.use(await openMirror(config, log, { create: true, warns: true })) : undefined;
  // Not before: a migration of a large database may take longer.
  store?.engine.limitSilence(silenceMs);
  if (store) opened.use(watchStore({ config, store, log }));
  const report = errorLogger(log, 'queue');
  const { queueUrl: url, dataDir } = config;
  const onDamaged = (file: string) =>
    log.error({ file, hint: `Fetch what the service still has: ${slotstream} reconcile --repair` }, damagedQueue);
  const queue = await openQueue({ url, dataDir, report, onDamaged });
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
      bookingsBehind: () => bookingsBehind(store),
      reconciled: () => lastReconcileRuns(store),
      consumers: () => consumersBehind(store),
    }),
  });
  const tail = openTail({ lastSeq: async () => (store ? lastSeq(store) : 0) });
  opened.defer(() => tail.close());
  return { config, log, metrics, queue, circuit, disks, health, store, tail, opened };
}

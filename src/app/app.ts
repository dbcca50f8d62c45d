// The composition root: opens everything a role needs, in order, and closes it in the reverse one.
import { join } from 'node:path';
import { startDeliveryWorker } from '#workers/pipeline/delivery-worker.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { writeAddress, openAdminToken } from '#src/api/running-instance.ts';
import { createAdminApp, type ReadApi } from '#src/api/app.ts';
import { createAccessLog } from '#src/api/auth/auth.ts';
import type { Alerts } from './alerting.ts';
import { openSchedules, openSinks, prepareAlerts } from './background.ts';
import { errorLogger, lastReconcileRuns, mirrorStatus, openMirror } from './mirror.ts';
import type { Sinks } from './sink-pumps.ts';
import type { Config } from '#src/config/load.ts';
import { openTail, type Tail } from '#src/feed/tail.ts';
import { openKeyRing } from '#src/signing/key-ring.ts';
import type { Log } from '#src/observability/log.ts';
import { createMetrics } from '#src/observability/metrics/registry.ts';
import { memoize } from '#src/base/memoize.ts';
import type { DeliveryQueue } from '#src/queue/contract.ts';
import { openDurabilityGate, type DurabilityGate } from '#src/queue/durability-gate.ts';
import { openQueue } from '#src/queue/registry.ts';
import { createReceiverApp } from '#src/receiver/app.ts';
import { createQueueCircuit } from '#src/receiver/queue-circuit-breaker.ts';
import { startDrain } from '#src/receiver/spool/drain.ts';
import { createHealth, type Health } from '#src/receiver/health.ts';
import { createIntake } from '#src/receiver/intake.ts';
import { openListener } from '#src/receiver/listener.ts';
import { openSpool, type Spool } from '#src/receiver/spool/spool.ts';
import type { Store } from '#src/store/contract.ts';
import { countUnprojected, lastSeq } from '#src/store/log/read.ts';

/** What this process does: `start` does both, `receive` and `work` one each. */
export interface Roles {
  readonly receives: boolean;
  readonly works: boolean;
  /** Only `start` makes a signing key of its own. */
  readonly makesKey: boolean;
}

export interface App extends AsyncDisposable {
  /** Undefined where this process does not receive. */
  readonly port: number | undefined;
  readonly adminPort: number;
  /** Where this machine reaches the admin listener. */
  readonly adminUrl: string;
  readonly adminToken: string;
  status(): Promise<object>;
}

interface Parts {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: ReturnType<typeof createMetrics>;
  readonly queue: DeliveryQueue;
  readonly gate: DurabilityGate;
  readonly health: Health;
  readonly store: Store | undefined;
  readonly tail: Tail;
  readonly clock: () => number;
  readonly opened: AsyncDisposableStack;
}

// Between "not ready" and the closed door, so that a load balancer has looked away before connections are refused.
const unreadyGraceMs = 1_000;

export interface AppNeeds {
  readonly config: Config;
  readonly log: Log;
  /** By which alerts wait, rest at night and grow old. */
  readonly clock?: () => number;
}

export async function openApp({ config, log, clock = Date.now }: AppNeeds, roles: Roles): Promise<App> {
  await using opened = new AsyncDisposableStack();
  for (const warning of config.warnings) log.warn(warning);
  const alerting = roles.works ? await prepareAlerts(config) : undefined;
  const metrics = createMetrics();
  metrics.unsignedAllowed(config.signing.allowUnsigned);

  const store = roles.works ? opened.use(await openMirror(config, log, { create: true })) : undefined;
  const queue = await openQueue({ url: config.queueUrl, dataDir: config.dataDir, report: errorLogger(log, 'queue') });
  opened.defer(() => queue.close());
  const gate = await openDurabilityGate({
    queue,
    onProblem: ({ fatal, message, hint }) => log[fatal ? 'error' : 'warn']({ hint }, message),
  });
  opened.defer(() => gate.close());
  metrics.watch({
    queueDepth: () => queue.depth(),
    ...(store && {
      quarantine: () => countUnprojected(store, 'quarantined'),
      reconciled: () => lastReconcileRuns(store),
    }),
  });

  const checks = { queue: () => gate.ping(), ...(store && { store: () => store.engine.ping() }) };
  const health = createHealth({ checks, clock: Date.now });
  const tail = openTail({ lastSeq: async () => (store ? lastSeq(store) : 0) });
  opened.defer(() => tail.close());
  const parts: Parts = { config, log, metrics, queue, gate, health, store, tail, clock, opened };
  if (store) await alerting?.register(store, clock);
  if (store) openWorker(parts, store);
  const spool = roles.receives ? await openReceiverSpool(parts) : undefined;
  const port = spool && (await openReceiver(parts, spool, roles));
  // After the receiver, which makes the signing key where there is none.
  if (store) await openSchedules(parts, store);

  let sinks: Sinks | undefined;
  let alerts: Alerts | undefined;
  const startedAt = new Date().toISOString();
  const status = async () => ({
    roles: { receives: roles.receives, works: roles.works },
    started_at: startedAt,
    pid: process.pid,
    queue: { engine: queue.engine, ...(await queue.depth().catch(() => ({ state: 'not answering' }))) },
    ...(spool && { spool: spool.depth() }),
    ...(store && (await mirrorStatus(store))),
    ...(sinks && { sinks: await sinks.standing() }),
    ...(alerts && { alert_channels: alerts.channelStates() }),
  });
  const admin = await openAdmin(parts, status);
  // Last, so that they end first: they wait at the tail, which closes with the admin listener.
  sinks = store && (await openSinks(parts, store));
  alerts = store && (await alerting?.open({ ...parts, spool }, store));
  opened.defer(() => health.stop());
  const resources = opened.move();
  return { port, ...admin, status, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

function openWorker({ config, log, metrics, queue, tail, opened }: Parts, store: Store): void {
  const worker = startDeliveryWorker(
    {
      queue,
      store,
      screen: privacyScreen(config),
      metrics,
      log,
      clock: Date.now,
      onCommitted: () => tail.poke(),
    },
    { concurrency: store.engine.concurrentBatches },
  );
  opened.defer(() => worker.close());
}

async function openReceiverSpool({ config, log, metrics, opened }: Parts): Promise<Spool> {
  const spool = await openSpool({ log, metrics }, { root: join(config.dataDir, 'spool') });
  opened.defer(() => spool.close());
  return spool;
}

async function openReceiver(
  { config, log, metrics, gate, health, opened }: Parts,
  spool: Spool,
  roles: Roles,
): Promise<number> {
  const { keys, allowUnsigned, ...signing } = config.signing;
  const ring = openKeyRing({ keys, dataDir: config.dataDir, generate: roles.makesKey, allowUnsigned });
  for (const warning of ring.warnings) log.warn(warning);
  const circuit = createQueueCircuit({ enqueue: (batch) => gate.enqueue(batch), log, clock: Date.now });
  const drain = startDrain({ circuit, spool, log });
  opened.defer(() => drain.stop());
  const intake = createIntake({ circuit, spool, metrics });
  opened.defer(() => intake.settled());
  const app = createReceiverApp(
    { intake, keysAt: ring.keysAt, health, metrics, log, clock: Date.now },
    { ...signing, allowUnsigned, maxBodyBytes: config.maxBodyBytes },
  );
  const listener = await openListener(
    { fetch: app.fetch, onClosing: () => health.stop() },
    { host: config.host, port: config.port, graceMs: unreadyGraceMs },
  );
  opened.defer(() => listener.close());
  return listener.port;
}

async function openAdmin({ config, log, metrics, health, store, tail, opened }: Parts, status: () => Promise<object>) {
  const adminToken = openAdminToken(config);
  const app = createAdminApp({
    token: adminToken,
    clock: Date.now,
    status,
    metrics,
    health,
    ...createAccessLog(log, metrics),
    report: errorLogger(log, 'admin listener'),
    ...(store && { reads: readsOf({ config, log, store, tail }, adminToken) }),
  });
  const listener = await openListener(
    // Streams never end by themselves.
    { fetch: (request, env) => app.fetch(request, env), onClosing: () => tail.close() },
    { host: config.adminHost, port: config.adminPort },
  );
  opened.defer(() => listener.close());
  const host = config.adminHost === '0.0.0.0' ? '127.0.0.1' : config.adminHost;
  const adminUrl = `http://${host.includes(':') ? `[${host}]` : host}:${listener.port}`;
  const address = writeAddress(config.dataDir, adminUrl);
  opened.defer(() => address.remove());
  return { adminPort: listener.port, adminUrl, adminToken };
}

/** Loaded when it is first asked: most processes never are. */
function readsOf(
  { config, log, store, tail }: Pick<Parts, 'config' | 'log' | 'tail'> & { store: Store },
  secret: string,
) {
  return memoize(async (): Promise<ReadApi> => {
    const { createReadApi } = await import('#src/api/operations.ts');
    return createReadApi({
      store,
      tail,
      screen: privacyScreen(config),
      signing: config.signing,
      clock: Date.now,
      secret,
      report: errorLogger(log, 'admin listener'),
      acted: (operation) => log.info({ operation }, 'done for an operator'),
    });
  });
}

// The composition root: opens everything that the roles of a process need, in order, and closes it in the reverse order.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { FreeBytes } from '#src/base/disk-space.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { withTimeout } from '#src/base/timeout.ts';
import type { Config } from '#src/config/load.ts';
import type { Log } from '#src/observability/log.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { readSubscriptions } from '#src/store/subscription-rows.ts';
import { isOurs } from '#src/subscriptions/callback.ts';
import { callbackOf } from '#src/subscriptions/from-config.ts';
import type { SettingName } from '#src/store/shared-settings.ts';
import { hasOrganization } from '#workers/sync/mirror-identity.ts';
import { openAdmin } from './admin.ts';
import { answerPages } from './answers.ts';
import { openRetention, openSyncJobs, prepareBackground, type RunningAlerts } from './background.ts';
import { openDataFolder, openDisks } from './disk.ts';
import { startHeartbeat } from './heartbeat.ts';
import { healthOf, installationOf } from './installation.ts';
import { startHandler, type FeedHandler } from './handlers.ts';
import { bindListeners, type ListenerChoice } from './listeners.ts';
import { watchLog } from './log-watch.ts';
import { mirrorStatus } from './mirror.ts';
import { openReceiver, openWorker, type Roles } from './roles.ts';
import { SettingsWatch } from './settings-watch.ts';
import type { Sinks } from './sink-pumps.ts';
import { openStoreClock } from './store-clock.ts';
import { openShared } from './shared-parts.ts';

export interface App extends AsyncDisposable {
  /** The port of the webhook listener; undefined where this process does not receive. */
  readonly port: number | undefined;
  readonly adminPort: number;
  readonly adminUrl: string;
  readonly adminToken: string;
  /** A link that logs a browser in once; valid for a minute when no other time is given. */
  loginLink(validMs?: number): string;
  status(): Promise<object>;
  /** Aborts, with the error as its reason, when this process must not go on: a newer version has migrated the database. */
  readonly ended: AbortSignal;
  /** Takes a delivery, at any path, or serves a signed link; rejects where this process does not receive. */
  receive(request: Request): Promise<Response>;
  /** Calls a handler for entries of the log; resolves once it has an offset. Where this process does not work, it is never called. */
  follow(handler: FeedHandler): Promise<void>;
  /** Whether the mirror was registered or has entries; false also where this process has no store. */
  isSetUp(): Promise<boolean>;
  /** Whether a subscription of the service led here when they were last listed. */
  isRegistered(): Promise<boolean>;
}

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
  if (background) {
    const watch = opened.use(watchLog({ ...background, notes: queue.notes }));
    openWorker({ ...shared, watch }, background.store);
  }
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
  const ending = new AbortController();
  const onOutdated = (error: SlotstreamError) => {
    log.error({ hint: error.hint }, error.message);
    ending.abort(error);
  };
  const onChanged = async (names: readonly SettingName[]) => {
    await store?.refreshViews();
    if (names.includes('reportTimezone')) await running.alerts?.restart();
  };
  // Last, so that they close first: they read the tail, which closes with the admin listener.
  if (background) {
    running.sinks = prepared?.openSinks?.(background);
    running.alerts = await prepared?.alerts.open({ ...background, installation, clock: alertClock });
    opened.use(new SettingsWatch({ ...background, stated: config.stated, onChanged, onOutdated }).start());
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
    ended: ending.signal,
    isSetUp,
    async isRegistered() {
      if (!store || config.publicUrl === undefined) return false;
      const callback = callbackOf(config);
      return (await readSubscriptions(store)).some((one) => one.state === 'active' && isOurs(callback, one));
    },
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
  alerts?: RunningAlerts | undefined;
}

// Reports this process to the others: it writes its row of `processes` every few seconds, and lists the rows of all.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { askRunning, openAdminToken } from '#src/api/running-instance.ts';
import { inMegabytes, type DiskSpace } from '#src/base/disk-space.ts';
import { withTimeout } from '#src/base/timeout.ts';
import { instantOf } from '#src/base/time.ts';
import { version } from '#src/base/version.ts';
import type { Config } from '#src/config/load.ts';
import type { ProcessInput } from '#src/read/health/process-health.ts';
import type { Metrics } from '#src/observability/metrics/registry.ts';
import { recentCounts } from '#src/observability/metrics/tallies.ts';
import type { DeliveryQueue } from '#src/queue/contract.ts';
import type { Health } from '#src/receiver/health.ts';
import type { DiskLog } from '#src/receiver/disk-log/disk-log.ts';
import type { Unit } from '#src/store/contract.ts';
import { schemaVersion } from '#src/store/migrations.ts';
import type { MachineReport } from '#src/store/process-reports.ts';
import { connectStore, sqliteFile } from '#src/store/open-store.ts';
import {
  expireProcesses,
  heartbeatMs,
  listProcesses,
  removeProcess,
  writeProcess,
  type ProcessRow,
} from '#src/store/processes.ts';
import { mergeProcesses, statusAnswer } from './read-status.ts';
import type { Roles } from './roles.ts';

export interface Heartbeat {
  /** Every process, this one included; the others as they were last read where the store does not answer. */
  processes(): Promise<readonly ProcessRow[]>;
  /** As it was found when the processes were last listed. */
  database(): ProcessInput['database'];
}

interface HeartbeatNeeds {
  readonly config: Config;
  readonly roles: Roles;
  readonly adminUrl: string;
  readonly queue: Pick<DeliveryQueue, 'depth' | 'oldestMs'>;
  readonly metrics: Pick<Metrics, 'signatures' | 'lag'>;
  readonly disks: Pick<DiskSpace, 'low' | 'free' | 'folders'>;
  readonly health: Pick<Health, 'readiness'>;
  /** Undefined in a receiver, which connects to the table alone. */
  readonly store: Unit | undefined;
  /** Undefined where this process does not receive. */
  readonly receiver: { readonly diskLog: Pick<DiskLog, 'status' | 'keepsFinished'> } | undefined;
  readonly nowMs: () => number;
  lastBatchMs(): number | undefined;
  readonly opened: AsyncDisposableStack;
}

const storeTimeoutMs = 2_000;
/** A receiver waits for a queue that does not answer before it answers itself. */
const askTimeoutMs = 5_000;

export async function startHeartbeat(needs: HeartbeatNeeds): Promise<Heartbeat> {
  const { config, roles, queue, metrics, receiver, opened } = needs;
  const unit = needs.store ?? (await connectToTable(config, opened));
  /**
   * By how much the clock of the database is ahead of a receiver's. Rows have the time of the database, because others would count a process
   * with a wrong clock as missing; this process compares them with its own clock.
   */
  let aheadMs = 0;
  const nowMs = () => needs.nowMs() + aheadMs;
  const role: ProcessRow['role'] = roles.receives ? (roles.works ? 'start' : 'receive') : 'work';
  const identity = {
    id: randomUUID(),
    role,
    host: hostname(),
    pid: process.pid,
    version,
    admin_url: needs.adminUrl,
  };
  const startedMs = needs.nowMs();
  const recently = recentCounts();
  let waitingSince: number | undefined;
  let stored: readonly ProcessRow[] = [];
  let database: ProcessInput['database'] = unit ? 'answering' : 'unknown';

  async function oldestJob(state: 'waiting' | 'active'): Promise<string | null> {
    return instantOrNull(await withTimeout(queue.oldestMs(state), storeTimeoutMs).catch(() => undefined));
  }

  async function describeMachine(): Promise<MachineReport> {
    const { deliveries, engines } = await needs.health.readiness();
    const low = new Set((await needs.disks.low()).map(({ part }) => part));
    // A worker follows the clock of the database.
    const clockMs = needs.store ? Date.now() - needs.nowMs() : -aheadMs;
    return {
      disks: (await needs.disks.free()).map(({ part, freeBytes }) => ({
        part,
        folder: needs.disks.folders[part] ?? '',
        free_mb: inMegabytes(freeBytes),
        is_low: low.has(part),
      })),
      refuses: receiver !== undefined && deliveries === 'not_ready',
      keeps: receiver?.diskLog.keepsFinished ?? false,
      down: Object.keys(engines).filter((name) => engines[name] === 'down'),
      clock_ahead_seconds: Math.round(clockMs / 1000),
      schema: schemaVersion(),
    };
  }

  async function describe(): Promise<ProcessRow> {
    const asked = withTimeout(queue.depth(), storeTimeoutMs).catch(() => undefined);
    const [depth, machine] = await Promise.all([asked, describeMachine()]);
    const diskLog = receiver?.diskLog.status();
    waitingSince = diskLog?.waiting ? (waitingSince ?? needs.nowMs()) : undefined;
    const lag = metrics.lag();
    const { accepted, refused, stale, losses } = recently.of(countsOf());
    return {
      ...identity,
      started_at: instantOf(startedMs),
      seen_at: instantOf(needs.nowMs()),
      queue: depth ? 'answering' : 'not answering',
      queue_waiting: depth ? depth.waiting + depth.delayed : null,
      queue_active: depth?.active ?? null,
      queue_failed: depth?.failed ?? null,
      queue_oldest_at: depth?.waiting ? await oldestJob('waiting') : null,
      active_oldest_at: depth?.active ? await oldestJob('active') : null,
      queue_losses: receiver ? losses : null,
      spool_deliveries: diskLog?.waiting ?? null,
      spool_since: instantOrNull(waitingSince),
      journal_batches: diskLog?.batches ?? null,
      journal_full: diskLog?.is_full ?? null,
      low_disks: null,
      machine: JSON.stringify(machine),
      accepted: receiver ? accepted : null,
      refused: receiver ? refused : null,
      refused_stale: receiver ? stale : null,
      lag_p50_ms: lag ? Math.round(lag.p50 * 1000) : null,
      lag_p99_ms: lag ? Math.round(lag.p99 * 1000) : null,
      last_batch_at: instantOrNull(needs.lastBatchMs()),
    };
  }
  const countsOf = () => ({ ...metrics.signatures(), losses: receiver?.diskLog.status().losses ?? 0 });

  const beat = async () => {
    recently.remember(countsOf());
    if (!needs.store && unit) aheadMs = await unit.engine.clockAheadMs();
    return shifted(await describe(), aheadMs);
  };
  opened.defer(startBeating(unit, { id: identity.id, nowMs, describe: beat }));
  return {
    async processes() {
      // A slow answer must not end an alert about another process.
      const listed = unit && withTimeout(listProcesses(unit, nowMs()), storeTimeoutMs).catch(() => undefined);
      const own = await describe();
      const found = await listed;
      stored = found ?? stored;
      if (unit) database = found ? 'answering' : 'not answering';
      const beside = roles.receives ? [] : await askReceivers(config);
      return mergeProcesses([...stored.map((row) => shifted(row, -aheadMs)), ...beside, own]);
    },
    database: () => database,
  };
}

/** With SQLite, the receivers on this data folder do not write to the table: they are asked. */
export async function askReceivers(config: Config): Promise<readonly ProcessRow[]> {
  if (sqliteFile(config.databaseUrl) === undefined) return [];
  const request = { token: () => openAdminToken(config), path: '/api/status', onlyReceivers: true };
  const answers = await withTimeout(askRunning(config.dataDir, request), askTimeoutMs).catch(() => []);
  return answers.flatMap((answer) => statusAnswer.parse(answer).processes);
}

/** The same report by a clock that is ahead by so much. */
const shifted = (row: ProcessRow, byMs: number): ProcessRow => {
  const later = (time: string) => instantOf(Date.parse(time) + byMs);
  const since = row.spool_since;
  return {
    ...row,
    started_at: later(row.started_at),
    seen_at: later(row.seen_at),
    spool_since: since === null ? null : later(since),
  };
};

const instantOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : instantOf(ms));

/** Returns how to stop. A failure is not reported: the store has checks of its own, and the row shows when it was written last. */
function startBeating(
  unit: Unit | undefined,
  { id, nowMs, describe }: { id: string; nowMs(): number; describe(): Promise<ProcessRow> },
) {
  let beating: Promise<void> | undefined;
  const beat = (): Promise<void> =>
    (beating ??= describe()
      .then((row) => unit && writeProcess(unit, row))
      .catch(() => {})
      .finally(() => (beating = undefined)));
  void beat()
    .then(() => unit && expireProcesses(unit, nowMs()))
    .catch(() => {});
  const timer = setInterval(beat, heartbeatMs).unref();
  return async (): Promise<void> => {
    clearInterval(timer);
    const removed = async () => {
      await beating;
      if (unit) await removeProcess(unit, id);
    };
    await withTimeout(removed(), storeTimeoutMs).catch(() => {});
  };
}

/**
 * A receiver has no store. On PostgreSQL it connects to write its row, and does not wait for the server. A SQLite file is on the machine of
 * its worker, where `status` asks every process itself; writing to it could block the receiver.
 */
async function connectToTable({ databaseUrl }: Config, opened: AsyncDisposableStack): Promise<Unit | undefined> {
  if (sqliteFile(databaseUrl) !== undefined) return undefined;
  const engine = await connectStore({ report: () => {} }, databaseUrl);
  opened.defer(() => engine.close());
  engine.limitSilence(storeTimeoutMs);
  return { db: engine.db, engine };
}

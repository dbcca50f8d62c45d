// What `status` and `doctor` report: the answers of the processes on this data folder, and what the store has about all processes.
import { z } from 'zod';
import { askRunning, openAdminToken } from '#src/api/running-instance.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Config } from '#src/config/load.ts';
import { withTimeout } from '#src/base/timeout.ts';
import type { Log } from '#src/observability/log.ts';
import type { QueueDepth } from '#src/queue/contract.ts';
import { healthCheck, type HealthCheck } from '#src/read/health/health-check.ts';
import type { Store } from '#src/store/contract.ts';
import { processRecord } from '#src/store/process-reports.ts';
import type { ProcessRow } from '#src/store/processes.ts';
import type { HealthNeeds } from './installation.ts';

export interface StatusReport {
  /** Whether a process answers on this data folder. */
  readonly running: boolean;
  readonly processes: readonly ProcessRow[];
  /** By the clock that the reports of the processes have. */
  readonly nowMs: number;
  /** The answer of a process on this data folder, one with the tables if there is one; without any, what the store has. */
  readonly status: object;
  readonly health: readonly HealthCheck[];
  readonly problem: SlotstreamError | undefined;
}

/** A running process may be of another version: a part of another shape is left out. */
export const statusAnswer = z.looseObject({
  store: z.looseObject({}).optional().catch(undefined),
  processes: z.array(processRecord).default([]).catch([]),
  health: z.array(healthCheck).optional().catch(undefined),
});

/** One entry per process, the newest, in a stable order. */
export function mergeProcesses(all: readonly ProcessRow[]): readonly ProcessRow[] {
  const newest = new Map<string, ProcessRow>();
  for (const each of all) if (each.seen_at >= (newest.get(each.id)?.seen_at ?? '')) newest.set(each.id, each);
  const orderOf = ({ role, host, started_at }: ProcessRow) => `${role} ${host} ${started_at}`;
  return [...newest.values()].toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
}

interface StatusNeeds {
  readonly config: Config;
  readonly log: Log;
  readonly now: () => Date;
  /** Where the caller has opened the mirror. */
  mirror?(): Promise<Store>;
}

export async function readStatus(needs: StatusNeeds): Promise<StatusReport> {
  const { config } = needs;
  const request = { token: () => openAdminToken(config), path: '/api/status' };
  const answers = await askRunning(config.dataDir, request).catch((error: unknown): readonly unknown[] => {
    if (error instanceof SlotstreamError && error.code === 'not_running') return [];
    throw error;
  });
  const read = answers.map((each) => statusAnswer.parse(each));
  const [first] = read;
  const running = first !== undefined;
  const listed = read.flatMap(({ processes }) => processes);
  // A process reports itself when it is asked: the newest report has the time of the answer.
  const reportedMs = listed.map(({ seen_at: at }) => Date.parse(at));
  const nowMs = reportedMs.length > 0 ? Math.max(...reportedMs) : needs.now().getTime();
  if (first?.store && first.health) {
    const { health, ...status } = first;
    return { running, processes: mergeProcesses(listed), nowMs, status, health, problem: undefined };
  }
  const queue = first ? undefined : await askQueue(config);
  const { status, ...mirror } = await readMirror(needs, { listed, queue, nowMs });
  return { running, ...mirror, status: { ...first, ...(queue && { queue }), ...status } };
}

/** Undefined where only its process can read it. */
async function askQueue({ queueUrl: url, dataDir }: Config): Promise<QueueAnswer | undefined> {
  // Loaded only here: most installations have the embedded queue.
  if (!/^(redis|postgres)/.test(url)) return undefined;
  const { openQueue } = await import('#src/queue/registry.ts');
  const queue = await openQueue({ url, dataDir, report: () => {} });
  try {
    return { engine: queue.engine, ...(await withTimeout(queue.depth(), queueTimeoutMs)) };
  } catch {
    return { engine: queue.engine, state: 'not answering' };
  } finally {
    await queue.close().catch(() => {});
  }
}

interface QueueAnswer extends Partial<QueueDepth> {
  readonly engine: string;
  readonly state?: 'not answering';
}

const queueTimeoutMs = 5_000;

/** What the store has, and what follows from it and from the processes that answered. */
async function readMirror(
  { config, log, now, mirror }: StatusNeeds,
  known: { readonly listed: readonly ProcessRow[]; readonly queue: QueueAnswer | undefined; readonly nowMs: number },
) {
  // Loaded only here: asking a running process needs no store.
  const { mirrorStatus, openMirror } = await import('./mirror.ts');
  const { listProcesses } = await import('#src/store/processes.ts');
  const { healthOf, installationOf } = await import('./installation.ts');
  const { waiting = 0, delayed = 0, failed = 0 } = known.queue ?? {};
  const healthWith = (processes: readonly ProcessRow[], more: Pick<HealthNeeds, 'store' | 'nowMs' | 'database'>) =>
    healthOf({
      ...more,
      installation: installationOf(config, { processes: async () => processes }),
      queue: known.queue && (known.queue.state ?? { waiting: waiting + delayed, failed }),
    });
  try {
    const store = await (mirror ?? (() => openMirror(config, log)))();
    await using _own = { [Symbol.asyncDispose]: async () => (mirror ? undefined : store.close()) };
    const nowMs = now().getTime() + (await store.engine.clockAheadMs());
    const processes = mergeProcesses([...known.listed, ...(await listProcesses(store, nowMs))]);
    const health = await healthWith(processes, { store, nowMs, database: 'answering' });
    return { status: await mirrorStatus(store), processes, nowMs, health, problem: undefined };
  } catch (error) {
    if (!(error instanceof SlotstreamError)) throw error;
    const states: Partial<Record<string, string>> = { no_mirror: 'no mirror yet', store_unavailable: 'not answering' };
    const state = states[error.code];
    if (state === undefined) throw error;
    const processes = mergeProcesses(known.listed);
    const database = state === 'not answering' ? state : 'answering';
    const { nowMs } = known;
    const health = await healthWith(processes, { store: undefined, nowMs, database });
    return { status: { store: { state } }, processes, nowMs, health, problem: error };
  }
}

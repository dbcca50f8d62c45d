// Reads the health of the mirror: from the store, from what the processes report, and from what the asked process knows.
import { SlotstreamError } from '#src/base/errors.ts';
import { withTimeout } from '#src/base/timeout.ts';
import { unprojectedCounts } from '#src/read/deliveries/unprojected-counts.ts';
import { alertBacklog } from '#src/store/alerts/alert-queries.ts';
import type { Store } from '#src/store/contract.ts';
import type { ProcessRow } from '#src/store/processes.ts';
import { positionsAhead } from '#src/store/log/consumer-offsets.ts';
import { readSubscriptions } from '#src/store/subscription-rows.ts';
import { lateJobs, type LateJob } from '#src/store/jobs/lease.ts';
import { filledAt, isFilled } from '#src/store/jobs/filled.ts';
import { openGap } from '#src/store/jobs/missed-window.ts';
import { readReconcileState } from '#src/store/jobs/reconcile-state.ts';
import type { HealthCheck } from './health-check.ts';
import { mirrorHealth, type HealthInput } from './health.ts';
import { aliveOf, processHealth, type ProcessInput } from './process-health.ts';
import { readPolling } from './polling-health.ts';
import { readClockSkew, readLostSubscriptions, readWentBack } from './recorded-inputs.ts';

/** What only the asked process and its settings say. */
export interface Installation {
  /** Every process that reports, this one included. */
  processes(): Promise<readonly ProcessRow[]>;
  readonly queueEngine: string;
  /** Settings without a value that are needed to call the service, or to be called by it. */
  readonly missingSettings: readonly string[];
  readonly recentEveryMs: number;
  readonly fullEveryMs: number;
  readonly jobPeriods: Readonly<Record<string, number>>;
}

/** What is known without the store. */
export const processInput = (
  { missingSettings: missing, jobPeriods }: Pick<Installation, 'missingSettings' | 'jobPeriods'>,
  input: Pick<ProcessInput, 'nowMs' | 'processes' | 'database'>,
): ProcessInput => ({ ...input, isCalled: !missing.includes('PUBLIC_URL') && jobPeriods['poll'] === undefined });

interface HealthRequest {
  readonly installation: Installation;
  readonly nowMs: number;
  readonly queue?: ProcessInput['queue'];
  readonly refusingSinks?: HealthInput['refusingSinks'];
}

export async function readHealthInput(store: Store, request: HealthRequest): Promise<HealthInput> {
  const { installation, nowMs, queue, refusingSinks = [] } = request;
  const { missingSettings: missing, recentEveryMs, fullEveryMs } = installation;
  const known = { nowMs, processes: await installation.processes(), database: 'answering' } as const;
  const hasApi = !missing.some((name) => name.startsWith('API_'));
  const { recent, full } = await readReconcileState(store);
  return {
    ...processInput(installation, known),
    queue,
    subscriptions: await readSubscriptions(store),
    lostSubscriptions: await readLostSubscriptions(store, nowMs),
    unprojected: await unprojectedCounts(store, nowMs),
    comparison: {
      missedSince: (await openGap(store))?.since,
      isFilled: await isFilled(store),
      filledAt: await filledAt(store),
      recent,
      full,
      recentEveryMs,
      fullEveryMs,
    },
    clock: await readClockSkew(store, nowMs),
    wentBack: await readWentBack(store, nowMs),
    hasApi,
    polling: await readPolling(store, installation, nowMs),
    lateJobs: hasApi ? await readLateJobs(store, installation, known) : [],
    alerts: await alertBacklog(store, nowMs),
    refusingSinks,
    ahead: await positionsAhead(store),
  };
}

/** None while no worker is there to run them. */
async function readLateJobs(
  store: Store,
  { jobPeriods }: Pick<Installation, 'jobPeriods'>,
  { processes, nowMs }: Pick<ProcessInput, 'processes' | 'nowMs'>,
): Promise<readonly LateJob[]> {
  const workers = aliveOf({ processes, nowMs }).filter(({ role }) => role !== 'receive');
  if (workers.length === 0) return [];
  const sinceMs = Math.min(...workers.map(({ started_at: at }) => Date.parse(at)));
  return lateJobs(store, jobPeriods, { sinceMs, nowMs });
}

const pingTimeoutMs = 2_000;

/** Every check; while the store does not answer, those that need no store. */
export async function readHealth(store: Store, request: HealthRequest): Promise<readonly HealthCheck[]> {
  const { installation, nowMs } = request;
  try {
    await withTimeout(store.engine.ping(), pingTimeoutMs);
  } catch (error) {
    const processes = await installation.processes();
    const outage =
      error instanceof SlotstreamError ? { sentence: error.message, fix: error.hint ?? 'Look at its log.' } : undefined;
    return processHealth({
      ...processInput(installation, { nowMs, processes, database: 'not answering' }),
      outage,
    });
  }
  return mirrorHealth(await readHealthInput(store, request));
}

// `GET /api/overview`: how the mirror is now, in sentences: its health, the flow of deliveries, what needs a person, and today's counts.
import { z } from 'zod';
import { instant } from '#schemas/resources/values.ts';
import { timezoneName } from '#schemas/timezone.ts';
import { defineOperation, type ApiContext } from '#src/api/api-operation.ts';
import { counted } from '#src/base/number-text.ts';
import type { Store } from '#src/store/contract.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { unprojectedCounts } from '#src/store/log/unprojected-counts.ts';
import type { ProcessRow } from '#src/store/processes.ts';
import { readMirrorHealth } from '#workers/alerts/conditions/mirror-health.ts';
import { filledAt, isFilled } from '#workers/sync/mirror-identity.ts';
import { openGap } from '#workers/sync/reconcile/missed-window.ts';
import { readReconcileState } from '#workers/sync/reconcile/reconcile-state.ts';
import { firstRun, firstRunRecord } from './first-run.ts';
import { healthItem, type HealthItem } from './health-item.ts';
import { downSubscriptions, mirrorHealth } from './health.ts';
import { readLateJobs } from './late-jobs.ts';
import { latestDelivery, readLatest } from './latest.ts';
import { needRecord, readNeeds, type Need } from './needs-you.ts';
import { isMissing, lagOf, queueOf, type Installation } from './process-health.ts';
import { hourRecord, readToday, todayRecord } from './today.ts';

const count = z.int().min(0);

const arrow = z.strictObject({
  from: z.enum(['receiver', 'queue', 'worker']),
  to: z.enum(['queue', 'worker', 'store']),
  depth: count.describe('How much waits here.'),
  unit: z.enum(['deliveries', 'batches']),
  oldest_at: instant.nullable().describe('Since when the oldest waits.'),
});

const flow = z.strictObject({
  receivers: count,
  accepted: count.describe('Deliveries accepted within the last 10 minutes.'),
  queue_engine: z.string(),
  workers: count,
  lag_p50_ms: count.nullable().describe('From an event to its row, within the last 10 minutes.'),
  lag_p99_ms: count.nullable(),
  store_engine: z.enum(['sqlite', 'postgres']),
  last_seq: count,
  arrows: z.array(arrow),
});

const overview = z
  .strictObject({
    verdict: z.strictObject({ state: z.enum(['ok', 'attention', 'problem']), sentence: z.string() }),
    health: z.array(healthItem),
    flow,
    needs_you: z.array(needRecord),
    today: todayRecord,
    hours: z.array(hourRecord).describe('Deliveries of the last 24 hours, hour by hour.'),
    latest: z.array(latestDelivery).describe('The newest deliveries.'),
    first_run: firstRunRecord,
  })
  .meta({ id: 'Overview' });
export type Overview = z.output<typeof overview>;

export const getOverview = defineOperation({
  id: 'getOverview',
  method: 'GET',
  path: '/api/overview',
  tag: 'Process',
  summary: 'How the mirror is now',
  description:
    'Health, flow, what needs a person, and the deliveries of today. Deliveries are counted by their position in the log: one that a replay or an erasure moved to its end counts when it was moved.',
  query: z.object({
    timezone: timezoneName
      .optional()
      .describe('In which the day begins: `Europe/Berlin`. That of `REPORT_TIMEZONE` when absent.'),
  }),
  answers: 'object',
  schema: overview,
  run: ({ query: { timezone }, ...context }) => readOverview(context, timezone ?? context.store.reportZone),
});

export const overviewOperations = [getOverview] as const;

async function readOverview(
  { store, clock, installation, process }: Pick<ApiContext, 'store' | 'clock' | 'installation' | 'process'>,
  timezone: string,
): Promise<Overview> {
  const nowMs = clock();
  const processes = (await installation?.processes()) ?? [];
  const { health: mirror } = await readMirrorHealth(store, { nowMs, before: undefined });
  const missingSettings = installation?.missingSettings ?? [];
  const hasApi = !missingSettings.some((name) => name.startsWith('API_'));
  const comparison = await readComparison(store, installation);
  const { unhandled } = await unprojectedCounts(store, nowMs);
  const periods = hasApi ? (installation?.jobPeriods ?? {}) : {};
  const late = await readLateJobs(store, { periods, processes, nowMs });
  const health = mirrorHealth({ nowMs, processes, mirror, unhandled, hasApi, comparison, lateJobs: late });
  const { disabled, missing } = downSubscriptions(mirror);
  const needs = await readNeeds(store, {
    nowMs,
    quarantined: mirror.quarantined,
    downSubscriptions: disabled + missing,
    refusing: ((await process?.sinks()) ?? []).filter(({ state }) => state === 'retrying'),
  });
  const seq = await lastSeq(store);
  const latest = await readLatest(store);
  return {
    verdict: verdictOf(health, needs),
    health: [...health],
    flow: {
      ...flowOf(processes, nowMs),
      queue_engine: installation?.queueEngine ?? 'unknown',
      store_engine: store.engine.name,
      last_seq: seq,
    },
    needs_you: [...needs],
    ...(await readToday(store, { nowMs, timezone })),
    latest: [...latest],
    first_run: firstRun({
      missingSettings,
      hasSubscription: mirror.subscriptions.length > 0,
      isFilled: comparison.isFilled,
      hasDelivery: latest.length > 0,
      isEmpty: seq === 0,
    }),
  };
}

async function readComparison(store: Store, installation: Installation | undefined) {
  const { recent, full } = await readReconcileState(store);
  return {
    missedSince: (await openGap(store))?.since,
    isFilled: await isFilled(store),
    filledAt: await filledAt(store),
    recent,
    full,
    recentEveryMs: installation?.recentEveryMs ?? Infinity,
    fullEveryMs: installation?.fullEveryMs ?? Infinity,
  };
}

/** Work lists are no fault, and an item without a fix is a notice. */
function verdictOf(health: readonly HealthItem[], needs: readonly Need[]): Overview['verdict'] {
  const faults = new Set([
    ...health.filter(({ state, fix }) => state !== 'ok' && fix !== undefined).map(({ id }) => id),
    ...needs.filter(({ kind }) => kind === 'fault').map(({ id }) => id),
  ]).size;
  if (faults > 0) {
    const state = health.some((item) => item.state === 'problem') ? 'problem' : 'attention';
    return { state, sentence: `${counted(faults, 'thing needs', 'things need')} you.` };
  }
  const notices = health.filter(({ state }) => state !== 'ok').length;
  const lists = needs.filter(({ kind }) => kind === 'work').length;
  const sentences = [
    'Everything works.',
    ...(notices > 0 ? [`${counted(notices, 'notice')}.`] : []),
    ...(lists > 0 ? [`${counted(lists, 'to-do list has', 'to-do lists have')} entries.`] : []),
  ];
  return { state: 'ok', sentence: sentences.join(' ') };
}

function flowOf(processes: readonly ProcessRow[], nowMs: number) {
  const alive = processes.filter((each) => !isMissing(each, nowMs));
  const receivers = alive.filter(({ role }) => role !== 'work');
  const queue = queueOf(alive);
  const lag = lagOf(alive);
  const spooled = receivers.reduce((sum, { spool_deliveries: spooled }) => sum + (spooled ?? 0), 0);
  const [spoolSince = null] = receivers.flatMap(({ spool_since: since }) => since ?? []).toSorted();
  return {
    receivers: receivers.length,
    accepted: receivers.reduce((sum, { accepted }) => sum + (accepted ?? 0), 0),
    workers: alive.filter(({ role }) => role !== 'receive').length,
    lag_p50_ms: lag?.p50Ms ?? null,
    lag_p99_ms: lag?.p99Ms ?? null,
    arrows: [
      { from: 'receiver', to: 'queue', depth: spooled, unit: 'deliveries', oldest_at: spoolSince },
      { from: 'queue', to: 'worker', depth: queue.waiting, unit: 'batches', oldest_at: queue.oldestAt ?? null },
      { from: 'worker', to: 'store', depth: queue.active, unit: 'batches', oldest_at: queue.activeSince ?? null },
    ],
  } satisfies Partial<Overview['flow']>;
}

// How the mirror is now, in sentences: `GET /api/health`, and for the first page also the flow of deliveries and today's counts.
import { z } from 'zod';
import { timezoneName } from '#schemas/timezone.ts';
import { defineOperation, type ApiContext } from '#src/api/api-operation.ts';
import { sentenceOf } from '#src/api/deliveries/sentences.ts';
import { counted } from '#src/base/number-text.ts';
import { parseInput } from '#src/http/request.ts';
import type { Store } from '#src/store/contract.ts';
import { newestDeliveries } from '#src/read/deliveries/delivery-tail.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { unprojectedCounts } from '#src/read/deliveries/unprojected-counts.ts';
import { isMissing } from '#src/store/process-reports.ts';
import type { ProcessRow } from '#src/store/processes.ts';
import { readMirrorHealth } from '#src/read/health/mirror-health.ts';
import { filledAt, isFilled } from '#workers/sync/mirror-identity.ts';
import { openGap } from '#workers/sync/reconcile/missed-window.ts';
import { readReconcileState } from '#workers/sync/reconcile/reconcile-state.ts';
import { firstRun } from '#src/read/health/first-run.ts';
import { downSubscriptions, mirrorHealth } from '#src/read/health/health.ts';
import { readLateJobs } from '#src/read/health/late-jobs.ts';
import { needRecord, readNeeds, type AttentionItem } from '#src/read/health/needs-you.ts';
import { healthItem, lagOf, queueOf, type HealthItem, type Installation } from '#src/read/health/process-health.ts';
import { readToday } from '#src/read/health/today.ts';

const mirrorHealthRecord = z
  .strictObject({
    verdict: z.strictObject({ state: z.enum(['ok', 'attention', 'problem']), sentence: z.string() }),
    health: z.array(healthItem),
    needs_you: z.array(needRecord),
  })
  .meta({ id: 'MirrorHealth' });
type Verdict = z.output<typeof mirrorHealthRecord>['verdict'];

export const getMirrorHealth = defineOperation({
  id: 'getMirrorHealth',
  method: 'GET',
  path: '/api/health',
  tag: 'Process',
  summary: 'Whether the mirror is well, check by check, and what needs a person',
  description: 'What is not well has a sentence and its fix, as on the first page of the dashboard.',
  answers: 'object',
  schema: mirrorHealthRecord,
  async run(context) {
    const { verdict, health, needs } = await readHealth(context);
    return { verdict, health, needs_you: needs };
  },
});

type OverviewContext = Pick<ApiContext, 'store' | 'clock' | 'installation' | 'process'>;

async function readHealth({ store, clock, installation, process }: OverviewContext) {
  const nowMs = clock();
  const processes = (await installation?.processes()) ?? [];
  const { health: mirror } = await readMirrorHealth(store, { nowMs, before: undefined, processes });
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
  return { nowMs, processes, mirror, missingSettings, comparison, health, needs, verdict: verdictOf(health, needs) };
}

const shownDeliveries = 20;

export type Overview = Awaited<ReturnType<typeof readOverview>>;

/** The first page: the health, the flow of deliveries, today in this time zone, the newest deliveries, and what is left to set up. */
export async function readOverview(context: OverviewContext, timezone = context.store.reportZone) {
  const { store, installation } = context;
  const { nowMs, processes, mirror, missingSettings, comparison, ...health } = await readHealth(context);
  const seq = await lastSeq(store);
  const latest = await newestDeliveries(store, shownDeliveries);
  return {
    ...health,
    flow: {
      ...flowOf(processes, nowMs),
      queueEngine: installation?.queueEngine ?? 'unknown',
      storeEngine: store.engine.name,
      lastSeq: seq,
    },
    ...(await readToday(store, { nowMs, timezone: parseInput(timezoneName, timezone) })),
    latest: latest.map((entry) => ({ ...entry, sentence: sentenceOf(entry) })),
    firstRun: firstRun({
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
function verdictOf(health: readonly HealthItem[], needs: readonly AttentionItem[]): Verdict {
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
  const [spoolSince] = receivers.flatMap(({ spool_since: since }) => since ?? []).toSorted();
  return {
    receivers: receivers.length,
    /** Within the last 10 minutes. */
    accepted: receivers.reduce((sum, { accepted }) => sum + (accepted ?? 0), 0),
    workers: alive.filter(({ role }) => role !== 'receive').length,
    lag,
    /** What waits on the disks of the receivers, in the queue, in the workers; and since when. */
    spooled: { count: spooled, since: spoolSince },
    waiting: { count: queue.waiting, since: queue.oldestAt },
    active: { count: queue.active, since: queue.activeSince },
  };
}

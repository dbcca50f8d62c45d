// How the mirror is now, in sentences: `GET /api/health`, and for the first page also the flow of deliveries and today's counts.
import { z } from 'zod';
import { timezoneName } from '#schemas/timezone.ts';
import { defineOperation, type ApiContext } from '#src/api/api-operation.ts';
import { sentenceOf } from '#src/api/deliveries/sentences.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { parseInput } from '#src/http/request.ts';
import { newestDeliveries } from '#src/read/deliveries/delivery-tail.ts';
import { lagOf } from '#src/read/health/delivery-health.ts';
import { firstRun } from '#src/read/health/first-run.ts';
import { healthCheck, verdictOf, verdictRecord } from '#src/read/health/health-check.ts';
import { aliveOf, queueOf } from '#src/read/health/process-health.ts';
import { readHealth, type Installation } from '#src/read/health/read-health.ts';
import { readToday } from '#src/read/health/today.ts';
import { readWorkLists, workList } from '#src/read/health/work-lists.ts';
import { lastSeq } from '#src/store/log/read.ts';
import type { ProcessRow } from '#src/store/processes.ts';
import { readSubscriptions } from '#src/store/subscription-rows.ts';
import { isFilled } from '#src/store/jobs/filled.ts';

const mirrorHealthRecord = z
  .strictObject({ verdict: verdictRecord, health: z.array(healthCheck), needs_you: z.array(workList) })
  .meta({ id: 'MirrorHealth' });

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
    const { verdict, health, needs } = await readMirror(context);
    return { verdict, health, needs_you: needs };
  },
});

type OverviewContext = Pick<ApiContext, 'store' | 'clock' | 'installation' | 'process'>;

/** Where an API has no process of its own. */
const noInstallation: Installation = {
  processes: async () => [],
  queueEngine: 'unknown',
  missingSettings: [],
  recentEveryMs: Infinity,
  fullEveryMs: Infinity,
  jobPeriods: {},
};

async function readMirror({ store, clock, installation = noInstallation, process }: OverviewContext) {
  const nowMs = clock();
  const refusingSinks = ((await process?.sinks()) ?? []).filter(({ state }) => state === 'retrying');
  const health = await readHealth(store, { installation, nowMs, refusingSinks });
  const isDown = health.some(({ id }) => id === 'store');
  const needs = isDown ? [] : await readWorkLists(store, nowMs);
  return { nowMs, isDown, health, needs, verdict: verdictOf(health, needs.length) };
}

const shownDeliveries = 20;

export type Overview = Awaited<ReturnType<typeof readOverview>>;

/** The first page: the health, the flow of deliveries, today in this time zone, the newest deliveries, and what is left to set up. */
export async function readOverview(context: OverviewContext, timezone = context.store.settings.reportTimezone) {
  const { store, installation = noInstallation } = context;
  const { nowMs, isDown, ...health } = await readMirror(context);
  if (isDown) throw new SlotstreamError('store_unavailable', 'The database does not answer.');
  const seq = await lastSeq(store);
  const latest = await newestDeliveries(store, shownDeliveries);
  return {
    ...health,
    flow: {
      ...flowOf(aliveOf({ processes: await installation.processes(), nowMs })),
      queueEngine: installation.queueEngine,
      storeEngine: store.engine.name,
      lastSeq: seq,
    },
    ...(await readToday(store, { nowMs, timezone: parseInput(timezoneName, timezone) })),
    latest: latest.map((entry) => ({ ...entry, sentence: sentenceOf(entry) })),
    firstRun: firstRun({
      missingSettings: installation.missingSettings,
      isPolled: installation.jobPeriods['poll'] !== undefined,
      hasSubscription: (await readSubscriptions(store)).length > 0,
      isFilled: await isFilled(store),
      hasDelivery: latest.length > 0,
      isEmpty: seq === 0,
    }),
  };
}

function flowOf(alive: readonly ProcessRow[]) {
  const receivers = alive.filter(({ role }) => role !== 'work');
  const queue = queueOf(alive);
  const lag = lagOf(alive);
  const onDisk = receivers.reduce((sum, { spool_deliveries: waiting }) => sum + (waiting ?? 0), 0);
  const [onDiskSince] = receivers.flatMap(({ spool_since: since }) => since ?? []).toSorted();
  return {
    receivers: receivers.length,
    /** Within the last 10 minutes. */
    accepted: receivers.reduce((sum, { accepted }) => sum + (accepted ?? 0), 0),
    workers: alive.filter(({ role }) => role !== 'receive').length,
    lag,
    /** What waits on the disks of the receivers, in the queue, in the workers; and since when. */
    onDisk: { count: onDisk, since: onDiskSince },
    waiting: { count: queue.waiting, since: queue.oldestAt },
    active: { count: queue.active, since: queue.activeSince },
  };
}

// How the mirror is kept equal to the service: the backfill, the comparisons, what they found, and when the next one is due.
import { z } from 'zod';
import { instant } from '#schemas/resources/values.ts';
import { defineOperation, type ApiContext } from '#src/api/api-operation.ts';
import { instantOf } from '#src/base/time.ts';
import { countPendingLinks } from '#src/store/follow-up-rows.ts';
import { readLease } from '#workers/scheduling/lease.ts';
import { readBackfillState } from '#workers/sync/backfill/backfill.ts';
import { filledAt, isFilled } from '#workers/sync/mirror-identity.ts';
import { openGap } from '#workers/sync/reconcile/missed-window.ts';
import { readDriftHistory, readReconcileState, type LastRun } from '#workers/sync/reconcile/reconcile-state.ts';
import { readSweep } from '#workers/sync/reconcile/sweep.ts';
import { backfillOf, backfillRecord } from './backfill-progress.ts';
import { processOf, type Schedule } from './mirror-process.ts';

const count = z.int().min(0);
const driftCounts = z.record(z.string(), z.record(z.string(), count));

const run = z.strictObject({
  started_at: instant,
  finished_at: instant,
  read: count.describe('Records read from the service.'),
  drift: driftCounts.describe(
    'Rows that differed and were repaired, by kind and how: `missing`, `extra`, `different`.',
  ),
  drifted: count.describe('Their sum.'),
  quarantined: count,
  meeting_dates: count.describe('Contacts whose meeting dates changed, for which the service sends no webhook.'),
  unreadable: z.array(z.string()).describe('What the token may not read.'),
  held_back: z.record(z.string(), count).describe('Deletes that wait for `reconcile --repair --allow-deletes`.'),
  not_compared: count,
});

const comparison = {
  every_seconds: count,
  running: z.boolean(),
  failures: count.describe('Failed runs since the last successful one.'),
  next_due_at: instant.nullable().describe('Null while it waits for something else: see `waits_for`.'),
  last: run.nullable(),
};

const syncRecord = z
  .strictObject({
    waits_for: z
      .enum(['settings', 'backfill'])
      .nullable()
      .describe('Why nothing is compared: `API_BASE_URL` or the token is not set, or there was no complete backfill.'),
    backfill: backfillRecord,
    recent: z.strictObject(comparison).describe('The comparison of recent changes (`RECONCILE_EVERY`).'),
    full: z
      .strictObject({
        ...comparison,
        progress: z
          .strictObject({
            started_at: instant,
            ends_at: instant.describe('When it aims to end: it is spread over most of `SWEEP_EVERY`.'),
            pages: count,
            expected_pages: count.nullable(),
            done: z.array(z.string()),
            drifted: count,
          })
          .nullable(),
      })
      .describe('The comparison of everything, in slices (`SWEEP_EVERY`).'),
    gap: z
      .strictObject({ since: instant })
      .nullable()
      .describe('Deliveries since then may be missing, because a subscription was disabled; it is being repaired.'),
    follow_up: z
      .strictObject({
        running: z.boolean(),
        failures: count.describe('Failed runs since the last successful one.'),
        last_at: instant.nullable(),
        links_pending: count.describe('Meetings to come, or under way, whose link is not there yet.'),
      })
      .describe('Reads of what changes without a webhook: links, meetings that begin soon, transcripts.'),
    drift: z.strictObject({
      days: z
        .array(
          z.strictObject({
            day: z.iso.date(),
            runs: count,
            read: count,
            missing: count,
            extra: count,
            different: count,
          }),
        )
        .describe('By day of the comparison (UTC), oldest first, at most 120 days.'),
      runs: z.array(run.extend({ scope: z.enum(['recent', 'full']) })).describe('The last 30, newest first.'),
    }),
  })
  .meta({ id: 'Sync' });

export const getSync = defineOperation({
  id: 'getSync',
  method: 'GET',
  path: '/api/sync',
  tag: 'Mirror',
  summary: 'Backfill and comparisons: progress, last results, drift over time, next run',
  answers: 'object',
  schema: syncRecord,
  async run(context): Promise<z.output<typeof syncRecord>> {
    const { store } = context;
    const { schedule } = processOf(context);
    const filled = await isFilled(store);
    const waitsFor: JobInput['waitsFor'] = !schedule.canCompare ? 'settings' : filled ? null : 'backfill';
    const { recent, full } = await readReconcileState(store);
    const gap = await openGap(store);
    const { days, runs } = await readDriftHistory(store);
    const jobs = { waitsFor, schedule };
    return {
      waits_for: waitsFor,
      backfill: backfillOf(await readBackfillState(store), {
        filledAt: await filledAt(store),
        isFilled: filled,
        nowMs: context.clock(),
      }),
      recent: { ...(await jobOf(context, 'reconcile', jobs)), last: recent ? runOf(recent) : null },
      full: {
        ...(await jobOf(context, 'sweep', jobs)),
        next_due_at: waitsFor === null ? fullDue(full, schedule) : null,
        progress: await sweepOf(context, schedule),
        last: full ? runOf(full) : null,
      },
      gap: gap ? { since: instantOf(Date.parse(gap.since)) } : null,
      follow_up: await followUpOf(context),
      drift: { days, runs: runs.map(({ scope, ...each }) => ({ ...runOf(each), scope })) },
    };
  },
});

export const syncOperations = [getSync] as const;

const driftedIn = (drift: LastRun['drift']): number =>
  Object.values(drift)
    .flatMap((hows) => Object.values(hows))
    .reduce((sum, each) => sum + each, 0);

function runOf({ started_at, finished_at, ...found }: LastRun): z.output<typeof run> {
  const times = { started_at: instantOf(Date.parse(started_at)), finished_at: instantOf(Date.parse(finished_at)) };
  return { ...times, ...found, drifted: driftedIn(found.drift) };
}

interface JobInput {
  readonly waitsFor: 'settings' | 'backfill' | null;
  readonly schedule: Schedule;
}

async function jobOf({ store, clock }: ApiContext, job: 'reconcile' | 'sweep', { waitsFor, schedule }: JobInput) {
  const everyMs = job === 'reconcile' ? schedule.reconcileEveryMs : schedule.sweepEveryMs;
  const lease = await readLease(store, { job, everyMs }, clock());
  return {
    every_seconds: Math.round(everyMs / 1000),
    running: lease?.isRunning ?? false,
    failures: lease?.failures ?? 0,
    next_due_at: waitsFor === null ? instantOf(lease?.dueMs ?? clock()) : null,
  };
}

async function followUpOf({ store, clock }: ApiContext) {
  const lease = await readLease(store, { job: 'follow_up', everyMs: 0 }, clock());
  return {
    running: lease?.isRunning ?? false,
    failures: lease?.failures ?? 0,
    last_at: lease?.ranMs === undefined ? null : instantOf(lease.ranMs),
    links_pending: await countPendingLinks(store, instantOf(clock())),
  };
}

/** The job of the sweep runs a slice every few minutes; a new sweep begins when the last one is old enough. */
const fullDue = (full: LastRun | undefined, { sweepEveryMs }: Schedule): string | null =>
  full === undefined ? null : instantOf(Date.parse(full.started_at) + sweepEveryMs);

async function sweepOf({ store }: ApiContext, { sweepEveryMs }: Schedule) {
  const here = await readSweep(store, sweepEveryMs);
  if (here === undefined) return null;
  const { started_at, endsMs, pages, expected, done, found } = here;
  return {
    started_at: instantOf(Date.parse(started_at)),
    ends_at: instantOf(endsMs),
    pages,
    expected_pages: expected === undefined ? null : Math.max(pages, expected),
    done,
    drifted: driftedIn(found.drift),
  };
}

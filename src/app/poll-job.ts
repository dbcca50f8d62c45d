// The first copy: the jobs that wait for it, and the job of a mirror without webhooks, which makes it and then reads what changed, as often
// as POLL_EVERY and the rate limit allow.
import { join } from 'node:path';
import { slotstream } from '#src/base/command.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { holdLock } from '#src/base/process-lock.ts';
import { instantOf } from '#src/base/time.ts';
import type { Config } from '#src/config/load.ts';
import { pollPeriodMs } from '#src/config/polling.ts';
import type { Log } from '#src/observability/log.ts';
import type { Store } from '#src/store/contract.ts';
import type { Job } from '#workers/sync/scheduling/scheduler.ts';
import { backfill } from '#workers/sync/backfill/backfill.ts';
import { isFilled } from '#src/store/jobs/filled.ts';
import type { ReconcileNeeds } from '#workers/sync/reconcile/reconcile.ts';

export interface PollNeeds {
  readonly config: Config;
  readonly log: Log;
  readonly everyMs: number;
  readonly open: (signal: AbortSignal) => Promise<ReconcileNeeds>;
  /** Reads what changed; returns numbers for the log. */
  readonly readChanges: (signal: AbortSignal) => Promise<object>;
}

export function pollJob({ config, log, everyMs, open, readChanges }: PollNeeds): Job {
  return {
    name: 'poll',
    everyMs,
    async run(signal) {
      const needs = await open(signal);
      if (await isFilled(needs.store)) return readChanges(signal);
      using _lock = holdBackfillLock(config);
      log.info('copying what the service has; then its changes are read');
      const { resources } = await backfill(
        {
          ...needs,
          now: () => instantOf(needs.now()),
          onProgress: () => {},
          onNotice: (_resource, notice) =>
            log.warn({ list: notice.list }, `a list was ${notice.kind.replace('_', ' ')}`),
          onOutcome: ({ name, state, counts }) => log.info({ rows: counts.rows, state }, `copied ${name}`),
        },
        { only: [], restart: false, events: needs.store.settings.events, signal },
      );
      return { rows: resources.reduce((sum, { counts }) => sum + counts.rows, 0) };
    },
  };
}

/** Before the first backfill everything would differ, and the comparison would use up the rate limit that the backfill needs. */
export function afterFirstBackfill(
  { store, log, config }: Pick<PollNeeds, 'config' | 'log'> & { readonly store: Store },
  jobs: readonly Job[],
): readonly Job[] {
  let isReported = false;
  return jobs.map((job) => ({
    ...job,
    async run(signal, isHeld) {
      if (await isFilled(store)) return job.run(signal, isHeld);
      if (!isReported && pollPeriodMs(config) === undefined)
        log.info(`the mirror is compared with the service after the first backfill: ${slotstream} backfill`);
      isReported = true;
      return undefined;
    },
  }));
}

const alreadyRunning = new SlotstreamError('refused', 'Another backfill is running on this data folder.', {
  hint: 'Wait for it, or stop it and run this again: it resumes where that one stopped.',
});

export const holdBackfillLock = ({ dataDir }: Pick<Config, 'dataDir'>): Disposable =>
  holdLock(join(dataDir, 'backfill.lock'), alreadyRunning);

// Fills the tables with the records that the service already has: for `backfill` and for programs that have the mirror in their own process.
import { requireSettings } from '#src/config/missing-settings.ts';
import type { Config } from '#src/config/load.ts';
import type { Log } from '#src/observability/log.ts';
import { instantOf } from '#src/base/time.ts';
import type { UpstreamNeeds } from '#src/upstream/clients.ts';
import { retryBudgets } from '#src/upstream/retry-budgets.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { backfill, type BackfillNeeds, type BackfillReport } from '#workers/sync/backfill/backfill.ts';
import type { ResourceName } from '#workers/sync/resources/registry.ts';
import { openSources } from '#workers/sync/sources.ts';
import { openMirror } from './mirror.ts';
import { holdBackfillLock } from './poll-job.ts';

type Progress = Pick<BackfillNeeds, 'onProgress' | 'onTotal' | 'onNotice' | 'onOutcome'> &
  Pick<UpstreamNeeds, 'onPause' | 'onRateLimit'>;

export interface CopyNeeds {
  readonly config: Config;
  readonly log: () => Log;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

export interface CopyOptions {
  /** Everything that EVENTS requires, where it is empty. */
  readonly only?: readonly ResourceName[];
  readonly restart?: boolean;
}

/** Undefined when it was stopped before it began. */
export async function copyExisting(
  { config, log, now, signal, progress }: CopyNeeds,
  { only = [], restart = false }: CopyOptions,
): Promise<BackfillReport | undefined> {
  requireSettings(config, ['API_TOKEN']);
  const sources = await openSources(
    config,
    { onPause: progress.onPause, onRateLimit: progress.onRateLimit },
    { retryBudget: retryBudgets.long, endsIfUnreachable: true, signal },
  ).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (sources === undefined) return undefined;
  // Only now: a backfill that cannot begin leaves no folder and no database behind.
  using _lock = holdBackfillLock(config);
  await using store = await openMirror(config, log(), { create: true, uses: ['eraseOnDelete', 'events'] });
  // Awaited, because the store closes when this returns.
  return await backfill(
    { store, sources, screen: privacyScreen(store.settings), now: () => instantOf(now()), ...progress },
    { only, restart, events: store.settings.events, signal },
  );
}

/** Nothing was left out, and nothing is quarantined. */
export const isWhole = ({ isComplete, resources }: BackfillReport): boolean =>
  isComplete && resources.every(({ counts }) => counts.left_out + counts.quarantined === 0);

/** For programs, as `backfill --json` prints it. */
export function copyData({ isComplete, resources }: BackfillReport, elapsedMs: number) {
  return {
    complete: isComplete,
    resources: resources.map(({ name, state, counts, missing }) => ({ name, state, ...counts, missing })),
    elapsed_ms: elapsedMs,
  };
}

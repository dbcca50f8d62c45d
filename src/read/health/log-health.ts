// The checks of the log: whether it has what was committed, and whether readers have positions that it does not reach.
import { slotstream } from '#src/base/command.ts';
import { timeText } from '#src/base/time.ts';
import { machineOf } from '#src/store/process-reports.ts';
import type { ComparisonState } from './drift-health.ts';
import type { HealthCheck } from './health-check.ts';
import { aliveOf, type ProcessInput } from './process-health.ts';
import type { WentBack } from './recorded-inputs.ts';

/** Positions beyond the end of the log. */
export interface PositionsAhead {
  /** Where they are stored, for the command that sets them back. */
  readonly table: string;
  readonly end: number;
  readonly positions: readonly { readonly name: string; readonly position: number }[];
}

interface WentBackInput extends Pick<ProcessInput, 'processes' | 'nowMs'> {
  readonly wentBack?: WentBack | undefined;
  readonly comparison: Pick<ComparisonState, 'full'>;
  readonly hasApi: boolean;
}

/** What no delivery and no comparison brings back is named first. */
export function wentBackCheck({ wentBack, comparison: { full }, hasApi, ...input }: WentBackInput): HealthCheck {
  const item = { id: 'database', page: '/mirror/sync' };
  if (wentBack === undefined)
    return { ...item, state: 'ok', sentence: 'No worker has found that the database went back.' };
  const { since, noticedAt } = wentBack;
  const what = `The database went back to about ${timeText(since)} (noticed at ${timeText(noticedAt)}): erasures and answers since then are lost.`;
  const repeat = 'Repeat the erasures: docs/backup.md#went-back.';
  if (full !== undefined && full.started_at > noticedAt)
    return {
      ...item,
      state: 'warning',
      sentence: `${what} What the service has was compared with it at ${timeText(full.finished_at)}.`,
      fix: repeat,
    };
  const retained = aliveOf(input).some((row) => machineOf(row).keeps)
    ? 'Receivers enqueue again what they have kept of them (DISK_LOG_KEEP).'
    : 'No receiver has kept them (DISK_LOG_KEEP).';
  return {
    ...item,
    state: 'problem',
    sentence: `${what} So are deliveries; how many is unknown. ${retained}`,
    fix: `${repeat} Then: ${slotstream} reconcile --repair${hasApi ? '; a running worker does it, too' : ''}`,
  };
}

/** A reader with such a position gets nothing until the log is as long, and misses what it has until then. */
export const aheadCheck = (
  { table, end, positions }: PositionsAhead = { table: '', end: 0, positions: [] },
): readonly HealthCheck[] =>
  positions.length === 0
    ? []
    : [
        {
          id: 'feed',
          page: '/mirror/feed',
          state: 'problem',
          sentence: `The log ends at #${end}, and these positions are ahead of it: ${positions.map(({ name, position }) => `${name} (#${position})`).join(', ')}. They would miss every entry until then.`,
          fix: `Set them back, as in: update ${table} set position = ${end} where position > ${end}; then restart the workers.`,
        },
      ];

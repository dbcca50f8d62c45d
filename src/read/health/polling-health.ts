// The check of a mirror without webhooks: how often it is updated, and how old its tables are.
import { duration } from '#src/base/number-text.ts';
import { minuteMs } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { readLease } from '#src/store/jobs/lease.ts';
import { filledAt } from '#src/store/jobs/filled.ts';
import { readReconcileState } from '#src/store/jobs/reconcile-state.ts';
import type { HealthCheck } from './health-check.ts';

export interface PollingState {
  /** The period, or how long the last run took where that is longer: the rate limit may slow it down. */
  readonly everyMs: number;
  /** When reading began the last time; undefined before the first. */
  readonly ages: Readonly<Record<string, number | undefined>>;
}

/** Undefined where webhooks are received: there is no such job. */
export async function readPolling(
  store: Store,
  { jobPeriods }: { readonly jobPeriods: Readonly<Record<string, number>> },
  nowMs: number,
): Promise<PollingState | undefined> {
  const everyMs = jobPeriods['poll'];
  if (everyMs === undefined) return undefined;
  const ran = async (job: string) => (await readLease(store, { job, everyMs: 0 }, nowMs))?.ranMs;
  const { recent, full } = await readReconcileState(store);
  // The first copy has everything.
  const copied = Date.parse((await filledAt(store)) ?? '') || undefined;
  // A job that ran before it read nothing.
  const since = (ms = 0) => copied && Math.max(copied, ms);
  const tookMs = recent ? Date.parse(recent.finished_at) - Date.parse(recent.started_at) : 0;
  return {
    everyMs: Math.max(everyMs, tookMs),
    ages: {
      'contacts, meetings and invitees': since(await ran('poll')),
      'users, custom fields and event types': since(await ran('definitions')),
      'routing forms and recaps': since(await ran('reconcile')),
      'deleted records': since(full && Date.parse(full.started_at)),
    },
  };
}

export function pollingCheck({ everyMs, ages }: PollingState, nowMs: number): HealthCheck {
  const texts = Object.entries(ages).map(
    ([tables, ms]) => `${tables} ${ms === undefined ? 'not yet' : `${duration(Math.max(0, nowMs - ms))} ago`}`,
  );
  return {
    id: 'polling',
    page: '/mirror/sync',
    state: 'ok',
    sentence: `Updated every ${everyText(everyMs)}, without webhooks: ${texts.join('; ')}.`,
  };
}

const everyText = (ms: number): string => {
  if (ms < minuteMs) return duration(ms);
  const minutes = Math.ceil(ms / minuteMs);
  return minutes === 1 ? 'minute' : `${minutes} minutes`;
};

// Leases: one process at a time runs a periodic job, however many share the store. A lease expires when its holder stops renewing it.
// The time of the last run and of the next retry are stored with it, so that all processes share one schedule across restarts.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { backoffMs, type Backoff } from '#src/base/retry-policy.ts';
import type { Store } from '#src/store/contract.ts';
import { changeValue, keyValue, readValue } from '#src/store/key-value.ts';

export interface LeaseNeeds {
  readonly store: Store;
  readonly nowMs: () => number;
  readonly holder: string;
  /** How long a lease lasts without renewal, where a minute is too long to wait for a takeover. */
  readonly leaseMs?: number;
}

export interface LeaseInput {
  readonly job: string;
  readonly everyMs: number;
}

export type LeaseAnswer =
  /** Held until `leaseMs` after the last renewal. */
  | { readonly kind: 'taken' }
  /** When to ask again. */
  | { readonly kind: 'wait'; readonly untilMs: number };

const row = z.object({
  holder: z.string().nullable(),
  expires_ms: z.number(),
  ran_ms: z.number(),
  /** Failed runs since the last successful one, and when the next may begin. */
  failures: z.number().default(0),
  retry_ms: z.number().default(0),
});
type Row = z.output<typeof row>;

const fresh: Row = { holder: null, expires_ms: 0, ran_ms: 0, failures: 0, retry_ms: 0 };

export const leaseMs = 60_000;
export const lengthOf = (needs: Pick<LeaseNeeds, 'leaseMs'>): number => needs.leaseMs ?? leaseMs;
/** How often a holder renews its lease, and how often others look whether it was given back. */
export const renewalMs = (needs: Pick<LeaseNeeds, 'leaseMs'>): number => lengthOf(needs) / 3;
const retryBackoff: Backoff = { firstMs: 5_000, longestMs: 900_000 };
const leaseOf = (job: string) => keyValue(`lease ${job}`, row);

export interface LeaseState {
  readonly isRunning: boolean;
  /** When the last successful run began; undefined before the first. */
  readonly ranMs: number | undefined;
  readonly dueMs: number;
  readonly failures: number;
}

/** The state of a job in all processes; undefined for a job that has never been due. */
export async function readLease(
  store: Pick<Store, 'db' | 'engine'>,
  { job, everyMs }: LeaseInput,
  nowMs: number,
): Promise<LeaseState | undefined> {
  const found = await readValue(store, leaseOf(job));
  if (found === undefined) return undefined;
  const { holder, expires_ms, ran_ms, failures, retry_ms } = found;
  return {
    isRunning: holder !== null && expires_ms > nowMs,
    ranMs: ran_ms === 0 ? undefined : ran_ms,
    dueMs: Math.max(ran_ms + everyMs, retry_ms),
    failures,
  };
}

/** A job that did not run for this many periods is late. */
const maxMissedPeriods = 3;

export interface LateJob {
  readonly job: string;
  /** When its last successful run began; in the future when a clock was wrong. */
  readonly ranMs: number | undefined;
  readonly failures: number;
}

/** The jobs that are late, although a process could run them since `sinceMs`. */
export async function lateJobs(
  store: Pick<Store, 'db' | 'engine'>,
  periods: Readonly<Record<string, number>>,
  { sinceMs, nowMs }: { readonly sinceMs: number; readonly nowMs: number },
): Promise<readonly LateJob[]> {
  const late: LateJob[] = [];
  for (const [job, everyMs] of Object.entries(periods)) {
    const found = await readLease(store, { job, everyMs }, nowMs);
    if (found === undefined || found.isRunning) continue;
    const { ranMs, failures } = found;
    // A minute more: a lease has to expire, and jitter delays a run.
    const isLate = nowMs - Math.max(ranMs ?? 0, sinceMs) > maxMissedPeriods * everyMs + leaseMs;
    if (isLate || (ranMs ?? 0) > nowMs + leaseMs) late.push({ job, ranMs, failures });
  }
  return late;
}

export function takeLease(needs: LeaseNeeds, { job, everyMs }: LeaseInput): Promise<LeaseAnswer> {
  return change<LeaseAnswer>(needs, job, (before, nowMs) => {
    const after = withoutFuture(before, nowMs, lengthOf(needs));
    const dueMs = Math.max(after.ran_ms + everyMs, after.retry_ms);
    const isHeld = after.holder !== null && after.holder !== needs.holder && after.expires_ms > nowMs;
    // A holder that ends gives the lease back before it expires.
    const lookMs = Math.min(after.expires_ms, nowMs + renewalMs(needs));
    const untilMs = isHeld ? Math.max(lookMs, after.ran_ms + everyMs) : dueMs;
    if (untilMs > nowMs)
      return { answer: { kind: 'wait', untilMs }, ...(!isDeepStrictEqual(after, before) && { after }) };
    return {
      answer: { kind: 'taken' },
      after: { ...after, holder: needs.holder, expires_ms: nowMs + lengthOf(needs) },
    };
  });
}

/**
 * A clock that was ahead has left times that are too late. They are corrected in the store: a time that is only read as "now" would be
 * "now" at every look, and the job would never be due.
 */
function withoutFuture(row: Row, nowMs: number, lastsMs: number): Row {
  return {
    ...row,
    expires_ms: Math.min(row.expires_ms, nowMs + lastsMs),
    ran_ms: Math.min(row.ran_ms, nowMs),
    retry_ms: Math.min(row.retry_ms, nowMs + retryDelayMs(row.failures)),
  };
}

/** False when the lease was lost: another process runs the job now. */
export function keepLease(needs: LeaseNeeds, job: string): Promise<boolean> {
  return change(needs, job, (before, nowMs) => {
    if (before.holder !== needs.holder) return { answer: false };
    return { answer: true, after: { ...before, expires_ms: nowMs + lengthOf(needs) } };
  });
}

/** `ranMs`: when the successful run began; undefined when it was only stopped, so that it is due again at once. */
export async function endLease(needs: LeaseNeeds, job: string, ranMs: number | undefined): Promise<void> {
  await change(needs, job, (before) => {
    if (before.holder !== needs.holder) return { answer: undefined };
    const released = { ...before, holder: null, expires_ms: 0 };
    return { answer: undefined, after: ranMs === undefined ? released : { ...fresh, ran_ms: ranMs } };
  });
}

/** Keeps scheduled runs of a job from starting while an operator runs it by hand. A run that has started continues. */
export async function holdBack(needs: LeaseNeeds, job: string): Promise<AsyncDisposable> {
  const isOurs = await change(needs, job, (before, nowMs) => {
    if (before.holder !== null && before.expires_ms > nowMs) return { answer: false };
    return { answer: true, after: { ...before, holder: needs.holder, expires_ms: nowMs + lengthOf(needs) } };
  });
  const keeping = setInterval(() => void keepLease(needs, job).catch(() => undefined), renewalMs(needs)).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(keeping);
      if (isOurs) await endLease(needs, job, undefined);
    },
  };
}

export interface LeaseFailure {
  /** In a row, in any process. */
  readonly failures: number;
  readonly retryMs: number;
}

/** Backs off after each failure, whatever the period: a failed run may have been expensive. Undefined when the lease was lost. */
export function failLease(needs: LeaseNeeds, job: string): Promise<LeaseFailure | undefined> {
  return change<LeaseFailure | undefined>(needs, job, (before, nowMs) => {
    if (before.holder !== needs.holder) return { answer: undefined };
    const failures = before.failures + 1;
    const retryMs = retryDelayMs(failures);
    const after = { ...before, holder: null, expires_ms: 0, failures, retry_ms: nowMs + retryMs };
    return { answer: { failures, retryMs }, after };
  });
}

export const retryDelayMs = (failures: number): number => backoffMs(retryBackoff, failures);

function change<Answer>(
  { store, nowMs }: LeaseNeeds,
  job: string,
  decide: (before: Row, nowMs: number) => { readonly answer: Answer; readonly after?: Row },
): Promise<Answer> {
  return changeValue(store, leaseOf(job), (before = fresh) => {
    const { answer, ...change } = decide(before, nowMs());
    return { result: answer, ...change };
  });
}

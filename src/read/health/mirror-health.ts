// Reads the health of the mirror for the conditions, from the store and from what the processes report: any of several workers may
// evaluate them.
import { z } from 'zod';
import { hourMs, instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { latestDeliveries } from '#src/read/deliveries/delivery-lag.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { unprojectedCounts } from '#src/read/deliveries/unprojected-counts.ts';
import { noShowRates, type NoShowRate, type RateWindow } from '#src/read/numbers/no-show-rates.ts';
import { isMissing } from '#src/store/process-reports.ts';
import type { ProcessRow } from '#src/store/processes.ts';
import { readSubscriptions, type KnownSubscription } from '#src/store/subscription-rows.ts';
import { totalOf } from '#workers/sync/reconcile/drift-report.ts';
import { readReconcileState } from '#workers/sync/reconcile/reconcile-state.ts';
import { readClockSkew, readLostSubscriptions, type LostSubscription } from './recorded-inputs.ts';

/** The health of the mirror at one moment. */
export interface MirrorHealth {
  readonly nowMs: number;
  /** As the subscription watch last saw them. */
  readonly subscriptions: readonly Pick<KnownSubscription, 'uri' | 'state' | 'retry_started_at'>[];
  /** Subscriptions that the watch found disabled or deleted within the last hour, replaced or not. */
  readonly lostSubscriptions: readonly LostSubscription[];
  readonly quarantined: number;
  /** Deliveries that were quarantined within the last hour. */
  readonly quarantinedLastHour: number;
  /** Seconds from event to row, of the latest deliveries of the last hour. */
  readonly delaySeconds: readonly number[];
  /** What the last complete reconciliations found, by part. */
  readonly comparisons: readonly Comparison[];
  /** Seconds by which our clock is ahead of the service's (negative when behind); undefined when the service was not called lately. */
  readonly clockSkewSeconds: number | undefined;
  /** The processes that run, as they reported within the last minute. */
  readonly processes: readonly ProcessRow[];
  /** Bookings that ended within a window and how many of them were no-shows, per event type or host. */
  noShowRates(by: RateWindow['by'], withinMs: number): Promise<readonly NoShowRate[]>;
}

interface Comparison {
  readonly part: 'recent' | 'full';
  /** Rows found missing, extra or different. */
  readonly rows: number;
  /** Deletes that wait for confirmation. */
  readonly heldBack: number;
  readonly finishedAt: string;
}

/** Where the log ended at the previous evaluation, and when that was. */
export const logEnd = z.object({ seq: z.number(), atMs: z.number() }).readonly();
type LogEnd = z.output<typeof logEnd>;

const latest = 50;

export async function readMirrorHealth(
  store: Store,
  {
    nowMs,
    before,
    processes,
  }: { readonly nowMs: number; readonly before: LogEnd | undefined; readonly processes: readonly ProcessRow[] },
): Promise<{ readonly health: MirrorHealth; readonly end: LogEnd }> {
  const end = { seq: await lastSeq(store), atMs: nowMs };
  const { quarantined, quarantinedLastHour } = await unprojectedCounts(store, nowMs);
  const health: MirrorHealth = {
    nowMs,
    subscriptions: await readSubscriptions(store),
    lostSubscriptions: await readLostSubscriptions(store, nowMs),
    quarantined,
    quarantinedLastHour,
    delaySeconds: await delaysOf(store, nowMs, before),
    comparisons: await comparisonsOf(store),
    clockSkewSeconds: await readClockSkew(store, nowMs),
    processes: processes.filter((each) => !isMissing(each, nowMs)),
    noShowRates: (by, withinMs) => noShowRates(store, { by, from: instantOf(nowMs - withinMs), to: instantOf(nowMs) }),
  };
  return { health, end };
}

/**
 * The age of deliveries that appeared since the previous evaluation. The log does not record when an entry was written, but these were
 * not there then. Without new deliveries: how late those of the last hour arrived.
 */
async function delaysOf(store: Store, nowMs: number, before: LogEnd | undefined): Promise<readonly number[]> {
  const deliveries = await latestDeliveries(store, latest);
  const appeared = before === undefined ? [] : deliveries.filter(({ seq }) => seq > before.seq);
  if (before !== undefined && appeared.length > 0)
    return appeared.map(({ occurredMs, receivedMs }) => (Math.max(receivedMs, before.atMs) - occurredMs) / 1000);
  return deliveries
    .filter(({ receivedMs }) => receivedMs >= nowMs - hourMs)
    .map(({ occurredMs, receivedMs }) => (receivedMs - occurredMs) / 1000);
}

async function comparisonsOf(store: Store): Promise<readonly Comparison[]> {
  const { recent, full } = await readReconcileState(store);
  const runs = [
    ...(recent ? [{ part: 'recent', ...recent } as const] : []),
    ...(full ? [{ part: 'full', ...full } as const] : []),
  ];
  return runs.map(({ part, drift, held_back, finished_at: finishedAt }) => ({
    part,
    rows: totalOf(drift),
    heldBack: Object.values(held_back).reduce((sum, count) => sum + count, 0),
    finishedAt,
  }));
}

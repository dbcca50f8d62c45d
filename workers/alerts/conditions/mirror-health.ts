// Reads how the mirror stands, for the conditions: all of it from the store, since whoever asks is one process of several.
import type { Store } from '#src/store/contract.ts';
import { latestDeliveries } from '#src/store/log/delivery-lag.ts';
import { countKept, lastSeq } from '#src/store/log/log.ts';
import { noShowRates } from '#src/store/no-show-rates.ts';
import { readSubscriptions } from '#src/store/subscription-rows.ts';
import { totalOf } from '#workers/sync/reconcile/drift-report.ts';
import { readReconcileState } from '#workers/sync/reconcile/reconcile-state.ts';
import type { Comparison, Reading } from './condition.ts';
import { clockSkew, lostLately, processesNow } from './condition-inputs.ts';
import { timeOf } from '#workers/alerts/outbox/apply.ts';

/** Where the log ended at the reading before, and when that was. */
export interface LastLook {
  readonly seq: number;
  readonly atMs: number;
}

export interface Looked {
  readonly reading: Reading;
  readonly look: LastLook;
}

const hourMs = 3_600_000;
const latest = 50;

export async function readMirror(
  store: Store,
  { nowMs, before }: { readonly nowMs: number; readonly before: LastLook | undefined },
): Promise<Looked> {
  const look = { seq: await lastSeq(store), atMs: nowMs };
  const subscriptions = await readSubscriptions(store);
  const { spooled, refusedAsStale } = await processesNow(store, nowMs);
  const reading: Reading = {
    nowMs,
    subscriptions: subscriptions.map(({ uri, state, retry_started_at: since }) => ({
      uri,
      state: state ?? null,
      retryStartedAt: since ?? null,
    })),
    lost: await lostLately(store, nowMs),
    quarantined: await countKept(store, 'quarantined'),
    quarantinedLately: await countKept(store, 'quarantined', timeOf(nowMs - hourMs)),
    delaySeconds: await delaysOf(store, nowMs, before),
    comparisons: await comparisonsOf(store),
    clockSkewSeconds: await clockSkew(store, nowMs),
    refusedAsStale,
    spooled,
    noShowRates: (by, withinMs) => noShowRates(store, { by, from: timeOf(nowMs - withinMs), to: timeOf(nowMs) }),
  };
  return { reading, look };
}

/**
 * Of what appeared since the last look, how old it was then: when a row appears stands nowhere, but these were not there. Where
 * nothing appeared, how late the deliveries of the last hour came.
 */
async function delaysOf(store: Store, nowMs: number, before: LastLook | undefined): Promise<readonly number[]> {
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
  return Object.entries({ recent, full }).flatMap(([part, run]) =>
    run === undefined
      ? []
      : [
          {
            part: part as Comparison['part'],
            rows: totalOf(run.drift),
            heldBack: Object.values(run.held_back).reduce((sum, count) => sum + count, 0),
            finishedAt: run.finished_at,
          },
        ],
  );
}

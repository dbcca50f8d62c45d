// What a worker does with each batch besides projecting it: counts, one log line, and the scrubbing of files after
// somebody was forgotten.
import { instantOf, sleepUnlessAborted } from '#src/base/time.ts';
import type { Log } from '#src/observability/log.ts';
import type { Metrics } from '#src/observability/metrics/registry.ts';
import type { Store } from '#src/store/contract.ts';
import { ingest, quarantine, type IngestReport } from './ingest.ts';
import type { JoinOptions } from '#workers/projections/merge.ts';

export interface BatchNeeds {
  readonly store: Store;
  readonly options: JoinOptions;
  readonly metrics: Pick<Metrics, 'projected' | 'visible'>;
  readonly log: Log;
  clock(): number;
  /** Told after every batch: readers of the log need not wait until they look by themselves. */
  onCommitted?(): void;
}

export interface Batches {
  ingest(batch: unknown): Promise<void>;
  quarantine(delivery: unknown, reason: string): Promise<void>;
  close(): Promise<void>;
}

/** Deletes often come in series; one scrub after them costs as much as one after each. */
const scrubDelayMs = 5_000;
const scrubAgainMs = 60_000;
/** How often to look whether a thorough scrub is due. */
const scrubEveryMs = 3_600_000;

export function createBatches(needs: BatchNeeds): Batches {
  const stopping = new AbortController();
  let due = false;
  let scrubbing: Promise<void> | undefined;

  async function scrub(): Promise<void> {
    for (let delayMs = scrubDelayMs; due; delayMs = scrubAgainMs) {
      await sleepUnlessAborted(delayMs, stopping.signal, { ref: false });
      due = false;
      await needs.store.engine.scrub(needs.clock()).catch((err: unknown) => {
        needs.log.warn({ err }, 'what forgetting left in files could not be removed yet');
        due = !stopping.signal.aborted;
      });
    }
    scrubbing = undefined;
  }
  function scheduleScrub(): void {
    due = true;
    scrubbing ??= scrub();
  }
  const timer = setInterval(scheduleScrub, scrubEveryMs);
  timer.unref();

  function tell(report: IngestReport, startedAt: number): void {
    needs.onCommitted?.();
    const nowMs = needs.clock();
    const outcomes: Record<string, number> = {};
    for (const { event, outcome, occurred_at, received_at } of report.entries) {
      const name = outcome as string;
      outcomes[name] = (outcomes[name] ?? 0) + 1;
      needs.metrics.projected(event ?? 'unknown', name);
      needs.metrics.visible((nowMs - Date.parse((occurred_at ?? received_at) as string)) / 1000);
    }
    if (report.duplicates > 0) needs.metrics.projected('unknown', 'duplicate', report.duplicates);
    const deliveries = report.entries.length + report.duplicates;
    needs.log.info({ deliveries, ...outcomes, duplicates: report.duplicates, ms: nowMs - startedAt }, 'batch');
    if (report.forgot) scheduleScrub();
  }

  return {
    async ingest(batch) {
      const startedAt = needs.clock();
      tell(await ingest(needs, batch, instantOf(startedAt)), startedAt);
    },
    async quarantine(delivery, reason) {
      const startedAt = needs.clock();
      tell(await quarantine(needs, delivery, { reason, now: instantOf(startedAt) }), startedAt);
    },
    async close() {
      clearInterval(timer);
      stopping.abort();
      await scrubbing;
    },
  };
}

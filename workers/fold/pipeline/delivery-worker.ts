// The worker of the delivery queue: ingests batches, quarantines poison pills, reports metrics and one log line per batch, and
// scrubs database files after personal data was redacted.
import { isEventKind } from '#schemas/events.ts';
import { codeOf, isTransient } from '#src/base/errors.ts';
import { counted, duration } from '#src/base/number-text.ts';
import { instantOf, minuteMs, sleepUnlessAborted } from '#src/base/time.ts';
import { type Log, throttled } from '#src/observability/log.ts';
import type { Metrics } from '#src/observability/metrics/registry.ts';
import { batchIdOf } from '#src/queue/batch-codec.ts';
import type { DeliveryQueue, QueueWorker } from '#src/queue/contract.ts';
import type { NewEntry } from '#src/store/log/read.ts';
import type { FoldNeeds } from './fold.ts';
import { createGroupCommit, type Contribution } from './group-commit.ts';
import { ingestParsed, quarantine, type IngestReport } from './ingest.ts';
import { parseBatch, type ParsedItem } from './parse.ts';

export interface DeliveryWorkerNeeds extends FoldNeeds {
  readonly queue: Pick<DeliveryQueue, 'work'>;
  readonly metrics: Pick<Metrics, 'projected' | 'visible'> & Partial<Pick<Metrics, 'committed'>>;
  readonly log: Log;
  clock(): number;
  /** Asked before each batch; while it resolves to false, the worker pauses. */
  readonly mayTake?: (() => Promise<boolean>) | undefined;
  /** Called after every batch, so that readers of the log need not wait for their next poll; with its new entries, in their order. */
  onCommitted?(entries: readonly NewEntry[]): void;
}

/** Deletes often come in series; one scrub after them costs as much as one scrub after each. */
const scrubDelayMs = 5_000;
const scrubRetryMs = 60_000;
/** How often to check whether a thorough scrub is due. */
const scrubIntervalMs = 3_600_000;

/** The jobs that can share a transaction. Each has up to 256 deliveries, and 1 MiB. */
const activeJobs = 32;
const groupLimits = { items: 1_024, bytes: 4 * 1024 * 1024 } as const;

/** Batches take milliseconds. None in this time means that the store does not answer, whatever it answers to others. */
const stuckMs = 60_000;

export interface DeliveryWorker extends QueueWorker {
  /** True when batches have been running for a minute and none has ended. */
  isStuck(): boolean;
}

export function startDeliveryWorker(needs: DeliveryWorkerNeeds): DeliveryWorker {
  const { queue, log, clock } = needs;
  let running = 0;
  let lastChangeMs = clock();
  const logThrottled = throttled(log, minuteMs);
  const scrubber = startScrubber(needs);
  /** By the first item of each batch. */
  const ids = new WeakMap<ParsedItem, string | undefined>();
  const batchesOf = (items: readonly ParsedItem[]) => items.flatMap((item) => ids.get(item) ?? []);

  async function run(work: () => Promise<IngestReport>, batches: readonly string[] = []): Promise<void> {
    const startedMs = clock();
    const report = await work();
    needs.onCommitted?.(report.entries);
    countAndLog(needs, report, { startedMs, batches });
    if (report.hasRedacted) scrubber.schedule();
  }

  async function commit(items: readonly ParsedItem[]): Promise<void> {
    if (running === 0) lastChangeMs = clock();
    running += 1;
    try {
      await run(() => ingestParsed(needs, items), batchesOf(items));
    } catch (error) {
      const level = isTransient(error) ? 'warn' : 'error';
      const cause = codeOf(error);
      const what = `${counted(items.length, 'delivery', 'deliveries')} could not be written and will be tried again`;
      logThrottled(level, what, { cause }, cause);
      throw error;
    } finally {
      running -= 1;
      lastChangeMs = clock();
    }
  }

  const parse = (batch: unknown): Contribution<ParsedItem> => {
    const items = parseBatch(batch, instantOf(clock()));
    if (items[0]) ids.set(items[0], batchIdOf(batch));
    return { items, bytes: items.reduce((sum, { entry }) => sum + (entry.body?.length ?? 0), 0) };
  };

  const worker = queue.work(
    createGroupCommit({ parse, commit }, groupLimits),
    async (delivery, reason) => {
      await run(() => quarantine(needs, delivery, { reason, now: instantOf(clock()) }));
      log.error({ reason }, 'A delivery was quarantined because it crashed its worker repeatedly.');
    },
    { concurrency: activeJobs, mayTake: needs.mayTake },
  );
  return {
    isStuck: () => running > 0 && clock() - lastChangeMs > stuckMs,
    async close() {
      await worker.close();
      await scrubber.close();
    },
  };
}

function countAndLog(
  { metrics, log, clock }: DeliveryWorkerNeeds,
  report: IngestReport,
  { startedMs, batches }: { readonly startedMs: number; readonly batches: readonly string[] },
): void {
  const nowMs = clock();
  const outcomes: Record<string, number> = {};
  for (const { event, outcome, occurred_at, received_at } of report.entries) {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    metrics.projected(event ?? 'unknown', outcome);
    metrics.committed?.((nowMs - Date.parse(received_at)) / 1000);
    metrics.visible((nowMs - Date.parse(occurred_at ?? received_at)) / 1000);
  }
  const { duplicates } = report;
  if (duplicates > 0) metrics.projected('unknown', 'duplicate', duplicates);
  const deliveries = report.entries.length + duplicates;
  const ms = nowMs - startedMs;
  const kinds = new Set(report.entries.map(({ event }) => (isEventKind(event ?? '') ? event : 'unknown')));
  const happened = outcomeText({ ...outcomes, 'received before': duplicates });
  const summary = `${happened}${kinds.size > 0 ? ': ' : ''}${[...kinds].join(', ')} (${duration(ms)})`;
  log.info({ deliveries, ...outcomes, duplicates, ms, batches, summary }, 'batch');
}

/** `1 delivery applied`; of several outcomes, `2 deliveries applied and 1 quarantined`. */
function outcomeText(outcomes: Readonly<Record<string, number>>): string {
  const some = Object.entries(outcomes).filter(([, count]) => count > 0);
  return some
    .map(([name, count], at) => `${at === 0 ? counted(count, 'delivery', 'deliveries') : count} ${name}`)
    .join(' and ');
}

/** Scrubs database files a moment after it is scheduled, and once an hour in case an earlier process left something. */
function startScrubber({ store, log, clock }: Pick<DeliveryWorkerNeeds, 'store' | 'log' | 'clock'>) {
  const stopping = new AbortController();
  let isDue = false;
  let running: Promise<void> | undefined;

  async function scrub(): Promise<void> {
    for (let delayMs = scrubDelayMs; isDue; delayMs = scrubRetryMs) {
      await sleepUnlessAborted(delayMs, stopping.signal, { ref: false });
      isDue = false;
      await store.engine.scrub(clock()).catch((err: unknown) => {
        log.warn({ err }, 'redacted data could not be scrubbed from the database files yet');
        isDue = !stopping.signal.aborted;
      });
    }
    running = undefined;
  }
  function schedule(): void {
    isDue = true;
    running ??= scrub();
  }
  const timer = setInterval(schedule, scrubIntervalMs);
  timer.unref();
  return {
    schedule,
    async close() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}

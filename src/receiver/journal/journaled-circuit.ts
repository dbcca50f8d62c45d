// Puts the journal between the receiver and the queue, and checks it every second, or less often while it is empty.
import { sleepUntilNext } from '#src/base/time.ts';
import { codeOf } from '#src/base/errors.ts';
import { throttled, type Log } from '#src/observability/log.ts';
import type { QueueCircuit } from '#src/receiver/queue-circuit-breaker.ts';
import type { Journal } from './journal.ts';
import type { JournaledBatch } from './journal-store.ts';

/** A circuit that accepts a batch only together with the journal. */
export function journaledCircuit(journal: Pick<Journal, 'keep'>, circuit: QueueCircuit<JournaledBatch>): QueueCircuit {
  return {
    ...circuit,
    enqueue: (batch, timeoutMs) => journal.keep(batch, (journaled) => circuit.enqueue(journaled, timeoutMs)),
  };
}

const adoptEveryMs = 30_000;
/** An empty journal has nothing that the queue could have lost. */
const idleTurns = 5;

/** Returns a function that ends the checks. */
export function startJournalChecks(
  { journal, log }: { readonly journal: Pick<Journal, 'check' | 'adopt' | 'status'>; readonly log: Log },
  { everyMs = 1000 }: { readonly everyMs?: number } = {},
): () => Promise<void> {
  const logThrottled = throttled(log, 10_000);
  const stopping = new AbortController();
  const { signal } = stopping;

  async function check(): Promise<void> {
    try {
      await journal.check(signal);
    } catch (err) {
      // While the queue does not answer, others report it, and the batches stay in the journal.
      const isQueueDown = ['queue_unavailable', 'ETIMEDOUT'].includes(codeOf(err));
      if (!isQueueDown) logThrottled('error', 'the journal could not be checked; retrying', { err });
    }
  }

  async function loop(): Promise<void> {
    let turn = 0;
    for (let untilAdopt = adoptEveryMs; !signal.aborted; untilAdopt -= everyMs) {
      if (journal.status().batches > 0 || turn % idleTurns === 0) await check();
      turn += 1;
      await sleepUntilNext(everyMs, signal, { ref: false });
      if (untilAdopt > 0 || signal.aborted) continue;
      untilAdopt = adoptEveryMs;
      await journal.adopt();
    }
  }

  const running = loop();
  return async () => {
    stopping.abort();
    await running;
  };
}

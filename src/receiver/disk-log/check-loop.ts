// The loop of the disk log: a check every second, sooner when a pause of the circuit ends, and less often while nothing is on disk.
import { codeOf } from '#src/base/errors.ts';
import { sleepUnlessAborted, sleepUntilNext } from '#src/base/time.ts';
import { throttled, type Log } from '#src/observability/log.ts';
import type { QueueCircuit } from '#src/receiver/queue-circuit.ts';
import type { DiskLog } from './disk-log.ts';

interface CheckLoopNeeds {
  readonly diskLog: Pick<DiskLog, 'check' | 'adopt' | 'status' | 'hasWaiting'>;
  readonly circuit: Pick<QueueCircuit, 'state' | 'pauseMs'>;
  readonly log: Log;
}

const adoptEveryMs = 30_000;
const idleTurns = 5;

/** Returns a function that ends the loop, without waiting for the queue. */
export function startCheckLoop(
  { diskLog, circuit, log }: CheckLoopNeeds,
  { everyMs = 1000 }: { readonly everyMs?: number } = {},
): () => Promise<void> {
  const logThrottled = throttled(log, 10_000);
  const stopping = new AbortController();
  const { signal } = stopping;

  async function check(): Promise<void> {
    try {
      await diskLog.check(signal);
    } catch (err) {
      // While the queue does not answer, others report it, and the batches stay on disk.
      const isQueueDown = ['queue_unavailable', 'ETIMEDOUT'].includes(codeOf(err));
      if (!isQueueDown) logThrottled('error', 'the disk log could not be checked; retrying', { err });
    }
  }

  async function sleep(): Promise<number> {
    const pauseMs = circuit.state() === 'open' && diskLog.hasWaiting() ? circuit.pauseMs() : everyMs;
    if (pauseMs < everyMs) await sleepUnlessAborted(pauseMs, signal, { ref: false });
    else await sleepUntilNext(everyMs, signal, { ref: false });
    return Math.min(pauseMs, everyMs);
  }

  async function loop(): Promise<void> {
    let untilAdopt = adoptEveryMs;
    for (let turn = 0; !signal.aborted; turn += 1) {
      if (diskLog.status().batches > 0 || turn % idleTurns === 0) await check();
      untilAdopt -= await sleep();
      if (untilAdopt > 0 || signal.aborted) continue;
      untilAdopt = adoptEveryMs;
      await diskLog.adopt();
    }
  }

  const running = loop();
  return async () => {
    stopping.abort();
    await running;
  };
}

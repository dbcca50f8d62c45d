// The way into the queue: a circuit breaker and a timeout around `enqueue`. While the circuit is open, no request waits for a
// queue that does not answer; each failed probe doubles the pause.
import { minuteMs } from '#src/base/time.ts';
import { withTimeout } from '#src/base/timeout.ts';
import { throttled } from '#src/observability/log.ts';
import type { Log } from '#src/observability/log.ts';
import { backoffMs, createCircuitBreaker, type CircuitState } from '#src/base/retry-policy.ts';
import type { DeliveryBatch } from '#src/queue/contract.ts';

export interface QueueCircuitNeeds<Batch> {
  enqueue(batch: Batch): Promise<void>;
  readonly log: Log;
  /** Milliseconds, any origin. */
  clock(): number;
}

export interface QueueCircuitOptions {
  readonly timeoutMs?: number;
  readonly firstPauseMs?: number;
  readonly longestPauseMs?: number;
}

export interface QueueCircuit<Batch = DeliveryBatch> {
  /** True once the queue has the batch. A batch that arrives after its timeout is a duplicate, which the log absorbs. */
  enqueue(batch: Batch, timeoutMs?: number): Promise<boolean>;
  state(): CircuitState;
  /** How long to wait before the next try. */
  pauseMs(): number;
}

export function createQueueCircuit<Batch = DeliveryBatch>(
  needs: QueueCircuitNeeds<Batch>,
  options: QueueCircuitOptions = {},
): QueueCircuit<Batch> {
  const { timeoutMs: defaultTimeoutMs = 2000, firstPauseMs = 250, longestPauseMs = 5000 } = options;
  const backoff = { firstMs: firstPauseMs, longestMs: longestPauseMs };
  const breaker = createCircuitBreaker({ failuresToOpen: 1, backoff });
  const warn = throttled(needs.log, minuteMs, needs.clock);

  return {
    pauseMs: () => backoffMs(backoff, breaker.failures),
    state: () => breaker.state(needs.clock()),
    async enqueue(batch, timeoutMs = defaultTimeoutMs) {
      try {
        await withTimeout(needs.enqueue(batch), timeoutMs);
      } catch (err) {
        breaker.failed(needs.clock());
        warn('warn', 'the queue does not accept deliveries; they go to the disk spool', { err });
        return false;
      }
      if (breaker.failures > 0) needs.log.info({ failures: breaker.failures }, 'the queue accepts deliveries again');
      breaker.succeeded();
      return true;
    },
  };
}

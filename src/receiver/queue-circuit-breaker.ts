// The way into the queue, with a deadline and a memory: closed ──failure──▶ open ──pause over──▶ half ──success──▶ closed.
// While it is open nobody waits for a dead queue; each failed try from half doubles the pause.
import { withDeadline } from '#src/base/timeout.ts';
import { throttled } from '#src/observability/log.ts';
import type { Log } from '#src/observability/log.ts';
import type { DeliveryBatch } from '#src/queue/contract.ts';

export interface CircuitNeeds {
  enqueue(batch: DeliveryBatch): Promise<void>;
  readonly log: Log;
  /** Milliseconds, any origin. */
  clock(): number;
}

export interface CircuitOptions {
  readonly deadlineMs?: number;
  readonly firstPauseMs?: number;
  readonly longestPauseMs?: number;
}

export interface Circuit {
  /** True once the queue has the batch. One that comes through after its deadline is a duplicate, which the ledger absorbs. */
  enqueue(batch: DeliveryBatch, patienceMs?: number): Promise<boolean>;
  state(): 'closed' | 'open' | 'half';
  /** How long to wait before trying again. */
  pauseMs(): number;
}

export function createCircuit(needs: CircuitNeeds, options: CircuitOptions = {}): Circuit {
  const { deadlineMs = 2000, firstPauseMs = 250, longestPauseMs = 5000 } = options;
  const warn = throttled(needs.log, 10_000, needs.clock);
  let failures = 0;
  let openUntil = 0;
  const pauseMs = (): number => Math.min(longestPauseMs, firstPauseMs * 2 ** Math.max(0, failures - 1));

  return {
    pauseMs,
    state: () => (failures === 0 ? 'closed' : needs.clock() < openUntil ? 'open' : 'half'),
    async enqueue(batch, patienceMs = deadlineMs) {
      try {
        await withDeadline(needs.enqueue(batch), patienceMs);
      } catch (err) {
        failures += 1;
        openUntil = needs.clock() + pauseMs();
        warn('warn', 'the queue does not take deliveries; they go to the disk spool', { err });
        return false;
      }
      if (failures > 0) needs.log.info({ failures }, 'the queue takes deliveries again');
      failures = 0;
      return true;
    },
  };
}

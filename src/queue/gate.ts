// Keeps deliveries out of a queue that has not yet shown that it keeps what it accepts. An engine that was absent at
// start is asked again until it answers; until then, and while it would lose data, deliveries go to the disk spool.
//
//   unknown ──asked, sound──▶ open
//      │ └──asked, unsafe──▶ unsafe ──asked again, sound──▶ open
//      └──no answer──▶ unknown
import { setTimeout as pause } from 'node:timers/promises';
import { SlotstreamError } from '#src/errors.ts';
import type { DeliveryBatch, DeliveryQueue, EngineProblem } from './contract.ts';

export interface QueueGate {
  /** Adds when the gate is open, else refuses at once. */
  enqueue(batch: DeliveryBatch): Promise<void>;
  /** Resolves when the engine answers and is sound. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface GateNeeds {
  readonly queue: Pick<DeliveryQueue, 'add' | 'check' | 'ping'>;
  onProblem(problem: EngineProblem): void;
}

const askAgainMs = 1_000;

/** Throws when the engine answers and would lose data: better not to start. An engine that does not answer is waited for. */
export async function openGate(needs: GateNeeds): Promise<QueueGate> {
  const stopping = new AbortController();
  let open = false;
  const ask = async (): Promise<EngineProblem | undefined> => {
    const problems = await needs.queue.check();
    for (const problem of problems) needs.onProblem(problem);
    const fatal = problems.find((problem) => problem.fatal);
    open = fatal === undefined;
    return fatal;
  };
  const fatal = await ask().catch(() => undefined);
  if (fatal) throw new SlotstreamError('queue_unsafe', fatal.message, { hint: fatal.hint });

  async function keepAsking(): Promise<void> {
    while (!open && !stopping.signal.aborted) {
      await pause(askAgainMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      if (!stopping.signal.aborted) await ask().catch(() => undefined);
    }
  }
  const asking = keepAsking();

  const refusal = () =>
    new SlotstreamError('queue_unavailable', 'The queue has not shown yet that it keeps what it accepts.');
  return {
    enqueue: (batch) => (open ? needs.queue.add(batch) : Promise.reject(refusal())),
    ping: () => (open ? needs.queue.ping() : Promise.reject(refusal())),
    async close() {
      stopping.abort();
      await asking;
    },
  };
}

// Keeps deliveries out of a queue that has not shown that it keeps what it accepts. An engine that was absent at start is
// asked again until it answers; so is one that refused a batch, because it may come back with other settings. While the
// gate is shut, deliveries go to the disk spool.
//
//   shut ──asked, sound──▶ open ──a batch refused, or asked again and unsafe──▶ shut
import { sleepUnlessAborted } from '#src/base/time.ts';
import { SlotstreamError } from '#src/base/errors.ts';
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

const lookEveryMs = 1_000;
const askAgainMs = 30_000;

/** Throws when the engine answers and would lose data: better not to start. An engine that does not answer is waited for. */
export async function openGate(needs: GateNeeds): Promise<QueueGate> {
  const stopping = new AbortController();
  const told = new Set<string>();
  let open = false;
  let askedAt = 0;
  const ask = async (): Promise<EngineProblem | undefined> => {
    askedAt = performance.now();
    const problems = await needs.queue.check();
    for (const problem of problems) if (!told.has(problem.message)) needs.onProblem(problem);
    told.clear();
    for (const { message } of problems) told.add(message);
    const fatal = problems.find((problem) => problem.fatal);
    open = fatal === undefined;
    return fatal;
  };
  const fatal = await ask().catch(() => undefined);
  if (fatal) throw new SlotstreamError('queue_unsafe', fatal.message, { hint: fatal.hint });

  async function keepAsking(): Promise<void> {
    while (!stopping.signal.aborted) {
      await sleepUnlessAborted(lookEveryMs, stopping.signal, { ref: false });
      const due = !open || performance.now() - askedAt > askAgainMs;
      if (due && !stopping.signal.aborted) await ask().catch(() => undefined);
    }
  }
  const asking = keepAsking();

  const refusal = () =>
    new SlotstreamError('queue_unavailable', 'The queue has not shown yet that it keeps what it accepts.');
  return {
    async enqueue(batch) {
      if (!open) throw refusal();
      try {
        await needs.queue.add(batch);
      } catch (error) {
        open = false;
        throw error;
      }
    },
    ping: () => (open ? needs.queue.ping() : Promise.reject(refusal())),
    async close() {
      stopping.abort();
      await asking;
    },
  };
}

// Blocks a queue that could lose what it accepts. An engine that was down at the start is checked again until it answers; so is
// one that failed to take a batch, because it may come back with other settings. While the gate is closed, deliveries go to the
// disk spool.
//
//   closed ──checked, durable──▶ open ──a batch failed, or checked again and not durable──▶ closed
import { sleepUntilNext } from '#src/base/time.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { DeliveryQueue, EngineProblem } from './contract.ts';

export interface DurabilityGate {
  /** Adds the batch when the gate is open, otherwise rejects at once. */
  readonly enqueue: DeliveryQueue['add'];
  /** Resolves when the engine answers and is durable. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface DurabilityGateNeeds {
  readonly queue: Pick<DeliveryQueue, 'add' | 'check' | 'ping'>;
  onProblem(problem: EngineProblem): void;
}

const pollMs = 1_000;
const recheckMs = 30_000;

/** Throws when the engine answers and could lose data, so that the process does not start. It does not wait for one that is down. */
export async function openDurabilityGate(needs: DurabilityGateNeeds): Promise<DurabilityGate> {
  const stopping = new AbortController();
  const reported = new Set<string>();
  let open = false;
  let checkedAt = 0;
  const check = async (): Promise<EngineProblem | undefined> => {
    checkedAt = performance.now();
    const problems = await needs.queue.check();
    for (const problem of problems) if (!reported.has(problem.message)) needs.onProblem(problem);
    reported.clear();
    for (const { message } of problems) reported.add(message);
    const fatal = problems.find((problem) => problem.fatal);
    open = fatal === undefined;
    return fatal;
  };
  const fatal = await check().catch(() => undefined);
  if (fatal) throw new SlotstreamError('queue_unsafe', fatal.message, { hint: fatal.hint });

  async function keepChecking(): Promise<void> {
    while (!stopping.signal.aborted) {
      await sleepUntilNext(pollMs, stopping.signal, { ref: false });
      const due = !open || performance.now() - checkedAt > recheckMs;
      if (due && !stopping.signal.aborted) await check().catch(() => undefined);
    }
  }
  const checking = keepChecking();

  const closed = () =>
    new SlotstreamError('queue_unavailable', 'The queue does not answer, or its durability has not been checked yet.');
  return {
    async enqueue(...job) {
      if (!open) throw closed();
      try {
        await needs.queue.add(...job);
      } catch (error) {
        open = false;
        throw error;
      }
    },
    ping: () => (open ? needs.queue.ping() : Promise.reject(closed())),
    async close() {
      stopping.abort();
      await checking;
    },
  };
}

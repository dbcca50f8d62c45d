// The circuit in front of the queue: whether it takes a batch now. Its states, and which one applies where two could:
//
//   other    the queue belongs to another mirror (queue-owner.ts). What is on disk stays there for the next start.
//   unsafe   the engine does not answer, or could lose what it accepts. It is checked every second, at the start and after a failure,
//            because it may come back with other settings; and every 30 seconds.
//   full     the disk of the queue is almost full.
//   open     the last batch failed, and the pause is not over; each failure in a row doubles it.
//   probing  the last batch failed, and the pause is over: the next batch decides.
//   closed   batches are added.
//
// The first in this list answers. Other, unsafe and full refuse a batch without trying it.
import { SlotstreamError } from '#src/base/errors.ts';
import { createCircuitBreaker } from '#src/base/retry-policy.ts';
import { minuteMs, sleepUntilNext } from '#src/base/time.ts';
import { withTimeout } from '#src/base/timeout.ts';
import { throttled, type Log } from '#src/observability/log.ts';
import type { DeliveryQueue, EngineProblem } from '#src/queue/contract.ts';

export type QueueState = 'other' | 'unsafe' | 'full' | 'open' | 'probing' | 'closed';

export interface QueueCircuit {
  state(): QueueState;
  /** True once the queue has the batch. A batch that arrives after its timeout is a duplicate, which the log absorbs. Never rejects. */
  enqueue(batch: Parameters<DeliveryQueue['add']>[0], jobId?: string, timeoutMs?: number): Promise<boolean>;
  /** How long the circuit stays open. */
  pauseMs(): number;
  /** Resolves when the engine answers, is durable, and has room. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface QueueCircuitNeeds {
  readonly queue: Pick<DeliveryQueue, 'add' | 'check' | 'ping'>;
  readonly log: Log;
  /** False while the disk of the queue is almost full. */
  readonly hasRoom?: () => Promise<boolean>;
  /** Milliseconds that pass evenly: a clock that is set back must not keep the circuit open. */
  readonly clock?: () => number;
}

export interface QueueCircuitOptions {
  readonly timeoutMs?: number;
  readonly firstPauseMs?: number;
  readonly longestPauseMs?: number;
  readonly checkEveryMs?: number;
}

const recheckMs = 30_000;
const checkTimeoutMs = 5_000;

/** Throws when the engine answers and could lose data, so that the process does not start. It does not wait for one that is down. */
export async function openQueueCircuit(
  { queue, log, hasRoom = async () => true, clock = () => performance.now() }: QueueCircuitNeeds,
  options: QueueCircuitOptions = {},
): Promise<QueueCircuit> {
  const { timeoutMs: usualTimeoutMs = 2000, firstPauseMs = 250, longestPauseMs = 5000, checkEveryMs = 1000 } = options;
  const backoff = { firstMs: firstPauseMs, longestMs: longestPauseMs };
  const breaker = createCircuitBreaker({ failuresToOpen: 1, backoff });
  const warn = throttled(log, minuteMs, clock);
  const stopping = new AbortController();
  let reported: ReadonlySet<string> = new Set();
  let unsafe: EngineProblem | undefined;
  let isSafe = false;
  let isFull = false;
  let checkedAt = 0;

  async function check(): Promise<EngineProblem | undefined> {
    checkedAt = clock();
    const { failures } = breaker;
    const problems = await withTimeout(queue.check(), checkTimeoutMs);
    for (const { fatal, message, hint } of problems)
      if (!reported.has(message)) log[fatal ? 'error' : 'warn']({ hint }, message);
    reported = new Set(problems.map(({ message }) => message));
    const problem = problems.find(({ fatal }) => fatal);
    // What was found before a batch failed says nothing about the engine that comes back.
    isSafe = problem === undefined && failures === breaker.failures;
    unsafe = problem;
    return problem;
  }

  async function keepChecking(): Promise<void> {
    while (!stopping.signal.aborted) {
      await sleepUntilNext(checkEveryMs, stopping.signal, { ref: false });
      if (stopping.signal.aborted) return;
      isFull = !(await hasRoom());
      if (!isSafe || Math.abs(clock() - checkedAt) > recheckMs) await check().catch(() => undefined);
    }
  }

  function state(): QueueState {
    if (!isSafe) return unsafe?.isOther ? 'other' : 'unsafe';
    if (isFull) return 'full';
    const found = breaker.state(clock());
    return found === 'half' ? 'probing' : found;
  }

  function requireUsable(): void {
    const found = state();
    if (!isSafe && unsafe) throw unavailable(unsafe.message, unsafe.hint);
    if (found === 'unsafe') throw unavailable('The queue does not answer, or its durability has not been checked yet.');
    if (found === 'full') throw unavailable('The disk of the queue is almost full.', 'Free disk space.');
  }

  async function enqueue(...[batch, jobId, timeoutMs = usualTimeoutMs]: Parameters<QueueCircuit['enqueue']>) {
    try {
      isFull = !(await hasRoom());
      requireUsable();
    } catch (err) {
      warn('warn', refuses, { err });
      return false;
    }
    try {
      await withTimeout(queue.add(batch, jobId), timeoutMs);
    } catch (err) {
      breaker.failed(clock());
      isSafe = false;
      warn('warn', refuses, { err });
      return false;
    }
    if (breaker.failures > 0) log.info({ failures: breaker.failures }, 'the queue accepts deliveries again');
    breaker.succeeded();
    return true;
  }

  const problem = await check().catch(() => undefined);
  if (problem) throw new SlotstreamError('queue_unsafe', problem.message, { hint: problem.hint });
  const checking = keepChecking();
  return {
    state,
    enqueue,
    pauseMs: () => Math.max(1, breaker.openUntilMs - clock()),
    async ping() {
      isFull = !(await hasRoom());
      requireUsable();
      await queue.ping();
    },
    async close() {
      stopping.abort();
      await checking;
    },
  };
}

const refuses = 'the queue does not accept deliveries; they are written to the disk log';

const unavailable = (message: string, hint?: string) =>
  new SlotstreamError('queue_unavailable', message, hint === undefined ? {} : { hint });

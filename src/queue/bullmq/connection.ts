// One named queue on an engine: it connects in the background and can be used once the engine answers.

import type { JobsOptions, Processor, QueueOptions, WorkerOptions } from 'bullmq';
import { withTimeout } from '#src/base/timeout.ts';
import { codeOf, describeDriverError, SlotstreamError } from '#src/base/errors.ts';
import { isUntrustedCertificate, privateCaHint } from '#src/base/private-ca.ts';
import type { BullWorker } from './worker.ts';
import type { EngineProblem, LossDetection, QueueDepth, QueueNotes } from '#src/queue/contract.ts';
import { connectWithRetry } from './engine-outages.ts';
import type { RecoverableQueue } from './failed-job-recovery.ts';

/** The part of BullMQ's queue that is used here; its own type exposes too much of its backend. */
export interface BullQueue extends RecoverableQueue {
  on(event: 'error', listener: (error: unknown) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  add(name: string, data: object, options: JobsOptions): Promise<unknown>;
  getJobCounts(
    ...states: ('wait' | 'prioritized' | 'active' | 'delayed' | 'failed')[]
  ): Promise<Record<string, number>>;
  close(): Promise<void>;
}

/** What a backend provides. Queues of different names on one engine are independent. */
export interface BullEngine {
  readonly engine: 'redis' | 'postgres' | 'embedded';
  makeQueue(name: string, options: Omit<QueueOptions, 'connection'>): BullQueue;
  makeWorker(name: string, processor: Processor, options: Omit<WorkerOptions, 'connection'>): BullWorker;
  check(): Promise<readonly EngineProblem[]>;
  ping(): Promise<void>;
  readonly losses?: LossDetection;
  /** Those of the queue of this name. */
  notes(name: string): QueueNotes;
  /** Closes every connection, whether the engine answers or not. */
  close(): Promise<void>;
}

export interface BullConnection {
  /** Rejects while the queue is not connected, and with a sanitized error when the engine fails. */
  withQueue<T>(use: (queue: BullQueue) => Promise<T>): Promise<T>;
  /** Receives every error, until the connection closes. */
  report(error: unknown): void;
  depth(): Promise<QueueDepth>;
  close(): Promise<void>;
}

/** This program does not read BullMQ's event stream, which BullMQ trims lazily. */
const queueOptions = { streams: { events: { maxLen: 100 } } };

const openTimeoutMs = 2000;
const closeTimeoutMs = 3000;

/** Never fails: it waits a moment for an engine that is down, and goes on connecting in the background. */
export async function openConnection(
  { engine, report: reportError }: { readonly engine: BullEngine; readonly report: (error: Error) => void },
  name: string,
): Promise<BullConnection> {
  const closing = new AbortController();
  const report = (error: unknown): void => void (closing.signal.aborted || reportError(toQueueError(error)));
  let connected: BullQueue | undefined;
  const make = (): BullQueue => engine.makeQueue(name, queueOptions);
  const connecting = connectWithRetry({ make, report, signal: closing.signal }).then((queue) => (connected = queue));

  const withQueue: BullConnection['withQueue'] = async (use) => {
    if (connected === undefined) throw new SlotstreamError('queue_unavailable', 'The queue has not answered yet.');
    try {
      return await use(connected);
    } catch (error) {
      throw toQueueError(error);
    }
  };
  await withTimeout(connecting, openTimeoutMs).catch(report);
  return {
    withQueue,
    report,
    depth: () =>
      withQueue(async (queue) => {
        const counts = await queue.getJobCounts('wait', 'prioritized', 'active', 'delayed', 'failed');
        const { wait = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = counts;
        return { waiting: wait + prioritized, active, delayed, failed };
      }),
    close: async () => {
      closing.abort();
      await connecting;
      if (connected) await withTimeout(connected.close(), closeTimeoutMs).catch(report);
    },
  };
}

export const rejectedPassword = 'Redis does not accept the password in QUEUE_URL.';

/** Sanitizes any error of the queue: the result is transient, contains no data of people and can be logged as a whole. */
export function toQueueError(error: unknown): SlotstreamError {
  if (error instanceof SlotstreamError) return error;
  const [message, hint] = knownReason(error) ?? [
    `The queue failed: ${describeDriverError(error)}.`,
    'Nothing accepted is lost. Check that the queue at QUEUE_URL runs, is reachable and has room.',
  ];
  return new SlotstreamError('queue_unavailable', message, { hint });
}

/** A client that is not connected says only that: the error before says why. */
export const hasReason = ({ message }: Error): boolean => !message.startsWith('The queue failed');

function knownReason(error: unknown): readonly [message: string, hint: string] | undefined {
  const code = codeOf(error);
  if (/^(WRONGPASS|NOAUTH)$/.test(code)) return [rejectedPassword, 'Correct the user and the password in QUEUE_URL.'];
  if (code === 'MOVED')
    return [
      'QUEUE_URL leads to a Redis Cluster, and is written for a single Redis (MOVED).',
      'Nothing accepted is lost. Write redis+cluster://HOST:6379,HOST instead of redis://HOST.',
    ];
  if (code === 'NOPERM') return notPermitted(error);
  if (isUntrustedCertificate(code))
    return [`The certificate of the server at QUEUE_URL is not trusted (${code}).`, privateCaHint];
  return undefined;
}

const rights = 'docs/operations.md#scale-out has all that it needs.';

/** Redis names the command, and neither the key nor its pattern. Its message has the name of the user too, which is left out. */
function notPermitted(error: unknown): readonly [message: string, hint: string] {
  const text = error instanceof Error ? error.message : '';
  const command = /\bthe '([a-z|_-]{1,40})' command/i.exec(text)?.[1]?.toLowerCase();
  if (command !== undefined)
    return [
      `Redis does not let the user of QUEUE_URL run ${command.toUpperCase()} (NOPERM).`,
      `Nothing accepted is lost. In Redis: ACL SETUSER … +${command}. ${rights}`,
    ];
  const what = /key/i.test(text) ? 'use the keys of the queue' : 'run a command';
  return [
    `Redis does not let the user of QUEUE_URL ${what} (NOPERM).`,
    `Nothing accepted is lost. In Redis: ACL SETUSER … ~{slotstream}:* (with ?name=acme in QUEUE_URL: ~{slotstream:acme}:*). ${rights}`,
  ];
}

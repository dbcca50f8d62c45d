// BullMQ's backend contract on SQLite: what `Queue`, `Worker` and `Job` need for the delivery queue. Everything else throws
// UnsupportedError with the name of the method.

import { EventEmitter } from 'node:events';
import type { BackendFactory, IQueueBackend, JobJson, KeepJobs, WorkerOptions } from 'bullmq';
import { toJobJson, type Failure, type HeldJob, type NewJob } from './job-statements.ts';
import type { JobTable } from './job-table.ts';
import { UnsupportedError, rejectUnsupported } from './unsupported.ts';

/** What BullMQ's worker receives: the next job and its id, how long a rate limit lasts, and when the next delayed job is due. */
type NextJob = [job: JobJson | null, id: string, rateLimitMs: number, dueAt: number];

type FinishResult = Awaited<ReturnType<IQueueBackend['moveToCompleted']>>;
type AnyJob = Parameters<IQueueBackend['moveToCompleted']>[0];
type KeepOption = boolean | number | KeepJobs | undefined;

class SqliteBackend extends EventEmitter {
  readonly #table: JobTable;
  readonly #queue: string;
  readonly #options: Partial<WorkerOptions>;
  #interrupt: (() => void) | undefined;
  #isInterrupted = false;
  closing: Promise<void> | undefined;

  readonly keys = {};
  /** In seconds. A waiting worker is woken within this process, so it can wait long. */
  readonly minimumBlockTimeout = 0.001;
  readonly maximumBlockTimeout = 60;

  constructor(table: JobTable, queue: string, options: object) {
    super();
    this.#table = table;
    this.#queue = queue;
    this.#options = options;
  }

  get qualifiedName(): string {
    return this.#queue;
  }

  toKey(type: string): string {
    return `${this.#queue}:${type}`;
  }

  clientName(suffix = ''): string {
    return `${this.#queue}${suffix}`;
  }

  async waitUntilReady(): Promise<void> {}

  async setName(): Promise<void> {}

  /** The engine closes the table, when no queue and no worker uses it any more. */
  async close(): Promise<void> {
    this.closing ??= this.disconnectBlocking();
    await this.closing;
  }

  async disconnect(): Promise<void> {
    await this.close();
  }

  async addJob(job: JobJson, jobId: string | undefined): Promise<string> {
    const [id] = await this.addJobs([{ job, jobId }]);
    return id ?? '';
  }

  addJobs(entries: readonly { readonly job: JobJson; readonly jobId: string | undefined }[]): Promise<string[]> {
    return this.#table.add(entries.map(({ job, jobId }) => this.#newJob(job, jobId)));
  }

  #newJob(job: JobJson, jobId: string | undefined): NewJob {
    const { priority, lifo, parent, deduplication } = job.opts;
    const option = Object.entries({ priority, lifo, parent, deduplication }).find(([, value]) => value)?.[0];
    if (option !== undefined) throw new UnsupportedError(`the job option \`${option}\``);
    return {
      queue: this.#queue,
      id: jobId || undefined,
      name: job.name,
      data: job.data,
      opts: JSON.stringify(job.opts),
      addedAt: job.timestamp,
      delayMs: job.delay ?? job.opts.delay ?? 0,
    };
  }

  async moveToActive(token: string): Promise<NextJob> {
    return this.#claimNext(token);
  }

  #claimNext(token: string): NextJob {
    const claimed = this.#table.claim({ queue: this.#queue, token, lockMs: this.#options.lockDuration ?? 30_000 });
    if (claimed) return [toJobJson(claimed), claimed.id, 0, 0];
    return [null, '', 0, this.#table.nextDue(this.#queue) ?? 0];
  }

  async moveToCompleted(
    job: AnyJob,
    value: unknown,
    keep: KeepOption,
    token: string,
    fetchNext: boolean,
  ): Promise<FinishResult> {
    const outcome = { state: 'completed', returnValue: JSON.stringify(value ?? null), keep: mustKeep(keep) } as const;
    return this.#finish(job, outcome, token, fetchNext);
  }

  async moveToFailed(
    job: AnyJob,
    failedReason: string,
    keep: KeepOption,
    token: string,
    fetchNext: boolean,
    fields?: Record<string, unknown>,
  ): Promise<FinishResult> {
    const outcome = { state: 'failed', ...failureIn({ ...fields, failedReason }), keep: mustKeep(keep) } as const;
    return this.#finish(job, outcome, token, fetchNext);
  }

  #finish(job: AnyJob, outcome: Parameters<JobTable['finish']>[1], token: string, fetchNext: boolean): FinishResult {
    const finishedOn = Date.now();
    return this.#table.together(() => {
      this.#table.finish(this.#held(job.id, token), outcome, finishedOn);
      return { result: fetchNext ? this.#claimNext(token) : undefined, finishedOn };
    });
  }

  async moveToDelayed(
    id: string,
    timestamp: number,
    delayMs: number,
    token = '',
    options: { readonly fieldsToUpdate?: Record<string, unknown>; readonly fetchNext?: boolean } = {},
  ): Promise<NextJob | undefined> {
    return this.#table.together(() => {
      const delay = { dueAt: timestamp + delayMs, delayMs };
      this.#table.requeue(this.#held(id, token), failureIn(options.fieldsToUpdate), delay);
      return options.fetchNext ? this.#claimNext(token) : undefined;
    });
  }

  async retryJob(
    id: string,
    _lifo: boolean,
    token = '',
    options: { readonly fieldsToUpdate?: Record<string, unknown> } = {},
  ): Promise<void> {
    this.#table.requeue(this.#held(id, token), failureIn(options.fieldsToUpdate));
  }

  #held(id: string | undefined, token: string): HeldJob {
    return { queue: this.#queue, id: id ?? '', token };
  }

  async moveStalledJobsToWait(): Promise<string[]> {
    return this.#table.reclaimStalled(this.#queue, this.#options.maxStalledCount ?? 1);
  }

  async extendLock(id: string, token: string, lockMs: number): Promise<number> {
    return this.#table.extendLock(this.#held(id, token), lockMs) ? 1 : 0;
  }

  async extendLocks(ids: string[], tokens: string[], lockMs: number): Promise<string[]> {
    return this.#table.together(() =>
      ids.filter((id, index) => !this.#table.extendLock(this.#held(id, tokens[index] ?? ''), lockMs)),
    );
  }

  async updateProgress(id: string, progress: unknown): Promise<void> {
    const exists = this.#table.setProgress({ queue: this.#queue, id }, JSON.stringify(progress));
    if (!exists) throw new Error(`Missing key for job ${id}.`);
  }

  async remove(id: string): Promise<number> {
    return this.#table.remove({ queue: this.#queue, id }) ? 1 : 0;
  }

  async getJobData(id: string): Promise<JobJson | undefined> {
    const found = this.#table.find({ queue: this.#queue, id });
    return found && toJobJson(found);
  }

  async getCounts(types: readonly string[]): Promise<number[]> {
    return types.map((type) => this.#table.count(this.#queue, stateOf(type)));
  }

  async getRanges(types: readonly string[], start = 0, end = -1, oldestFirst = false): Promise<[string][]> {
    return types.map((type) => {
      const ids = this.#table.ids(this.#queue, stateOf(type), { start, end, oldestFirst });
      // BullMQ reverses these, as Redis keeps them in lists whose head is the newest job.
      const isList = ['wait', 'active'].includes(type);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- BullMQ declares a list of ids as a list of one
      return (isList && oldestFirst ? ids.toReversed() : ids) as [string];
    });
  }

  /** Resolves when a job may be ready, and after `seconds` at the latest. */
  async waitForJob(seconds: number): Promise<{ member: string; score: number } | null> {
    if (this.closing || this.#isInterrupted || this.#table.hasWaiting(this.#queue)) return null;
    const dueInMs = (this.#table.nextDue(this.#queue) ?? Infinity) - Date.now();
    const { promise, resolve } = Promise.withResolvers<null>();
    const timer = setTimeout(resolve, Math.max(0, Math.min(seconds * 1000, dueInMs)), null);
    const cancel = this.#table.onWork(this.#queue, () => resolve(null));
    this.#interrupt = () => resolve(null);
    await promise;
    clearTimeout(timer);
    cancel();
    return null;
  }

  async disconnectBlocking(): Promise<void> {
    this.#isInterrupted = true;
    this.#interrupt?.();
  }

  async reconnectBlocking(): Promise<void> {
    this.#isInterrupted = false;
  }
}

/** Makes the backend of a queue or a worker; its `connection` is the table. */
export const createSqliteBackend: BackendFactory<IQueueBackend, JobTable> = (name, options) => {
  const backend = new SqliteBackend(options.connection, name, options);
  rejectUnsupported(backend);
  return backend;
};

function mustKeep(keep: KeepOption): boolean {
  if (typeof keep === 'object' || typeof keep === 'number')
    throw new UnsupportedError('keeping a number of finished jobs');
  return keep !== true;
}

function failureIn(fields: Record<string, unknown> = {}): Failure {
  const { failedReason, stacktrace } = fields;
  return {
    failedReason: typeof failedReason === 'string' ? failedReason : null,
    stacktrace: typeof stacktrace === 'string' ? stacktrace : null,
  };
}

const stateOf = (type: string): string => (type === 'waiting' ? 'wait' : type);

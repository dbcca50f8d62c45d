// The contract of a queue. It is always BullMQ; the backends (redis, postgres, embedded) differ only in the engine below it.

/** One verified delivery in transit: the raw body, never re-serialized. */
export interface QueuedDelivery {
  /** The raw body as text; base64 of the raw bytes when `encoding` is set (bodies with NUL or invalid UTF-8). */
  readonly body: string;
  readonly encoding?: 'base64';
  /** When the receiver had read the whole body: UTC, six fractional digits. */
  readonly receivedAt: string;
}

/** The content of one job: 1 to 256 deliveries with at most 1 MiB together, or one delivery of any size. */
export interface DeliveryBatch {
  readonly v: 1;
  readonly deliveries: readonly QueuedDelivery[];
}

export const batchLimits = { deliveries: 256, bytes: 1024 * 1024 } as const;

export interface QueueDepth {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
}

/** A batch in the compressed form that the queue stores: base64 of zstd (see batch-codec.ts). */
export interface PackedBatch {
  readonly v: 1;
  readonly packed: string;
}

/** A problem of the engine for the operator. `fatal`: the engine could lose what it accepts, so the process must not start. */
export interface EngineProblem {
  readonly fatal: boolean;
  /** The queue is sound and belongs to another mirror. */
  readonly isOther?: true;
  readonly message: string;
  readonly hint: string;
}

export interface WorkOptions {
  /** How many jobs run at the same time in this process. */
  readonly concurrency: number;
  /** Asked before each batch. While it resolves to false, the worker is paused and the batch stays in the queue. */
  readonly mayTake?: (() => Promise<boolean>) | undefined;
}

/** Processes one batch. It throws only for transient causes; the whole batch is then retried. */
export type BatchProcessor = (batch: unknown) => Promise<void>;

/** Quarantines a poison pill: a delivery that crashed its worker repeatedly. */
export type QuarantineDelivery = (delivery: unknown, reason: string) => Promise<void>;

export interface QueueWorker {
  /** Stops fetching and resolves when the running jobs are finished. */
  close(): Promise<void>;
}

/** How an engine that can lose what it accepted tells that it has: Redis wiped, restored, or failed over to a stale replica. */
export interface LossDetection {
  /** How many losses were found. A job that was added under an earlier count may be lost. */
  count(): number;
  /** Which of these jobs, added with an id under the present count, are finished. Finding a loss raises the count and returns none. */
  finished(jobIds: readonly string[]): Promise<readonly string[]>;
}

/** Short texts that processes leave for each other beside the jobs, each under a name. None ends by itself. */
export interface QueueNotes {
  read(): Promise<ReadonlyMap<string, string>>;
  /** Only where there is none of this name. */
  add(name: string, text: string): Promise<void>;
  write(name: string, text: string): Promise<void>;
  remove(names: readonly string[]): Promise<void>;
}

/** What a process knows of its mirror. */
export interface Claimant {
  /** The id of the mirror: of a process that has a database. */
  readonly mirrorId: string | undefined;
  /** Of its signing keys. */
  readonly keyMarks: readonly string[];
  /** Whether it verifies deliveries with them. */
  readonly receives: boolean;
}

export interface QueueOwner {
  /** Undefined before the queue has been asked. */
  isOwn(): boolean | undefined;
  /** Writes what is not written yet. Returns the problem when the queue belongs to another mirror. */
  claim(claimant: Claimant): Promise<EngineProblem | undefined>;
  /** As `claim`, and writes nothing. */
  compare(claimant: Claimant): Promise<EngineProblem | undefined>;
  /** Adds marks of keys that the mirror uses from now on, where the queue has its id. */
  addKeys(claimant: Pick<Claimant, 'keyMarks'> & { readonly mirrorId: string }): Promise<void>;
  /** From now on it belongs to the next mirror that claims it. */
  release(): Promise<void>;
}

export interface DeliveryQueue {
  readonly engine: 'redis' | 'postgres' | 'embedded';
  /**
   * Resolves once the batch is durable in the queue; otherwise it rejects or never settles (the intake adds a timeout). With a `jobId`
   * it changes nothing while a job of that id is in the queue.
   */
  add(batch: DeliveryBatch | PackedBatch, jobId?: string): Promise<void>;
  /** Only engines that can lose what they accepted have it. */
  readonly losses?: LossDetection;
  readonly notes: QueueNotes;
  /** Starts taking batches. The deliveries of failed jobs are run again one by one; a poison pill goes to `quarantine`. */
  work(processor: BatchProcessor, quarantine: QuarantineDelivery, options: WorkOptions): QueueWorker;
  depth(): Promise<QueueDepth>;
  /** When the job was added that has been in this state longest, in milliseconds since 1970. */
  oldestMs(state: 'waiting' | 'active'): Promise<number | undefined>;
  /** Which mirror it belongs to. */
  readonly owner: QueueOwner;
  /**
   * Checks the settings of the engine, and claims the queue where it was opened with a claimant; an empty list means no problems.
   * Rejects when the engine does not answer.
   */
  check(): Promise<readonly EngineProblem[]>;
  /** Resolves when the engine answers; rejects within about two seconds otherwise. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

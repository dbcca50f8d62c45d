// What a queue backend must do. The queue carries deliveries and alert sends and nothing else; it is always
// BullMQ, and the leaves (redis, postgres, embedded) differ only in what BullMQ stands on.

/** One verified delivery as it travels: the raw body, never re-serialised. */
export interface QueuedDelivery {
  /** The raw body as text; base64 of the raw bytes when `encoding` says so (not valid UTF-8, or holding NUL). */
  readonly body: string;
  readonly encoding?: 'base64';
  /** When the receiver had the whole body: UTC, six fractional digits. */
  readonly receivedAt: string;
}

/** One job: a record batch of 1…256 deliveries and at most 1 MiB together, or one delivery of any size. */
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

/** Something an operator should know about the engine. `fatal` = it would lose what it accepts: refuse to start. */
export interface EngineProblem {
  readonly fatal: boolean;
  readonly message: string;
  readonly hint: string;
}

export interface WorkOptions {
  /** Jobs at once in this process. */
  readonly concurrency: number;
}

/** What the worker does with a batch. It throws only for transient causes: the batch is then retried whole. */
export type BatchProcessor = (batch: unknown) => Promise<void>;

/** What to do with one delivery whose batch of one BullMQ gave up on (it killed its worker again and again). */
export type GiveUp = (delivery: unknown, reason: string) => Promise<void>;

export interface QueueWorker {
  /** Stops fetching, lets the running jobs finish, then resolves. */
  close(): Promise<void>;
}

export interface DeliveryQueue {
  readonly engine: 'redis' | 'postgres' | 'embedded';
  /** Resolves once the batch is safe in the queue; rejects or never answers otherwise (the intake puts its own deadline round it). */
  add(batch: DeliveryBatch): Promise<void>;
  /** Starts taking batches. Failed jobs are swept: re-driven one by one, and one whose worker dies over it again and again goes to `giveUp`. */
  work(processor: BatchProcessor, giveUp: GiveUp, options: WorkOptions): QueueWorker;
  /** A queue of sends on the same engine; it closes with this one. */
  openSends(name?: string): Promise<SendQueue>;
  depth(): Promise<QueueDepth>;
  /** Asks the engine for its settings; an empty list when all is well. Rejects when the engine does not answer. */
  check(): Promise<readonly EngineProblem[]>;
  /** Resolves when the engine answers; rejects otherwise, within about two seconds. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** One attempt to send one message. */
export interface SendJob {
  /** While a job of this name is in the queue, adding it again does nothing. */
  readonly id: string;
  readonly data: SendData;
}

export interface SendData {
  readonly v: 1;
  /** The alerts it tells of: one, or those of a digest. */
  readonly alerts: readonly string[];
  /** For when it was to leave as it was added: rows that say otherwise by now have been taken since. */
  readonly at: string;
}

/** What the worker does with a job. It throws only for transient causes: the job is then done again. */
export type SendProcessor = (data: unknown) => Promise<void>;

/**
 * The messages that are to leave: a second queue on the same engine. A job names alerts and holds nothing else, so nobody can be
 * read in the queue; what is said is made from the rows when it is sent.
 */
export interface SendQueue {
  /** Resolves once they are safe in the queue. */
  add(jobs: readonly SendJob[]): Promise<void>;
  work(processor: SendProcessor, options: WorkOptions): QueueWorker;
  depth(): Promise<QueueDepth>;
  close(): Promise<void>;
}

// What a queue backend must do. The queue carries deliveries (and, later, alert sends) and nothing else; it is always
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
  depth(): Promise<QueueDepth>;
  /** Asks the engine for its settings; an empty list when all is well. Rejects when the engine does not answer. */
  check(): Promise<readonly EngineProblem[]>;
  /** Resolves when the engine answers; rejects otherwise, within about two seconds. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

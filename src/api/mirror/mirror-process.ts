// What the operations about the mirror itself use of the process: its settings, its queue, its sinks, its subscriptions. The composition
// root provides it.
import type { z } from 'zod';
import { notFound } from '#src/http/http-error.ts';
import type { queueJob } from './queue-jobs.ts';
import type { settingRecord } from './settings.ts';
import type { sinkRecord } from './sinks.ts';

export interface MirrorProcess {
  readonly settings: readonly z.output<typeof settingRecord>[];
  /** How often the mirror is compared with the service, and which resources are. */
  readonly schedule: Schedule;
  /** The configured sinks; none until they have started. */
  sinks(): Promise<readonly Omit<z.output<typeof sinkRecord>, 'updated_at'>[]>;
  readonly queue: JobQueue;
  /** Compares the webhook subscriptions with the service (`subscriptionPlan`). A `SlotstreamError` says why it cannot. */
  planSubscriptions(options: PlanOptions): Promise<object>;
  /** Carries out the plan with this id (`appliedPlan`); undefined when the present plan is another one. */
  applySubscriptions(id: string, options: PlanOptions): Promise<object | undefined>;
}

export interface PlanOptions {
  /** Also delete subscriptions of this callback that are no longer needed. */
  readonly prune: boolean;
  readonly signal: AbortSignal;
}

export interface Schedule {
  /** False where the settings lack what a call of the service needs. */
  readonly canCompare: boolean;
  readonly reconcileEveryMs: number;
  readonly sweepEveryMs: number;
}

export interface JobQueue {
  readonly engine: string;
  depth(): Promise<Readonly<Record<JobState, number>>>;
  jobs(state: JobState, limit: number): Promise<readonly QueueJob[]>;
  recoverFailed(): Promise<void>;
}

export type JobState = z.output<typeof queueJob>['state'];

export interface QueueJob {
  readonly id: string;
  readonly state: JobState;
  readonly deliveries: number | null;
  readonly attempts: number;
  readonly addedMs: number | null;
  readonly dueMs: number | null;
  readonly lastError: string | null;
}

export function processOf({ process }: { readonly process?: MirrorProcess | undefined }): MirrorProcess {
  if (process === undefined) throw notFound('This server does not report on its process.');
  return process;
}

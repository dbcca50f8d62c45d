// What the operations about the mirror itself use of the process: its settings, its queue, its sinks, its subscriptions. The composition
// root provides it.
import { z } from 'zod';
import { instant } from '#schemas/resources/values.ts';
import { notFound } from '#src/http/http-error.ts';
import type { JobState, QueueDepth, QueueJob } from '#src/queue/contract.ts';

const count = z.int().min(0);

export const sinkRecord = z
  .strictObject({
    name: z.string(),
    host: z.string().nullable().describe('The host that receives the feed.'),
    state: z
      .enum(['waiting', 'current', 'sending', 'retrying', 'elsewhere', 'off'])
      .describe(
        '`waiting`: not started. `current`: it has everything. `sending`: it is behind and catches up. `retrying`: it refuses entries, which are retried. `elsewhere`: another process sends to it, and has its errors. `off`: it is no longer configured here; its offset is stored.',
      ),
    position: count.nullable().describe('The last entry up to which it has everything.'),
    behind: count.describe('How many offsets the end of the log is ahead of it.'),
    sent: count.describe('By this process, since it started.'),
    failures: count.describe('Refused attempts of this process, since it started.'),
    last_error: z.string().nullable().describe('The code of the last refused attempt of this process.'),
    updated_at: instant.nullable().describe('When its offset last moved.'),
  })
  .meta({ id: 'Sink' });

export const settingRecord = z
  .strictObject({
    name: z.string(),
    group: z.string(),
    value: z.string().nullable().describe('Null when it is not set and has no default.'),
    source: z
      .enum(['environment', '.env', 'file', 'default'])
      .describe('`file`: the file that `NAME_FILE` names. `.env`: the file in the working folder.'),
    variable: z.string().nullable().describe('The variable that was read: the name, its alias, or `NAME_FILE`.'),
    shown: z
      .enum(['whole', 'part', 'hidden'])
      .describe('Of a secret nothing is shown; of an address that may contain one, the scheme and the host.'),
    default: z.string().nullable(),
    meaning: z.string(),
  })
  .meta({ id: 'Setting' });

export interface MirrorProcess {
  readonly settings: readonly z.output<typeof settingRecord>[];
  /** How often the mirror is compared with the service, and which resources are. */
  readonly schedule: Schedule;
  /** The configured sinks; none until they have started. */
  sinks(): Promise<readonly Omit<z.output<typeof sinkRecord>, 'updated_at'>[]>;
  readonly queue: JobQueue;
  /** Compares the webhook subscriptions with the service (`subscriptionPlan`). A `SlotstreamError` says why it cannot. */
  planSubscriptions(options: { readonly signal: AbortSignal }): Promise<object>;
}

export interface Schedule {
  /** False where the settings lack what a call of the service needs. */
  readonly canCompare: boolean;
  readonly reconcileEveryMs: number;
  readonly sweepEveryMs: number;
}

export interface JobQueue {
  readonly engine: string;
  depth(): Promise<QueueDepth>;
  jobs(state: JobState, limit: number): Promise<readonly QueueJob[]>;
  recoverFailed(): Promise<void>;
}

export const jobStates = ['waiting', 'active', 'delayed', 'failed'] as const satisfies readonly JobState[];

export function processOf({ process }: { readonly process?: MirrorProcess | undefined }): MirrorProcess {
  if (process === undefined) throw notFound('This server does not report on its process.');
  return process;
}

// What pages show of the process: its settings, its queue, the sinks of the feed, and the plan of `bootstrap`. The composition root
// provides it.
import { isTransient, SlotstreamError } from '#src/base/errors.ts';
import type { SettingView } from '#src/config/shown-settings.ts';
import { conflict, notFound, titledError } from '#src/http/http-error.ts';
import type { DeliveryQueue } from '#src/queue/contract.ts';
import type { Store } from '#src/store/contract.ts';
import { listPositions } from '#src/store/log/consumer-offsets.ts';
import { lastSeq } from '#src/store/log/read.ts';

export interface MirrorProcess {
  readonly settings: readonly SettingView[];
  readonly schedule: Schedule;
  /** The configured sinks; none until they have started. */
  sinks(): Promise<readonly Omit<Sink, 'updated_at'>[]>;
  readonly queue: Pick<DeliveryQueue, 'engine' | 'depth' | 'oldestMs'>;
  /** Compares the webhook subscriptions with the service. A `SlotstreamError` says why it cannot. */
  planSubscriptions(): Promise<SubscriptionPlan>;
}

export interface Schedule {
  /** False where the settings lack what a call of the service needs. */
  readonly canCompare: boolean;
  readonly reconcileEveryMs: number;
  readonly sweepEveryMs: number;
}

export interface Sink {
  readonly name: string;
  readonly host: string | null;
  /** `elsewhere`: another process sends to it, and has its errors. `off`: it is no longer configured here; its offset is stored. */
  readonly state: 'waiting' | 'current' | 'sending' | 'retrying' | 'elsewhere' | 'off';
  readonly position: number | null;
  readonly behind: number;
  /** By this process, since it started. */
  readonly sent: number;
  readonly failures: number;
  readonly last_error: string | null;
  readonly updated_at: string | null;
}

export interface SubscriptionPlan {
  readonly organization: string;
  readonly callback: string;
  readonly notes: readonly string[];
  readonly pending: boolean;
  readonly conclusion: string;
  readonly steps: readonly {
    readonly mark: '+' | '-' | '=' | '!';
    readonly action: string;
    readonly scope: string;
    readonly events: readonly string[];
    readonly why?: string | undefined;
  }[];
  /** What exists at the service now, of this callback. */
  readonly subscriptions: readonly {
    readonly callback_url: string | null;
    readonly state: string | null;
    readonly scope: string;
    readonly events: readonly string[];
    readonly retry_started_at: string | null;
  }[];
}

type ProcessContext = { readonly process?: MirrorProcess | undefined };

export function processOf({ process }: ProcessContext): MirrorProcess {
  if (process === undefined) throw notFound('This server does not report on its process.');
  return process;
}

export const readSettings = (context: ProcessContext): readonly SettingView[] => processOf(context).settings;

export async function readQueue(context: ProcessContext) {
  const { queue } = processOf(context);
  const depth = await queue.depth();
  return { engine: queue.engine, depth, oldestMs: depth.waiting > 0 ? await queue.oldestMs('waiting') : undefined };
}

const sinkPrefix = 'sink:';

/** The sinks of this process, and those that once had an offset. */
export async function readSinks(context: ProcessContext & { readonly store: Store }): Promise<readonly Sink[]> {
  const { store } = context;
  const configured = await processOf(context).sinks();
  const last = await lastSeq(store);
  const stored = (await listPositions(store)).filter(({ name }) => name.startsWith(sinkPrefix));
  const movedAt = new Map(stored.map(({ name, updated_at }) => [name.slice(sinkPrefix.length), updated_at]));
  const off = stored
    .filter(({ name }) => !configured.some((sink) => `${sinkPrefix}${sink.name}` === name))
    .map(({ name, position }) => ({
      name: name.slice(sinkPrefix.length),
      host: null,
      state: 'off' as const,
      position,
      behind: Math.max(0, last - position),
      sent: 0,
      failures: 0,
      last_error: null,
    }));
  return [...configured, ...off].map((sink) => ({ ...sink, updated_at: movedAt.get(sink.name) ?? null }));
}

/** What the operator can act upon is an answer, not a failure of this server. */
export async function readSubscriptionPlan(context: ProcessContext): Promise<SubscriptionPlan> {
  try {
    return await processOf(context).planSubscriptions();
  } catch (error) {
    if (!(error instanceof SlotstreamError)) throw error;
    const message = [error.message, error.hint].filter((text) => text !== undefined).join(' ');
    throw isTransient(error) ? titledError(503, message) : conflict({ message });
  }
}

// What an operational rule is: a pure question asked every minute of how the mirror stands. Like a booking's alert it is said once
// while it holds, and taken back when it is over.
import type { z } from 'zod';

/** How the mirror stands. */
export interface Reading {
  readonly nowMs: number;
  /** As the watch last saw them. */
  readonly subscriptions: readonly {
    readonly uri: string;
    readonly state: string | null;
    readonly retryStartedAt: string | null;
  }[];
  /** Subscriptions that the watch found disabled or gone within the last hour, whether or not others stand in their place. */
  readonly lost: readonly LostSubscription[];
  readonly quarantined: number;
  /** Of what is quarantined, how much came within the last hour. */
  readonly quarantinedLately: number;
  /** Seconds from event to row, of the latest deliveries of the last hour. */
  readonly delaySeconds: readonly number[];
  /** What the last complete comparisons found, by part. */
  readonly comparisons: readonly Comparison[];
  /** Seconds by which our clock is ahead of the service's (behind: negative); undefined where the service was not asked lately. */
  readonly clockSkewSeconds: number | undefined;
  /** Deliveries that were rightly signed and refused for their age, within the last minutes. */
  readonly refusedAsStale: number;
  /** Deliveries on the disks of receivers, waiting for the queue. */
  readonly spooled: number;
  /** Bookings that ended within a window, and how many of them were no-shows, by event type or host. */
  noShowRates(by: RateBy, withinMs: number): Promise<readonly Rate[]>;
}

export interface LostSubscription {
  readonly uri: string;
  readonly how: 'disabled' | 'missing';
  /** Another stands in its place. */
  readonly isMended: boolean;
}

export interface Comparison {
  readonly part: 'recent' | 'full';
  /** Rows found missing, extra or different. */
  readonly rows: number;
  /** Deletes that wait for a yes. */
  readonly heldBack: number;
  readonly finishedAt: string;
}

export type RateBy = 'event_type' | 'host';

export interface Rate {
  readonly uri: string;
  readonly ended: number;
  readonly noShows: number;
}

/** One thing that is not as it ought to be. */
export interface Trouble {
  /** What it is about: a subscription's URI, an event type's, or `mirror`. */
  readonly subject: string;
  /** In a few words and numbers, nobody named: it is stored. */
  readonly message: string;
}

/** Undefined: nobody can know at present, so nothing is concluded. */
export type Troubles = readonly Trouble[] | undefined;

interface ConditionPlan<Options extends z.ZodRawShape> {
  readonly when: string;
  /** The title of its messages. */
  readonly title: string;
  readonly about: string;
  readonly options: Options;
  find(options: z.output<z.ZodObject<Options>>, reading: Reading): Promise<Troubles> | Troubles;
}

export type ConditionKind = ConditionPlan<z.ZodRawShape>;

export function defineCondition<const Options extends z.ZodRawShape>(
  plan: ConditionPlan<Options>,
): ConditionPlan<Options> {
  return plan;
}

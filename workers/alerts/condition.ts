// What an operational rule is: a pure question asked every minute of how the mirror stands. Like a booking's alert it is said once
// while it holds, and taken back when it is over.
import type { z } from 'zod';

/** How the mirror stands. What a process cannot know is undefined: nothing is concluded from it. */
export interface Reading {
  readonly nowMs: number;
  readonly subscriptions: readonly {
    readonly uri: string;
    readonly state: string | null;
    readonly retryStartedAt: string | null;
  }[];
  readonly quarantined: number;
  /** Of what is quarantined, how much came within the last hour. */
  readonly quarantinedLately: number;
  /** Seconds from event to row, of the latest deliveries. */
  readonly delaySeconds: readonly number[];
  /** Rows the last complete comparison found wrong. */
  readonly drift: { readonly rows: number; readonly finishedAt: string } | undefined;
  /** Seconds by which our clock is ahead of the service's (behind: negative). */
  readonly clockSkewSeconds: number | undefined;
  readonly spooled: { readonly deliveries: number } | undefined;
  /** Bookings that ended within a window, and how many of them were no-shows, by event type or host. */
  noShowRates(by: 'event_type' | 'host', withinMs: number): Promise<readonly Rate[]>;
}

export interface Rate {
  readonly uri: string;
  readonly name: string;
  readonly ended: number;
  readonly noShows: number;
}

/** One thing that is not as it ought to be. */
export interface Trouble {
  /** What it is about: a subscription's URI, an event type's, or `mirror`. */
  readonly subject: string;
  /** In a few words and numbers, nobody named. */
  readonly message: string;
}

interface ConditionPlan<Options extends z.ZodRawShape> {
  readonly when: string;
  /** The title of its messages. */
  readonly title: string;
  readonly about: string;
  readonly options: Options;
  find(options: z.output<z.ZodObject<Options>>, reading: Reading): Promise<readonly Trouble[]> | readonly Trouble[];
}

export type ConditionKind = ConditionPlan<z.ZodRawShape>;

export function defineCondition<const Options extends z.ZodRawShape>(
  plan: ConditionPlan<Options>,
): ConditionPlan<Options> {
  return plan;
}

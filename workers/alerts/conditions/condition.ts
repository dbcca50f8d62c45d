// The contract of a condition: an operational rule, evaluated every minute on the health of the mirror. A condition alerts once while it
// holds, and its alert is retracted when it ends.
import { z } from 'zod';
import type { NoShowRate, RateWindow } from '#src/read/numbers/no-show-rates.ts';
import type { ProcessRow } from '#src/store/processes.ts';
import type { KnownSubscription } from '#src/store/subscription-rows.ts';

/** The health of the mirror at one moment. */
export interface MirrorHealth {
  readonly nowMs: number;
  /** As the subscription watch last saw them. */
  readonly subscriptions: readonly Pick<KnownSubscription, 'uri' | 'state' | 'retry_started_at'>[];
  /** Subscriptions that the watch found disabled or deleted within the last hour, replaced or not. */
  readonly lostSubscriptions: readonly LostSubscription[];
  readonly quarantined: number;
  /** Deliveries that were quarantined within the last hour. */
  readonly quarantinedLastHour: number;
  /** Seconds from event to row, of the latest deliveries of the last hour. */
  readonly delaySeconds: readonly number[];
  /** What the last complete reconciliations found, by part. */
  readonly comparisons: readonly Comparison[];
  /** Seconds by which our clock is ahead of the service's (negative when behind); undefined when the service was not called lately. */
  readonly clockSkewSeconds: number | undefined;
  /** The processes that run, as they reported within the last minute. */
  readonly processes: readonly ProcessRow[];
  /** Bookings that ended within a window and how many of them were no-shows, per event type or host. */
  noShowRates(by: RateWindow['by'], withinMs: number): Promise<readonly NoShowRate[]>;
}

export interface LostSubscription {
  readonly uri: string;
  readonly how: 'disabled' | 'missing';
  /** Another subscription was created in its place. */
  readonly isReplaced: boolean;
}

export interface Comparison {
  readonly part: 'recent' | 'full';
  /** Rows found missing, extra or different. */
  readonly rows: number;
  /** Deletes that wait for confirmation. */
  readonly heldBack: number;
  readonly finishedAt: string;
}

/** One thing that is wrong. */
export interface Problem {
  /** What it is about: the URI of a subscription, event type or host, or `mirror`. */
  readonly subject: string;
  /** A few words and numbers without personal data: it is stored. */
  readonly message: string;
}

/** Undefined when the state is unknown at present; the condition then stays as it was. */
export type Problems = readonly Problem[] | undefined;

/** One kind of condition, as code that treats all kinds alike sees it. */
export interface ConditionKind {
  readonly when: string;
  /** The title of its messages. */
  readonly title: string;
  /** One sentence for the documentation. */
  readonly about: string;
  /** The page of the dashboard that shows the problem. */
  readonly page: string;
  /** Alerts that are due at the same time are sent as one message. */
  readonly isGrouped?: boolean;
  readonly options: z.ZodRawShape;
  /** Reads the options from a rule of the rules file, which was validated before. */
  bind(rule: unknown): (health: MirrorHealth) => Promise<Problems> | Problems;
}

interface ConditionDefinition<Options extends z.ZodRawShape> extends Omit<ConditionKind, 'bind'> {
  readonly options: Options;
  find(options: z.output<z.ZodObject<Options>>, health: MirrorHealth): Promise<Problems> | Problems;
}

/** Ties the types of `find` to the options declared beside it. */
export function defineCondition<const Options extends z.ZodRawShape>({
  find,
  ...kind
}: ConditionDefinition<Options>): ConditionKind {
  const options = z.object(kind.options);
  return {
    ...kind,
    bind(rule) {
      const own = options.parse(rule);
      return (health) => find(own, health);
    },
  };
}

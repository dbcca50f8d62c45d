// The contract of a condition: an operational rule, evaluated every minute on the health of the mirror. A condition alerts once while it
// holds, and its alert is retracted when it ends.
import { z } from 'zod';
import type { HealthInput } from '#src/read/health/health.ts';
import type { EndedGroup } from '#src/read/ended-counts.ts';

export interface ConditionInput extends HealthInput {
  /** Bookings that ended within a window and how many of them were no-shows, per event type or host. */
  endedWithin(by: 'event_type' | 'host', withinMs: number): Promise<readonly EndedGroup[]>;
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
  bind(rule: unknown): (health: ConditionInput) => Promise<Problems> | Problems;
}

interface ConditionDefinition<Options extends z.ZodRawShape> extends Omit<ConditionKind, 'bind'> {
  readonly options: Options;
  find(options: z.output<z.ZodObject<Options>>, health: ConditionInput): Promise<Problems> | Problems;
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

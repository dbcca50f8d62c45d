// Faults injected on purpose into deliveries and API responses. They are drawn from the seed, so that a run can be repeated.
import { z } from 'zod';
import { omittable } from '#schemas/wire.ts';
import { randomOf, type Random } from '#src/sandbox/random.ts';

const chanceForm = 'expected a number from 0 to 1, true or false';
const statusForm = `${chanceForm}, or a status from 500 to 599`;

/** 0 to 1; true and false are 1 and 0. */
const chance = omittable(
  z.union([z.boolean().transform(Number), z.number().min(0, chanceForm).max(1, chanceForm)], chanceForm),
);
const pauseMs = omittable(z.int().min(0).max(600_000));

const answerFault = z.strictObject({
  // `*` stands for one part of it.
  path: z.string().regex(/^\//, 'expected a path such as /contacts or /scheduled_events/*/invitees'),
  /** Any method when absent. */
  method: omittable(z.enum(['GET', 'POST', 'PATCH', 'DELETE'])),
  /** Only this page of a list; the first is 1. */
  page: omittable(z.int().min(1)),
  /** How often; always when absent. */
  times: omittable(z.int().min(1)),
  /** 500 when absent. */
  status: omittable(
    z
      .int()
      .min(200)
      .max(599)
      .refine((status) => ![204, 205, 304].includes(status), 'expected a status that has a body'),
  ),
  /** A string is sent as it is, anything else as JSON; the specification's error when absent. */
  body: z.unknown().optional(),
});

export const faultRequest = z.strictObject({
  /** Deliveries: sent twice, never sent, sent out of order. */
  duplicate: chance,
  drop: chance,
  shuffle: chance,
  delay_ms: pauseMs,
  /** Deliveries: a wrong signature, a retry that keeps its first `t`, an envelope time cut to the second. */
  corrupt_signature: chance,
  stale_retries: chance,
  same_second: chance,
  /** API responses: a server error with this probability, or always this status. */
  status: omittable(z.union([chance, z.int(statusForm).min(500, statusForm).max(599, statusForm)], statusForm)),
  /** API responses: 429, and latency. */
  rate_limit: chance,
  latency_ms: pauseMs,
  /** API responses: other answers for single paths, the first that fits, before anything else is checked. */
  answers: omittable(z.array(answerFault).max(100)),
  /** API responses: a page token is refused after this many calls of other paths; with 0 no list has a second page. */
  page_token_calls: omittable(z.int().min(0)),
  /** API responses: the links to other pages name this origin. */
  next_page_origin: omittable(z.url({ protocol: /^https?$/ })),
});

export type Faults = z.output<typeof faultRequest>;
export type AnswerFault = z.output<typeof answerFault>;

export type FaultInjector = ReturnType<typeof createFaultInjector>;

export function createFaultInjector(seed: number) {
  const random = randomOf(seed, 'faults');
  let current: Faults = {};
  return {
    get current(): Faults {
      return current;
    },
    set: (faults: Faults) => void (current = faults),
    /** Whether a fault of this chance occurs now: the next draw of one chain, for answers. */
    occurs: (chance: number | undefined): boolean => chance !== undefined && chance > 0 && random.chance(chance),
    /** The random choices of one message or attempt, independent of all other draws. */
    randomFor: (what: string, ...numbers: readonly number[]): Random => randomOf(seed, 'faults', what, ...numbers),
  };
}

const shuffledByMs = { least: 20, most: 400 } as const;

/** `delayMs`: how long the message is delayed; later messages overtake it. */
export function drawMessageFaults(faults: FaultInjector, message: number) {
  const { drop = 0, duplicate = 0, shuffle = 0, delay_ms = 0 } = faults.current;
  if (drop === 0 && duplicate === 0 && shuffle === 0) return { isDropped: false, copies: 1, delayMs: delay_ms };
  const random = faults.randomFor('message', message);
  const isDropped = random.chance(drop);
  const isDuplicated = random.chance(duplicate);
  const isShuffled = random.chance(shuffle);
  const shuffledMs = random.int(shuffledByMs.least, shuffledByMs.most);
  return { isDropped, copies: isDuplicated ? 2 : 1, delayMs: delay_ms + (isShuffled ? shuffledMs : 0) };
}

/** `stale`: a retry keeps the `t` of its first attempt. */
export function drawAttemptFaults(faults: FaultInjector, message: number, attempt: number) {
  const { corrupt_signature = 0, stale_retries = 0 } = faults.current;
  if (corrupt_signature === 0 && stale_retries === 0) return { corrupt: false, stale: false };
  const random = faults.randomFor('attempt', message, attempt);
  return { corrupt: random.chance(corrupt_signature), stale: random.chance(stale_retries) };
}

/** Whether the envelope's time is cut to the second; drawn once per fact, because all its deliveries carry the same time. */
export function isSameSecond(faults: FaultInjector, fact: number): boolean {
  const { same_second = 0 } = faults.current;
  return same_second > 0 && faults.randomFor('fact', fact).chance(same_second);
}

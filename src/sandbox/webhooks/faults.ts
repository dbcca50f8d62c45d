// What can go wrong on purpose, on deliveries and on answers. Chances are drawn from the seed, so that a run can be repeated.
import { z } from 'zod';
import { omittable } from '#schemas/wire.ts';
import { randomOf } from '#src/sandbox/random.ts';
import type { Random } from '#src/sandbox/random.ts';

const chanceForm = 'expected a number from 0 to 1, true or false';
const statusForm = `${chanceForm}, or a status from 500 to 599`;

/** 0 to 1; true and false are 1 and 0. */
const chance = omittable(
  z.union([z.boolean().transform(Number), z.number().min(0, chanceForm).max(1, chanceForm)], chanceForm),
);
const pauseMs = omittable(z.int().min(0).max(600_000));

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
  /** Answers: a server error (a chance), or always this status. */
  status: omittable(z.union([chance, z.int(statusForm).min(500, statusForm).max(599, statusForm)], statusForm)),
  /** Answers: 429, and slowness. */
  rate_limit: chance,
  latency_ms: pauseMs,
});

export type Faults = z.output<typeof faultRequest>;

export interface FaultInjector {
  readonly current: Faults;
  set(faults: Faults): void;
  /** Whether a fault of this chance occurs now: the next draw of one chain, for answers. */
  occurs(chance: number | undefined): boolean;
  /** The chance of one thing, whatever else is drawn meanwhile. */
  randomFor(what: string, ...numbers: readonly number[]): Random;
}

export function createFaultInjector(seed: number): FaultInjector {
  const random = randomOf(seed, 'faults');
  let current: Faults = {};
  return {
    get current() {
      return current;
    },
    set: (faults) => void (current = faults),
    occurs: (chance) => chance !== undefined && chance > 0 && random.chance(chance),
    randomFor: (what, ...numbers) => randomOf(seed, 'faults', what, ...numbers),
  };
}

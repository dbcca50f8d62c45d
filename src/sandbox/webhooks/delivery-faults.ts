// What chance does to deliveries. Every draw belongs to one message or attempt, so that the timing of others never shifts it.
import type { FaultInjector } from './faults.ts';

export interface MessageFaults {
  readonly isDropped: boolean;
  readonly copies: 1 | 2;
  /** Held back so long, so that later messages overtake it. */
  readonly holdMs: number;
}

export interface AttemptFaults {
  readonly corrupt: boolean;
  /** A retry keeps the `t` of its first attempt. */
  readonly stale: boolean;
}

const shuffledByMs = { least: 20, most: 400 } as const;

export function drawMessageFaults(faults: FaultInjector, message: number): MessageFaults {
  const { drop = 0, duplicate = 0, shuffle = 0, delay_ms = 0 } = faults.current;
  if (drop === 0 && duplicate === 0 && shuffle === 0) return { isDropped: false, copies: 1, holdMs: delay_ms };
  const luck = faults.randomFor('message', message);
  const isDropped = luck.chance(drop);
  const isDuplicated = luck.chance(duplicate);
  const isShuffled = luck.chance(shuffle);
  const shuffledMs = luck.int(shuffledByMs.least, shuffledByMs.most);
  return { isDropped, copies: isDuplicated ? 2 : 1, holdMs: delay_ms + (isShuffled ? shuffledMs : 0) };
}

export function drawAttemptFaults(faults: FaultInjector, message: number, attempt: number): AttemptFaults {
  const { corrupt_signature = 0, stale_retries = 0 } = faults.current;
  if (corrupt_signature === 0 && stale_retries === 0) return { corrupt: false, stale: false };
  const luck = faults.randomFor('attempt', message, attempt);
  return { corrupt: luck.chance(corrupt_signature), stale: luck.chance(stale_retries) };
}

/** Whether the envelope's time is cut to the second; drawn once a fact, because all its deliveries tell the same time. */
export function isSameSecond(faults: FaultInjector, fact: number): boolean {
  const { same_second = 0 } = faults.current;
  return same_second > 0 && faults.randomFor('fact', fact).chance(same_second);
}

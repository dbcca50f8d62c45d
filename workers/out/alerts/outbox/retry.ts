// The retry schedule of a message that was not delivered: twelve attempts over about a day. Pure.
import { dayMs, hourMs, minuteMs } from '#src/base/time.ts';

const delaysMs = [
  5_000,
  15_000,
  45_000,
  2 * minuteMs,
  6 * minuteMs,
  20 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
  8 * hourMs,
  8 * hourMs,
];
/** No header can make an alert wait longer. */
const longestRequestedMs = dayMs;
const jitterShare = 0.1;

export interface AttemptResult {
  /** Attempts so far, including this one. */
  readonly attempts: number;
  /** False when another attempt cannot succeed. */
  readonly retry: boolean;
  /** The delay that the recipient asked for; it can only make the delay longer. */
  readonly requestedMs: number | undefined;
  /** 0 ≤ random < 1. */
  readonly random: number;
}

/** The delay before the next attempt; undefined when the message is given up. */
export function retryDelayMs({ attempts, retry, requestedMs = 0, random }: AttemptResult): number | undefined {
  const delayMs = retry ? delaysMs[attempts - 1] : undefined;
  if (delayMs === undefined) return undefined;
  const jittered = delayMs * (1 + jitterShare * random);
  return Math.round(Math.max(jittered, Math.min(requestedMs, longestRequestedMs)));
}

// When a message that did not get through is tried again, and when it is given up: twelve attempts over about a day. Pure.
const minuteMs = 60_000;
const pausesMs = [
  5_000,
  15_000,
  45_000,
  2 * minuteMs,
  6 * minuteMs,
  20 * minuteMs,
  60 * minuteMs,
  120 * minuteMs,
  240 * minuteMs,
  480 * minuteMs,
  480 * minuteMs,
];
/** No header makes an alert wait longer. */
const longestAskedMs = 24 * 60 * minuteMs;
const jitterShare = 0.1;

export interface Attempted {
  /** This one counted. */
  readonly attempts: number;
  /** False: trying again cannot help. */
  readonly retry: boolean;
  readonly askedMs: number | undefined;
  /** 0 ≤ random < 1. */
  readonly random: number;
}

/** How long to wait; undefined when it is given up. What the other side asks for only ever makes it longer. */
export function pauseAfter({ attempts, retry, askedMs = 0, random }: Attempted): number | undefined {
  const pauseMs = retry ? pausesMs[attempts - 1] : undefined;
  if (pauseMs === undefined) return undefined;
  const jittered = pauseMs * (1 + jitterShare * random);
  return Math.round(Math.max(jittered, Math.min(askedMs, longestAskedMs)));
}

// Limits how often a signed link or a button is used, in windows of a minute. By link and not by address: behind a proxy everybody has the same one.
import { minuteMs } from '#src/base/time.ts';

/** How often a link or a button answers: each answer is recorded, and calls the service. */
export const answersInMinute = 10;

export interface RequestLimit {
  /** Counts a request. False where there were too many in this minute. */
  admits(key: string): boolean;
}

/** Only tokens with a right signature are counted, which bounds the memory. */
export function createRequestLimit(clock: () => number, mostInMinute: number): RequestLimit {
  let window = { sinceMs: 0, counts: new Map<string, number>() };
  return {
    admits(key) {
      const nowMs = clock();
      if (Math.abs(nowMs - window.sinceMs) >= minuteMs) window = { sinceMs: nowMs, counts: new Map() };
      const count = (window.counts.get(key) ?? 0) + 1;
      window.counts.set(key, count);
      return count <= mostInMinute;
    },
  };
}

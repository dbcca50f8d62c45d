// When an HTTP server wants to be called again: `Retry-After`, rate limit headers, and the delay before the next attempt. Pure.
import { backoffMs, type Backoff } from './retry-policy.ts';
import { dayMs } from './time.ts';

/** No single delay is longer, whatever a header says: a wrong one must not stop the mirror for years. */
export const longestDelayMs = 180_000;

/** What the `X-RateLimit-…` headers of a response say; undefined where one is missing or not a number. */
export interface RateLimitStatus {
  /** Calls per window. */
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  readonly resetMs: number | undefined;
}

const wholeNumber = /^\d{1,15}$/;

export function readRateLimit(headers: Headers): RateLimitStatus {
  const number = (name: string): number | undefined => {
    const text = headers.get(name)?.trim() ?? '';
    return wholeNumber.test(text) ? Number(text) : undefined;
  };
  const reset = number('x-ratelimit-reset');
  return {
    limit: number('x-ratelimit-limit'),
    remaining: number('x-ratelimit-remaining'),
    resetMs: reset === undefined ? undefined : reset * 1000,
  };
}

/**
 * The delay a response requests, in milliseconds: `Retry-After` (seconds or a date), else, for a 429, the reset of a limit that
 * is used up. (While calls remain, the 429 concerns another limit.) Undefined when the response requests no valid delay. A delay
 * of more than a day is a mistake and counts as the longest delay.
 */
export function requestedDelayMs(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  nowMs: number,
): number | undefined {
  const { remaining = 0, resetMs } = readRateLimit(headers);
  const untilReset = status === 429 && remaining === 0 ? resetMs : undefined;
  const requested = retryAfterMs(headers.get('retry-after'), nowMs) ?? untilReset;
  if (requested === undefined) return undefined;
  return requested > dayMs ? longestDelayMs : Math.max(0, requested);
}

function retryAfterMs(text: string | null, nowMs: number): number | undefined {
  const trimmed = text?.trim() ?? '';
  if (wholeNumber.test(trimmed)) return Number(trimmed) * 1000;
  // Date.parse accepts almost anything; an HTTP-date begins with a weekday.
  const date = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(trimmed) ? Date.parse(trimmed) : Number.NaN;
  return Number.isNaN(date) ? undefined : date - nowMs;
}

const httpBackoff: Backoff = { firstMs: 500, longestMs: 30_000, jitter: 1 };
const longestJitterMs = 2_000;

export interface HttpRetry {
  /** Failures in a row, at least 1. */
  readonly failures: number;
  readonly requestedMs: number | undefined;
  /** 0 ≤ random < 1. */
  readonly random: number;
}

/** The delay before an HTTP request is repeated: at least the requested delay (up to the longest), plus jitter. */
export function httpRetryDelayMs({ failures, requestedMs, random }: HttpRetry): number {
  if (requestedMs === undefined) return backoffMs(httpBackoff, failures, random);
  const jitterMs = Math.min(backoffMs({ ...httpBackoff, jitter: 0 }, failures), longestJitterMs) * random;
  return Math.min(longestDelayMs, Math.round(requestedMs + jitterMs));
}

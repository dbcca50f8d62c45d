// When an HTTP server wants to be called again.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longestDelayMs, requestedDelayMs, httpRetryDelayMs, readRateLimit } from '#src/base/retry-after.ts';
import { runs } from '../../harness/runs.ts';

const nowMs = Date.parse('2026-11-15T12:00:00Z');
const requested = (status: number, headers: Record<string, string>) =>
  requestedDelayMs({ status, headers: new Headers(headers) }, nowMs);

describe('the delay a response requests', () => {
  const reset = (seconds: string, remaining?: string) => ({
    'x-ratelimit-reset': seconds,
    ...(remaining !== undefined && { 'x-ratelimit-remaining': remaining }),
  });
  const after = (text: string) => ({ 'retry-after': text });

  it.each<[string, number, Record<string, string>, number | undefined]>([
    ['Retry-After in seconds', 429, after('7'), 7_000],
    ['that with spaces', 503, after(' 7 '), 7_000],
    ['Retry-After as a date', 503, after('Sun, 15 Nov 2026 12:00:30 GMT'), 30_000],
    ['0 when the date has passed', 503, after('Sun, 15 Nov 2026 11:00:00 GMT'), 0],
    ['the reset of a limit that is used up', 429, reset('12', '0'), 12_000],
    ['the reset of a limit that may be', 429, reset('12'), 12_000],
    ['not the reset of a limit that is not used up', 429, reset('12', '300'), undefined],
    ['not the reset beside another status', 500, reset('12', '0'), undefined],
    ['Retry-After rather than the reset', 429, { ...after('3'), ...reset('50') }, 3_000],
    ['never years', 429, after('1000000000'), longestDelayMs],
    ['never a reset in years', 429, reset('999999999999999'), longestDelayMs],
    ['never a date in years', 503, after('Fri, 31 Dec 9999 23:59:59 GMT'), longestDelayMs],
    ...['soon', '', '-5', '1.5', '1e9', '0x10', 'NaN', 'tomorrow', '2026-11-15'].map(
      (text): [string, number, Record<string, string>, undefined] => [
        `none for "${text}"`,
        429,
        after(text),
        undefined,
      ],
    ),
  ])('is %s', (_, status, headers, delayMs) => {
    expect(requested(status, headers)).toBe(delayMs);
  });
});

describe('the delay before an HTTP request is repeated', () => {
  const seconds = fc.integer({ min: 0, max: 100_000_000 });
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const count = fc.integer({ min: 1, max: 1_000_000 });

  it('is at least the requested delay and at most the longest delay; at most 30 seconds when none was requested', () => {
    fc.assert(
      fc.property(fc.option(seconds), random, count, (wanted, luck, failures) => {
        const requestedMs = wanted === null ? undefined : wanted * 1000;
        const pause = httpRetryDelayMs({ failures, requestedMs, random: luck });
        expect(pause).toBeGreaterThanOrEqual(Math.min(requestedMs ?? 0, longestDelayMs));
        expect(pause).toBeLessThanOrEqual(requestedMs === undefined ? 30_000 : longestDelayMs);
      }),
      runs(200),
    );
  });

  it('doubles with full jitter, up to 30 seconds, when no delay was requested', () => {
    const most = (failures: number) => httpRetryDelayMs({ failures, requestedMs: undefined, random: 0.999_999 });
    expect([1, 2, 3, 4, 50].map(most)).toEqual([500, 1000, 2000, 4000, 30_000]);
    expect(httpRetryDelayMs({ failures: 9, requestedMs: undefined, random: 0 })).toBe(0);
  });
});

it('rate limit headers that are not numbers are ignored', () => {
  const headers = new Headers({ 'x-ratelimit-limit': 'many', 'x-ratelimit-remaining': '-1', 'x-ratelimit-reset': '' });
  expect(readRateLimit(headers)).toEqual({ limit: undefined, remaining: undefined, resetMs: undefined });
});

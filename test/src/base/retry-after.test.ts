// When an HTTP server wants to be called again.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longestDelayMs, requestedDelayMs, httpRetryDelayMs, readRateLimit } from '#src/base/retry-after.ts';
import { runs } from '../../harness/runs.ts';

const nowMs = Date.parse('2026-11-15T12:00:00Z');
const requested = (status: number, headers: Record<string, string>) =>
  requestedDelayMs({ status, headers: new Headers(headers) }, nowMs);

describe('the delay a response requests', () => {
  it('is Retry-After in seconds', () => {
    expect(requested(429, { 'retry-after': '7' })).toBe(7_000);
    expect(requested(503, { 'retry-after': ' 7 ' })).toBe(7_000);
  });

  it('is Retry-After as a date, and 0 when the date has passed', () => {
    expect(requested(503, { 'retry-after': 'Sun, 15 Nov 2026 12:00:30 GMT' })).toBe(30_000);
    expect(requested(503, { 'retry-after': 'Sun, 15 Nov 2026 11:00:00 GMT' })).toBe(0);
  });

  it('is the reset of a limit that is used up', () => {
    expect(requested(429, { 'x-ratelimit-reset': '12', 'x-ratelimit-remaining': '0' })).toBe(12_000);
    expect(requested(429, { 'x-ratelimit-reset': '12' })).toBe(12_000);
  });

  it('is not the reset of a limit that is not used up, nor of a response other than 429', () => {
    expect(requested(429, { 'x-ratelimit-reset': '12', 'x-ratelimit-remaining': '300' })).toBeUndefined();
    expect(requested(500, { 'x-ratelimit-reset': '12', 'x-ratelimit-remaining': '0' })).toBeUndefined();
  });

  it('is undefined when the header is invalid, and never years', () => {
    for (const text of ['soon', '', '-5', '1.5', '1e9', '0x10', 'NaN', 'tomorrow', '2026-11-15'])
      expect(requested(429, { 'retry-after': text })).toBeUndefined();
    expect(requested(429, { 'retry-after': '1000000000' })).toBe(longestDelayMs);
    expect(requested(429, { 'x-ratelimit-reset': '999999999999999' })).toBe(longestDelayMs);
    expect(requested(503, { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' })).toBe(longestDelayMs);
  });

  it('prefers Retry-After over the reset', () => {
    expect(requested(429, { 'retry-after': '3', 'x-ratelimit-reset': '50' })).toBe(3_000);
  });
});

describe('the delay before an HTTP request is repeated', () => {
  const seconds = fc.integer({ min: 0, max: 100_000_000 });
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const count = fc.integer({ min: 1, max: 1_000_000 });

  it('is at least the requested delay and at most the longest delay', () => {
    fc.assert(
      fc.property(seconds, random, count, (wanted, luck, failures) => {
        const requestedMs = wanted * 1000;
        const pause = httpRetryDelayMs({ failures, requestedMs, random: luck });
        expect(pause).toBeGreaterThanOrEqual(Math.min(requestedMs, longestDelayMs));
        expect(pause).toBeLessThanOrEqual(longestDelayMs);
      }),
      runs(100),
    );
  });

  it('doubles with full jitter, up to 30 seconds, when no delay was requested', () => {
    const most = (failures: number) => httpRetryDelayMs({ failures, requestedMs: undefined, random: 0.999_999 });
    expect([1, 2, 3, 4].map(most)).toEqual([500, 1000, 2000, 4000]);
    expect(most(50)).toBe(30_000);
    fc.assert(
      fc.property(random, count, (luck, failures) => {
        const pause = httpRetryDelayMs({ failures, requestedMs: undefined, random: luck });
        expect(pause).toBeGreaterThanOrEqual(0);
        expect(pause).toBeLessThanOrEqual(30_000);
      }),
      runs(100),
    );
    expect(httpRetryDelayMs({ failures: 9, requestedMs: undefined, random: 0 })).toBe(0);
  });
});

it('rate limit headers that are not numbers are ignored', () => {
  const headers = new Headers({ 'x-ratelimit-limit': 'many', 'x-ratelimit-remaining': '-1', 'x-ratelimit-reset': '' });
  expect(readRateLimit(headers)).toEqual({ limit: undefined, remaining: undefined, resetMs: undefined });
});

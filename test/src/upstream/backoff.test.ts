// How long the client waits before it asks again.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longestPauseMs, pauseAskedBy, pauseBefore, rateToldBy } from '#src/upstream/backoff.ts';

const nowMs = Date.parse('2026-11-15T12:00:00Z');
const asked = (status: number, headers: Record<string, string>) =>
  pauseAskedBy({ status, headers: new Headers(headers) }, nowMs);

describe('what an answer asks for', () => {
  it('is Retry-After in seconds', () => {
    expect(asked(429, { 'retry-after': '7' })).toBe(7_000);
    expect(asked(503, { 'retry-after': ' 7 ' })).toBe(7_000);
  });

  it('is Retry-After as a date, and nothing when that has passed', () => {
    expect(asked(503, { 'retry-after': 'Sun, 15 Nov 2026 12:00:30 GMT' })).toBe(30_000);
    expect(asked(503, { 'retry-after': 'Sun, 15 Nov 2026 11:00:00 GMT' })).toBe(0);
  });

  it('is the reset of a limit that is used up', () => {
    expect(asked(429, { 'x-ratelimit-reset': '12', 'x-ratelimit-remaining': '0' })).toBe(12_000);
    expect(asked(429, { 'x-ratelimit-reset': '12' })).toBe(12_000);
  });

  it('is not the reset of a limit that is not used up, nor of an answer that is no 429', () => {
    expect(asked(429, { 'x-ratelimit-reset': '12', 'x-ratelimit-remaining': '300' })).toBeUndefined();
    expect(asked(500, { 'x-ratelimit-reset': '12', 'x-ratelimit-remaining': '0' })).toBeUndefined();
  });

  it('is nothing when it makes no sense, and never years', () => {
    for (const text of ['soon', '', '-5', '1.5', '1e9', '0x10', 'NaN', 'tomorrow', '2026-11-15'])
      expect(asked(429, { 'retry-after': text })).toBeUndefined();
    expect(asked(429, { 'retry-after': '1000000000' })).toBe(longestPauseMs);
    expect(asked(429, { 'x-ratelimit-reset': '999999999999999' })).toBe(longestPauseMs);
    expect(asked(503, { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' })).toBe(longestPauseMs);
  });

  it('prefers Retry-After over the reset', () => {
    expect(asked(429, { 'retry-after': '3', 'x-ratelimit-reset': '50' })).toBe(3_000);
  });
});

describe('the pause', () => {
  const seconds = fc.integer({ min: 0, max: 100_000_000 });
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const attempt = fc.integer({ min: 1, max: 1_000_000 });

  it('is never shorter than what was asked for, up to the longest pause, and never longer than that', () => {
    fc.assert(
      fc.property(seconds, random, attempt, (wanted, luck, tries) => {
        const askedMs = wanted * 1000;
        const pause = pauseBefore({ attempt: tries, askedMs, random: luck });
        expect(pause).toBeGreaterThanOrEqual(Math.min(askedMs, longestPauseMs));
        expect(pause).toBeLessThanOrEqual(longestPauseMs);
      }),
    );
  });

  it('grows when nothing was asked for, with full jitter, to half a minute at most', () => {
    const most = (tries: number) => pauseBefore({ attempt: tries, askedMs: undefined, random: 0.999_999 });
    expect([1, 2, 3, 4].map(most)).toEqual([500, 1000, 2000, 4000]);
    expect(most(50)).toBe(30_000);
    fc.assert(
      fc.property(random, attempt, (luck, tries) => {
        const pause = pauseBefore({ attempt: tries, askedMs: undefined, random: luck });
        expect(pause).toBeGreaterThanOrEqual(0);
        expect(pause).toBeLessThanOrEqual(30_000);
      }),
    );
    expect(pauseBefore({ attempt: 9, askedMs: undefined, random: 0 })).toBe(0);
  });
});

it('rate headers that are no numbers tell nothing', () => {
  const headers = new Headers({ 'x-ratelimit-limit': 'many', 'x-ratelimit-remaining': '-1', 'x-ratelimit-reset': '' });
  expect(rateToldBy(headers)).toEqual({ limit: undefined, remaining: undefined, resetMs: undefined });
});

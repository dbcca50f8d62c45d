// Durations and the sleep that an abort ends.
import { expect, it } from 'vitest';
import { durationMs, msUntilNext, sleepUnlessAborted } from '#src/base/time.ts';

it('a duration is read in milliseconds, as the sum of its parts', () => {
  expect(['30s', '5m', '1d 12h', '250ms', '0'].map(durationMs)).toEqual([30_000, 300_000, 129_600_000, 250, 0]);
});

it('a sleep returns early, without an error, when it is aborted', async () => {
  const aborting = new AbortController();
  const sleeping = sleepUnlessAborted(60_000, aborting.signal, { ref: false });
  aborting.abort();
  await sleeping;
  await sleepUnlessAborted(60_000, aborting.signal);
});

it('loops with one period wake together, whenever they began, after about one period', () => {
  const everyMs = 200;
  for (const beganMs of [1_000, 1_000.3, 1_040, 1_099.9, 1_100.5, 1_160, 1_199.9]) {
    const sleptMs = msUntilNext(everyMs, beganMs);
    expect((beganMs + sleptMs) % everyMs).toBeLessThan(1);
    expect(sleptMs).toBeGreaterThanOrEqual(everyMs / 2);
    expect(sleptMs).toBeLessThan(everyMs * 1.5);
  }
});

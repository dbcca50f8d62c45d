// A histogram that formats itself reads like one of prom-client; percentiles of recent values.
import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { recentCounts, recentMs, recentValues, tallyBuckets } from '#src/observability/metrics/tallies.ts';
import { runs } from '../../../harness/runs.ts';

it('has the same text as the same histogram of prom-client, whatever is observed', async () => {
  const value = fc.oneof(
    fc.constantFrom(0, 0.001, 0.005, 0.25, 0.250001, 3),
    fc.double({ min: 0, max: 1, noNaN: true }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(value, { maxLength: 30 }), async (values) => {
      const bounds = [0.001, 0.005, 0.25];
      const registry = new Registry();
      const theirs = new Histogram({ name: 'slotstream_a', help: 'A.', buckets: bounds, registers: [registry] });
      const ours = tallyBuckets({ name: 'a', help: 'A.', bounds });
      for (const each of values) {
        theirs.observe(each);
        ours.observe(each);
      }
      expect(ours.text()).toBe(await registry.metrics());
    }),
    runs(50),
  );
});

describe('recent values', () => {
  it('have percentiles of the last minutes only', () => {
    let nowMs = 0;
    const values = recentValues(() => nowMs);
    expect(values.percentiles()).toBeUndefined();
    values.add(900);
    nowMs = recentMs + 1;
    expect(values.percentiles()).toBeUndefined();
    for (let value = 1; value <= 100; value += 1) values.add(value);
    expect(values.percentiles()).toEqual({ p50: 50, p99: 99 });
  });

  it('are the latest few thousand', () => {
    const values = recentValues(() => 0);
    for (let value = 0; value < 10_000; value += 1) values.add(value < 5_000 ? 1_000_000 : 1);
    expect(values.percentiles()).toEqual({ p50: 1, p99: 1 });
  });
});

it('recent counts are those of the last minutes only', () => {
  let nowMs = 0;
  const recently = recentCounts(() => nowMs);
  const counts = { accepted: 5, refused: 4, stale: 3, losses: 2 };
  recently.remember(counts);
  const later = { accepted: 9, refused: 7, stale: 5, losses: 3 };
  expect(recently.of(later)).toEqual(later);
  nowMs = recentMs;
  recently.remember(later);
  expect(recently.of(later)).toEqual({ accepted: 4, refused: 3, stale: 2, losses: 1 });
  nowMs = 2 * recentMs;
  recently.remember(later);
  expect(recently.of(later)).toEqual({ accepted: 0, refused: 0, stale: 0, losses: 0 });
});

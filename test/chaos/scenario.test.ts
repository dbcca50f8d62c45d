// The checks of a chaos run fail where they should: each planted failure is named, and a clean run has none.
import { describe, expect, it } from 'vitest';
import { withResults } from './report.ts';
import { failuresOf, partsNotReady } from './scenario.ts';

const counts = { lost: 0, unsent: 0, duplicated: 0, wrong: 0, invented: 0, quarantinedWrongly: 0 };
const verdict = { deliveries: 10, acknowledged: 10, ...counts, leaked: [], findings: [] };
const clean = { verdict, recoveryMs: 50, alerts: { expected: 3, reported: 3, unexpected: 0 }, notReady: [] };

type Outcome = Parameters<typeof failuresOf>[0];

describe('a row of the chaos run', () => {
  it('holds when nothing went wrong', () => {
    expect(failuresOf(clean)).toEqual([]);
  });

  it.each<[reason: string, outcome: Outcome]>([
    ...Object.keys(counts).map((count): [string, Outcome] => [
      `2 ${count}`,
      { ...clean, verdict: { ...verdict, [count]: 2 } },
    ]),
    ['in logs: email', { ...clean, verdict: { ...verdict, leaked: ['email'] } }],
    ['nothing was acknowledged', { ...clean, verdict: { ...verdict, acknowledged: 0 } }],
    ['a row differs', { ...clean, verdict: { ...verdict, findings: ['a row differs'] } }],
    ['not level again', { ...clean, recoveryMs: Number.POSITIVE_INFINITY }],
    ['2 no-shows were not reported', { ...clean, alerts: { expected: 3, reported: 1, unexpected: 0 } }],
    ['1 alerts or retractions about nothing', { ...clean, alerts: { expected: 3, reported: 3, unexpected: 1 } }],
    ['worker 2 is not ready', { ...clean, notReady: ['worker 2'] }],
  ])('fails: %s', (reason, outcome) => {
    expect(failuresOf(outcome)).toEqual([expect.stringContaining(reason)]);
  });

  it('waits until every process is ready, and names those that never are', async () => {
    let looks = 0;
    const late = { name: 'receiver', isReady: async () => (looks += 1) > 2 };
    expect(await partsNotReady([late])).toEqual([]);
    expect(looks).toBe(3);
    const never = { name: 'worker 2', isReady: async () => false };
    expect(await partsNotReady([late, never], 30)).toEqual(['worker 2']);
  });
});

it('the page has the results of a run in the place of earlier ones, and says of a row that failed, that it failed', () => {
  const named = { name: 'a fault', on: 'Redis + PostgreSQL', seed: 1, evidence: 'a | b' };
  const row = { ...clean, ...named, p99Ms: 10, seconds: 1, failures: ['1 lost'], outputs: {} };
  const run = { seed: 1, begun: '2026-01-01', minutes: 1, jobs: 1, rows: [row], notRun: [], failed: [] };
  const page = withResults('# Chaos\n\n## Seed 0\n\n| old |\n\n## Not tested\n\n- More.\n', [run]);
  expect(page).toMatch(/^# Chaos\n\n## Seed 1, .*\n\n## Not tested\n\n- More\.\n$/s);
  expect(page.match(/^\| (?!fault ).*$/gm)).toEqual([
    '| **FAILED** a fault | Redis + PostgreSQL | 10 | 10 | 0 | 0 | 0 | 3/3 | 0.1 | 10 | 1 | a \\| b |',
  ]);
});

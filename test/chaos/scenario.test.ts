// The checks of a chaos run fail where they should: each planted failure is named, and a clean run has none.
import { describe, expect, it } from 'vitest';
import { failuresOf } from './scenario.ts';

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
});

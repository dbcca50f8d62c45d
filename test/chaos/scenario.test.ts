// The checks of a chaos run fail where they should: each planted failure is named, and a clean run has none.
import { describe, expect, it } from 'vitest';
import { failuresOf, partsNotReady } from './scenario.ts';

const verdict = {
  deliveries: 10,
  acknowledged: 10,
  lost: 0,
  unsent: 0,
  duplicated: 0,
  wrong: 0,
  invented: 0,
  quarantinedWrongly: 0,
  leaked: [],
  findings: [],
};
const clean = { verdict, recoveryMs: 50, alerts: { expected: 3, reported: 3, unexpected: 0 }, notReady: [] };

describe('a row of the chaos run', () => {
  it('holds when nothing went wrong', () => {
    expect(failuresOf(clean)).toEqual([]);
  });

  it.each([
    [{ ...clean, verdict: { ...verdict, lost: 2 } }, '2 lost'],
    [{ ...clean, verdict: { ...verdict, unsent: 1 } }, '1 unsent'],
    [{ ...clean, verdict: { ...verdict, duplicated: 1 } }, '1 duplicated'],
    [{ ...clean, verdict: { ...verdict, wrong: 4 } }, '4 wrong'],
    [{ ...clean, verdict: { ...verdict, invented: 1 } }, '1 invented'],
    [{ ...clean, verdict: { ...verdict, quarantinedWrongly: 1 } }, '1 quarantinedWrongly'],
    [{ ...clean, verdict: { ...verdict, leaked: ['email'] } }, 'in logs: email'],
    [{ ...clean, verdict: { ...verdict, acknowledged: 0 } }, 'nothing was acknowledged'],
    [{ ...clean, verdict: { ...verdict, findings: ['a row differs'] } }, 'a row differs'],
    [{ ...clean, recoveryMs: Number.POSITIVE_INFINITY }, 'not level again'],
    [{ ...clean, alerts: { expected: 3, reported: 1, unexpected: 0 } }, '2 no-shows were not reported'],
    [{ ...clean, alerts: { expected: 3, reported: 3, unexpected: 1 } }, '1 alerts or retractions about nothing'],
    [{ ...clean, notReady: ['worker 2'] }, 'worker 2 is not ready'],
  ])('%# fails by what went wrong', (outcome, reason) => {
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

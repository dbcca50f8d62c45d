import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Alert } from '#src/store/alerts/alert-rows.ts';
import { dispatchOf, type Departing } from '#workers/alerts/outbox/plan.ts';
import { timeOf } from '#workers/alerts/outbox/apply.ts';
import { runs } from '../../../harness/runs.ts';

const nowMs = Date.parse('2026-03-04T12:00:00Z');
const alertOf = (id: string, more: Partial<Alert> = {}): Alert => ({
  id,
  rule: 'plain',
  channel: 'slack',
  subjectUri: `https://api.example.test/${id}`,
  fact: 'fact',
  follows: null,
  state: 'pending',
  attempts: 0,
  lastError: null,
  episode: 1,
  digest: null,
  detail: null,
  occurredAt: timeOf(nowMs),
  dueAt: timeOf(nowMs - 1_000),
  nextAt: timeOf(nowMs - 1_000),
  claimedAt: null,
  sentAt: null,
  createdAt: timeOf(nowMs),
  updatedAt: timeOf(nowMs),
  ...more,
});
const rulesOf = (...rules: readonly Partial<Departing>[]) =>
  new Map(rules.map((rule) => [rule.name ?? '', { name: '', quiet: undefined, digestMs: undefined, ...rule }]));
const rules = rulesOf(
  { name: 'plain' },
  { name: 'gathered', digestMs: 60_000 },
  { name: 'nightly', digestMs: 86_400_000, quiet: { from: '22:00', to: '06:00', timezone: 'UTC' } },
  { name: 'resting', quiet: { from: '11:00', to: '13:00', timezone: 'UTC' } },
);

describe('what is due', () => {
  it('leaves one by one, the longest due first, under a name for each attempt', () => {
    const late = alertOf('b', { nextAt: timeOf(nowMs - 5_000) });
    const { changes, jobs } = dispatchOf([alertOf('a'), late], rules, nowMs);
    expect(changes).toEqual([]);
    expect(jobs.map(({ data }) => data.alerts)).toEqual([['b'], ['a']]);
    const [again] = dispatchOf([{ ...late, nextAt: timeOf(nowMs - 4_000) }], rules, nowMs).jobs;
    expect(again?.id).not.toBe(jobs[0]?.id);
    expect(jobs.map(({ id }) => id).join()).not.toContain(':');
  });

  it('goes to the sender where its rule is gone, who says so', () => {
    expect(dispatchOf([alertOf('a', { rule: 'gone' })], rules, nowMs).jobs).toHaveLength(1);
  });

  it('waits for the end of quiet hours, also when it was due before them', () => {
    const dueAt = timeOf(nowMs - 7_200_000);
    const { changes, jobs } = dispatchOf([alertOf('a', { rule: 'resting', dueAt })], rules, nowMs);
    expect(changes).toEqual([{ id: 'a', nextAt: '2026-03-04T13:00:00.000000Z' }]);
    expect(jobs).toEqual([]);
  });

  it('leaves in the morning where the full period of its digest falls into the night', () => {
    const alert = alertOf('a', { rule: 'nightly' });
    const [{ nextAt } = { nextAt: '' }] = dispatchOf([alert], rules, nowMs).changes;
    expect(nextAt).toBe('2026-03-05T06:00:00.000000Z');
    expect(dispatchOf([{ ...alert, nextAt }], rules, Date.parse(nextAt)).jobs).toHaveLength(1);
  });

  it('is gathered by rule into one message, whose name depends on those in it and on nothing else', () => {
    const some = fc.uniqueArray(fc.stringMatching(/^[a-f0-9]{8}$/), { minLength: 1, maxLength: 20 });
    const gatheredOf = (ids: readonly string[]) => {
      const due = ids.map((id, n) => alertOf(id, { rule: 'gathered', dueAt: timeOf(nowMs - 60_000 - n) }));
      return dispatchOf(due, rules, nowMs);
    };
    fc.assert(
      fc.property(some, (ids) => {
        const [one, other] = [gatheredOf(ids), gatheredOf(ids.toReversed())];
        expect(one.jobs).toHaveLength(1);
        expect(one.jobs[0]?.id).toBe(other.jobs[0]?.id);
        expect(new Set(one.changes.map(({ digest }) => digest)).size).toBe(1);
        expect(one.jobs[0]?.data.alerts.toSorted()).toEqual(ids.toSorted());
        expect(gatheredOf([...ids, 'another']).jobs[0]?.id).not.toBe(one.jobs[0]?.id);
      }),
      runs(100),
    );
  });

  it('stays in the digest that it was put into, apart from those that come later', () => {
    const gathered = { rule: 'gathered', dueAt: timeOf(nowMs - 60_000) };
    const due = [alertOf('a', { ...gathered, digest: 'digest-1' }), alertOf('b', gathered)];
    expect(dispatchOf(due, rules, nowMs).jobs.map(({ data }) => data.alerts)).toEqual([['a'], ['b']]);
  });
});

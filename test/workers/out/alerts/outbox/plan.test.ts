import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instantOf } from '#src/base/time.ts';
import type { Alert } from '#src/store/alerts/alert-rows.ts';
import { planSends, type SendTimes } from '#workers/out/alerts/outbox/plan.ts';
import { runs } from '../../../../harness/runs.ts';

const nowMs = Date.parse('2026-03-04T12:00:00Z');
const alertOf = (id: string, more: Partial<Alert> = {}): Alert => ({
  id,
  rule: 'plain',
  channel: 'slack',
  subject_uri: `https://api.example.test/${id}`,
  fact: 'fact',
  state: 'pending',
  attempts: 0,
  last_error: null,
  episode: 1,
  digest: null,
  detail: null,
  posted: null,
  occurred_at: instantOf(nowMs),
  due_at: instantOf(nowMs - 1_000),
  next_at: instantOf(nowMs - 1_000),
  claimed_at: null,
  sent_at: null,
  created_at: instantOf(nowMs),
  updated_at: instantOf(nowMs),
  ...more,
});
const rulesOf = (...rules: readonly Partial<SendTimes>[]) =>
  new Map(rules.map((rule) => [rule.name ?? '', { name: '', quiet: undefined, digest: undefined, ...rule }]));
const rules = rulesOf(
  { name: 'plain' },
  { name: 'personal', hostsOf: () => [] },
  { name: 'report', isReport: true },
  { name: 'gathered', digest: 60_000 },
  { name: 'grouped', isGrouped: true },
  { name: 'resting', quiet: { from: '11:00', to: '13:00', timezone: 'UTC' } },
);

const planAt = (due: readonly Alert[], atMs = nowMs) => planSends(due, { rules, nowMs: atMs });
const idsOf = (messages: readonly (readonly Alert[])[]) => messages.map((alerts) => alerts.map(({ id }) => id));

describe('due alerts', () => {
  it('are sent one by one, the longest due first', () => {
    const late = alertOf('b', { next_at: instantOf(nowMs - 5_000) });
    const { postponed, messages } = planAt([alertOf('a'), late]);
    expect(postponed).toEqual([]);
    expect(idsOf(messages)).toEqual([['b'], ['a']]);
  });

  const many = (count: number, more: Partial<Alert> = {}) =>
    Array.from({ length: count }, (_, n) => alertOf(`m${String(n).padStart(2, '0')}`, more));
  const recentOf = (messages: number, digestAt?: string) => new Map([['plain', { messages, digestAt }]]);

  it('are one message from the eleventh of a rule within a minute on', () => {
    expect(planAt(many(10)).messages).toHaveLength(10);
    expect(planAt(many(11)).messages).toMatchObject([
      many(11).map(({ id }) => ({ id, digest: expect.stringMatching(/^digest-/) as string })),
    ]);
    const after = planSends(many(3), { rules, nowMs, recent: recentOf(8) });
    expect(idsOf(after.messages)).toEqual([['m00', 'm01', 'm02']]);
    expect(planSends(many(3), { rules, nowMs, recent: recentOf(7) }).messages).toHaveLength(3);
  });

  it('of a burst are collected for half a minute after the last message that had several', () => {
    const recent = recentOf(10, instantOf(nowMs - 20_000));
    const { postponed, messages } = planSends(many(2), { rules, nowMs, recent });
    expect(messages).toEqual([]);
    expect(postponed).toEqual(many(2).map(({ id }) => ({ id, next_at: instantOf(nowMs + 10_000) })));
    expect(planSends(many(2), { rules, nowMs: nowMs + 10_000, recent }).messages).toHaveLength(1);
    expect(planSends(many(1), { rules, nowMs: nowMs + 10_000, recent }).messages).toMatchObject([[{ digest: null }]]);
  });

  it.each([
    ['to a program', { channel: 'webhook' }],
    ['as incidents', { channel: 'pagerduty' }],
    ['for single hosts', { rule: 'personal' }],
    ['as reports', { rule: 'report' }],
    ['that were tried before', { attempts: 1 }],
    ['that may have arrived', { claimed_at: instantOf(nowMs - 60_000) }],
  ])('%s are single messages, however many', (_what, more) => {
    expect(planAt(many(12, more)).messages).toHaveLength(12);
  });

  it('are one message at the end of quiet hours', () => {
    const held = { rule: 'resting', due_at: instantOf(nowMs) };
    const endMs = nowMs + 3_600_000;
    const later = alertOf('later', { rule: 'resting', due_at: instantOf(endMs) });
    expect(idsOf(planAt([...many(2, held), later], endMs).messages).toSorted()).toEqual([['later'], ['m00', 'm01']]);
    expect(planAt(many(1, held), endMs).messages).toMatchObject([[{ digest: null }]]);
  });

  it('wait for the end of quiet hours, also when they were due before', () => {
    const due_at = instantOf(nowMs - 7_200_000);
    const { postponed, messages } = planAt([alertOf('a', { rule: 'resting', due_at })]);
    expect(postponed).toEqual([{ id: 'a', next_at: '2026-03-04T13:00:00.000000Z' }]);
    expect(messages).toEqual([]);
  });

  it('are collected per rule into one message, whose id depends on the alerts in it and on nothing else', () => {
    const some = fc.uniqueArray(fc.stringMatching(/^[a-f0-9]{8}$/), { minLength: 1, maxLength: 20 });
    const digestOf = (ids: readonly string[]) => {
      const due = ids.map((id, n) => alertOf(id, { rule: 'gathered', due_at: instantOf(nowMs - 60_000 - n) }));
      return planAt(due);
    };
    const digestIdOf = ({ messages }: ReturnType<typeof planAt>) => messages[0]?.[0]?.digest;
    fc.assert(
      fc.property(some, (ids) => {
        const [one, other] = [digestOf(ids), digestOf(ids.toReversed())];
        expect(one.messages).toHaveLength(1);
        expect(digestIdOf(one)).toBe(digestIdOf(other));
        expect(new Set(one.postponed.map(({ digest }) => digest))).toEqual(new Set([digestIdOf(one)]));
        expect(idsOf(one.messages)[0]?.toSorted()).toEqual(ids.toSorted());
        expect(digestIdOf(digestOf([...ids, 'another']))).not.toBe(digestIdOf(one));
      }),
      runs(100),
    );
  });

  it('of a rule that groups them are one message at once; one alone is an ordinary alert', () => {
    const due = ['a', 'b', 'c'].map((id) => alertOf(id, { rule: 'grouped' }));
    const { messages, postponed } = planAt(due);
    expect(idsOf(messages)).toEqual([['a', 'b', 'c']]);
    expect(postponed.every(({ next_at }) => next_at === instantOf(nowMs))).toBe(true);
    expect(planAt(due.slice(0, 1))).toEqual({ postponed: [], messages: [due.slice(0, 1)] });
  });

  it.each(['grouped', 'gathered'])('that open incidents stay apart, also of a rule with %s alerts', (rule) => {
    const due_at = instantOf(nowMs - 60_000);
    const due = ['a', 'b'].map((id) => alertOf(id, { rule, channel: 'pagerduty', due_at }));
    expect(idsOf(planAt(due).messages)).toEqual([['a'], ['b']]);
  });

  it('that open incidents wait for the end of the digest period, and are then sent one by one', () => {
    const digestAt = (due_at: string) =>
      planAt(['a', 'b'].map((id) => alertOf(id, { rule: 'gathered', channel: 'pagerduty', due_at })));
    const ended = digestAt(instantOf(nowMs - 60_000));
    expect([idsOf(ended.messages), ended.postponed]).toEqual([[['a'], ['b']], []]);
    const waiting = digestAt(instantOf(nowMs + 1));
    expect([idsOf(waiting.messages), waiting.postponed.length]).toEqual([[], 2]);
  });

  it('stay in the digest they were put into, apart from later ones', () => {
    const gathered = { rule: 'gathered', due_at: instantOf(nowMs - 60_000) };
    const due = [alertOf('a', { ...gathered, digest: 'digest-1' }), alertOf('b', gathered)];
    expect(idsOf(planAt(due).messages)).toEqual([['a'], ['b']]);
  });
});

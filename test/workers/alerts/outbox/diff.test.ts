import { describe, expect, it } from 'vitest';
import { settle, type Standing, type Wanted } from '#workers/alerts/outbox/diff.ts';

const nowMs = Date.UTC(2026, 10, 16, 12);
const age = { nowMs, maxAgeMs: 86_400_000 };
const at = (hoursAgo: number) => new Date(nowMs - hoursAgo * 3_600_000).toISOString();
const wanted = (hoursAgo = 1): Wanted => ({ id: 'a', rule: 'r', channel: 'log', fact: 'f', occurredAt: at(hoursAgo) });
const row = (known: Partial<Standing>): Standing => ({
  id: 'a',
  state: 'pending',
  claimedAt: null,
  sentAt: null,
  createdAt: at(0),
  follows: null,
  ...known,
});
const followUp = (known: Partial<Standing> = {}) => row({ id: 'a-retraction', follows: 'a', ...known });
const kinds = (...given: Parameters<typeof settle>) => settle(...given).map(({ kind }) => kind);

describe('what is so and what was said', () => {
  it('leads to one alert, however often it is so', () => {
    expect(kinds([wanted()], [], age)).toEqual(['add']);
    for (const state of ['pending', 'sent', 'failed'] as const)
      expect(kinds([wanted()], [row({ state })], age)).toEqual([]);
  });

  it('leads to nothing when it is too old, however it comes', () => {
    expect(kinds([wanted(25)], [], age)).toEqual([]);
    expect(kinds([wanted(24)], [], age)).toEqual(['add']);
    expect(kinds([wanted(25)], [row({ state: 'retracted' })], age)).toEqual([]);
  });

  it('stays said as time passes, and is taken back when it turns out to be older than it seemed', () => {
    expect(kinds([wanted(30)], [row({ state: 'sent', createdAt: at(20) })], age)).toEqual([]);
    expect(kinds([wanted(50)], [row({ state: 'sent', createdAt: at(20) })], age)).toEqual(['retract']);
  });

  it('is silenced when nobody was told, and taken back when somebody was', () => {
    expect(kinds([], [row({})], age)).toEqual(['silence']);
    expect(kinds([], [row({ state: 'failed' })], age)).toEqual(['silence']);
    expect(kinds([], [row({ state: 'sent', sentAt: at(0) })], age)).toEqual(['retract']);
    expect(kinds([], [row({ state: 'retracted' }), followUp()], age)).toEqual([]);
  });

  it('stands again without a word while the follow-up has not left, and is said anew once it has, or may have', () => {
    const said = row({ state: 'retracted', sentAt: at(0) });
    expect(kinds([wanted()], [said, followUp()], age)).toEqual(['uphold']);
    expect(kinds([wanted()], [said, followUp({ state: 'failed' })], age)).toEqual(['uphold']);
    expect(kinds([wanted()], [said, followUp({ claimedAt: at(0) })], age)).toEqual(['renew']);
    expect(kinds([wanted()], [said, followUp({ state: 'sent' })], age)).toEqual(['renew']);
    expect(kinds([wanted()], [row({ state: 'retracted' })], age)).toEqual(['renew']);
  });
});

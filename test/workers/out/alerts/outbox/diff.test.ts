import { describe, expect, it } from 'vitest';
import { diffAlerts, type DesiredAlert, type ExistingAlert } from '#workers/out/alerts/outbox/diff.ts';

const nowMs = Date.UTC(2026, 10, 16, 12);
const age = { nowMs, maxAgeMs: 86_400_000 };
const at = (hoursAgo: number) => new Date(nowMs - hoursAgo * 3_600_000).toISOString();
const desired = (hoursAgo = 1): DesiredAlert => ({ id: 'a', occurred_at: at(hoursAgo) });
const row = (known: Partial<ExistingAlert>): ExistingAlert => ({
  id: 'a',
  state: 'pending',
  claimed_at: null,
  sent_at: null,
  created_at: at(0),
  ...known,
});
const kinds = (...given: Parameters<typeof diffAlerts>) => diffAlerts(...given).map(({ kind }) => kind);

describe('the difference between facts and alerts', () => {
  it('is one alert per fact, however often the fact is found', () => {
    expect(kinds([desired()], [], age)).toEqual(['add']);
    for (const state of ['pending', 'sent', 'failed'] as const)
      expect(kinds([desired()], [row({ state })], age)).toEqual([]);
  });

  it('is nothing for a fact that is too old', () => {
    expect(kinds([desired(25)], [], age)).toEqual([]);
    expect(kinds([desired(24)], [], age)).toEqual(['add']);
    expect(kinds([desired(25)], [row({ state: 'retracted' })], age)).toEqual([]);
  });

  it('does not retract an alert as time passes, but does when the fact turns out to be older', () => {
    expect(kinds([desired(30)], [row({ state: 'sent', created_at: at(20) })], age)).toEqual([]);
    expect(kinds([desired(50)], [row({ state: 'sent', created_at: at(20) })], age)).toEqual(['retract']);
  });

  it('closes an alert that was not sent, and retracts one that was or may have been sent', () => {
    for (const state of ['pending', 'failed'] as const) {
      expect(kinds([], [row({ state })], age)).toEqual(['close']);
      expect(kinds([], [row({ state, claimed_at: at(0) })], age)).toEqual(['retract']);
    }
    expect(kinds([], [row({ state: 'sent', sent_at: at(0) })], age)).toEqual(['retract']);
  });

  it('is nothing for an alert that is over, also when its retraction was given up', () => {
    expect(kinds([], [row({ state: 'retracted' })], age)).toEqual([]);
    for (const state of ['retracting', 'failed', 'retracted'] as const)
      expect(kinds([], [row({ state, sent_at: at(0) })], age)).toEqual([]);
    expect(kinds([], [row({ state: 'retracting', claimed_at: at(0) })], age)).toEqual([]);
  });

  it('cancels a retraction that was not sent, and reopens the alert once it was or may have been sent', () => {
    for (const state of ['retracting', 'failed'] as const) {
      expect(kinds([desired()], [row({ state, sent_at: at(0) })], age)).toEqual(['cancelRetraction']);
      expect(kinds([desired()], [row({ state, sent_at: at(0), claimed_at: at(0) })], age)).toEqual(['reopen']);
    }
    expect(kinds([desired()], [row({ state: 'retracting', claimed_at: at(0) })], age)).toEqual(['reopen']);
    expect(kinds([desired()], [row({ state: 'retracted', sent_at: at(0) })], age)).toEqual(['reopen']);
    expect(kinds([desired()], [row({ state: 'retracted' })], age)).toEqual(['reopen']);
  });
});

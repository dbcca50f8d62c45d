import { describe, expect, it } from 'vitest';
import { mirrorHealth, type HealthInput } from '#src/read/health/health.ts';
import type { LastRun } from '#workers/sync/reconcile/reconcile-state.ts';
import { processRow } from '../../../harness/data/process-row.ts';

const nowMs = Date.parse('2026-01-01T12:00:00Z');
const hourMs = 3_600_000;
const well: HealthInput = {
  nowMs,
  processes: [processRow({})],
  mirror: {
    nowMs,
    subscriptions: [{ uri: 'a', state: 'active', retry_started_at: null }],
    lostSubscriptions: [],
    quarantined: 0,
    quarantinedLastHour: 0,
    delaySeconds: [],
    comparisons: [],
    clockSkewSeconds: 1,
  },
  unhandled: 0,
  hasApi: true,
  comparison: {
    missedSince: undefined,
    isFilled: true,
    filledAt: '2025-12-31T12:00:00.000000Z',
    recent: undefined,
    full: undefined,
    recentEveryMs: hourMs,
    fullEveryMs: 24 * hourMs,
  },
  lateJobs: [],
};
const run: LastRun = {
  started_at: '2026-01-01T11:00:00.000000Z',
  finished_at: '2026-01-01T11:30:00.000000Z',
  read: 40,
  quarantined: 0,
  drift: { contact: { missing: 2 } },
  meeting_dates: 0,
  unreadable: [],
  held_back: {},
  not_compared: 0,
};

const users: string[] = ['users'];

const itemOf = (id: string, input: Partial<HealthInput>) =>
  mirrorHealth({ ...well, ...input }).find((item) => item.id === id);
const withMirror = (id: string, mirror: Partial<HealthInput['mirror']>, input: Partial<HealthInput> = {}) =>
  itemOf(id, { ...input, mirror: { ...well.mirror, ...mirror } });
const drift = (comparison: Partial<HealthInput['comparison']>) =>
  itemOf('drift', { comparison: { ...well.comparison, recent: run, ...comparison } });

it('every item of a healthy mirror is ok, and needs no fix', () => {
  const items = mirrorHealth({ ...well, comparison: { ...well.comparison, recent: run } });
  expect(items.map(({ id }) => id)).toEqual([
    'subscriptions',
    'signatures',
    'queue',
    'lag',
    'spool',
    'disk',
    'processes',
    'drift',
    'jobs',
    'quarantine',
    'clock',
  ]);
  for (const item of items)
    expect(item).toMatchObject({ state: 'ok', sentence: expect.stringMatching(/^[A-Z0-9].*\.$/) });
  expect(items.some((item) => 'fix' in item)).toBe(false);
});

describe('subscriptions', () => {
  it.each([
    [
      { subscriptions: [{ uri: 'a', state: 'disabled', retry_started_at: null }] },
      'problem',
      'The service disabled 1 webhook subscription',
    ],
    [
      { lostSubscriptions: [{ uri: 'a', how: 'disabled', isReplaced: false }] },
      'problem',
      'The service disabled 1 webhook subscription',
    ],
    [
      { lostSubscriptions: [{ uri: 'b', how: 'missing', isReplaced: false }] },
      'problem',
      '1 webhook subscription was deleted',
    ],
    [
      { subscriptions: [{ uri: 'a', state: 'active', retry_started_at: '2026-01-01T09:00:00.000000Z' }] },
      'problem',
      'Deliveries have failed for 3 h',
    ],
    [{ lostSubscriptions: [{ uri: 'b', how: 'missing', isReplaced: true }] }, 'attention', 'created again'],
    [{ subscriptions: [] }, 'attention', 'No webhook subscription is registered'],
    [{}, 'ok', '1 webhook subscription is active.'],
  ] as const)('%o', (mirror, state, sentence) => {
    expect(withMirror('subscriptions', mirror)).toMatchObject({ state, sentence: expect.stringContaining(sentence) });
  });

  it('are not watched where the service cannot be called', () => {
    expect(withMirror('subscriptions', { subscriptions: [] }, { hasApi: false })).toMatchObject({ state: 'ok' });
    expect(withMirror('subscriptions', {}, { hasApi: false })?.sentence).toMatch(/not watched/);
    expect(withMirror('clock', { clockSkewSeconds: 0 }, { hasApi: false })?.sentence).toMatch(/not compared/);
  });
});

describe('drift', () => {
  it.each([
    [{}, 'ok', '40 recent records were compared at 2026-01-01 11:30:00 UTC; 2 repaired.'],
    [{ recent: undefined, full: run }, 'ok', '40 records were compared'],
    [{ recent: undefined, filledAt: '2026-01-01T11:00:00.000000Z' }, 'ok', 'comparisons follow.'],
    [{ recent: undefined, filledAt: undefined }, 'attention', 'Recent changes were never compared with the service.'],
    [{ isFilled: false }, 'attention', 'The first backfill has not completed'],
    [
      { missedSince: '2026-01-01T10:00:00.000000Z' },
      'attention',
      'Deliveries since 2026-01-01 10:00:00 UTC may be missing.',
    ],
    [
      { recent: { ...run, finished_at: '2026-01-01T08:00:00.000000Z' } },
      'attention',
      'Recent changes were last compared',
    ],
    [
      { full: { ...run, finished_at: '2025-12-28T08:00:00.000000Z' } },
      'attention',
      'The whole mirror was last compared',
    ],
    [
      { recent: { ...run, drift: { contact: { missing: 11 } } } },
      'attention',
      'found 11 rows missing, extra or different',
    ],
    [{ recent: { ...run, unreadable: users } }, 'attention', 'Not compared: users.'],
    [
      { missedSince: '2026-01-01T10:00:00.000000Z', full: { ...run, held_back: { contact: 90 } } },
      'problem',
      'At least 90 rows are missing at the service',
    ],
  ] as const)('%o', (comparison, state, sentence) => {
    const item = drift(comparison);
    expect(item).toMatchObject({ state, sentence: expect.stringContaining(sentence) });
    expect(item?.fix === undefined).toBe(state === 'ok');
  });

  it('is unknown where the service cannot be called', () => {
    // Others compare the mirror, although this process has no settings of the API.
    expect(itemOf('drift', { hasApi: false })).toEqual(itemOf('drift', {}));
    expect(itemOf('drift', { hasApi: false, comparison: { ...well.comparison, isFilled: false } })).toMatchObject({
      state: 'ok',
    });
  });
});

describe('quarantine and clock', () => {
  it.each([
    [
      'quarantine',
      { quarantined: 3, quarantinedLastHour: 1 },
      'problem',
      '3 deliveries could not be applied, 1 of them within the last hour.',
    ],
    ['clock', { clockSkewSeconds: undefined }, 'ok', 'not compared'],
    ['clock', { clockSkewSeconds: -75 }, 'attention', "The clock of a worker is 75 s behind the service's."],
  ] as const)('%s %o', (id, mirror, state, sentence) => {
    expect(withMirror(id, mirror)).toMatchObject({ state, sentence: expect.stringContaining(sentence) });
  });

  it('the quarantine is named with what is of unknown kinds', () => {
    const mirror = { ...well.mirror, quarantined: 1, quarantinedLastHour: 1 };
    expect(itemOf('quarantine', { mirror, unhandled: 2 })?.sentence).toBe(
      '1 delivery could not be applied within the last hour. 2 deliveries are of kinds that this version does not know.',
    );
  });

  it('unknown kinds need an upgrade', () => {
    expect(itemOf('quarantine', { unhandled: 1 })).toMatchObject({
      state: 'attention',
      sentence: '1 delivery is of a kind that this version does not know.',
      fix: expect.stringContaining('Upgrade'),
    });
  });
});

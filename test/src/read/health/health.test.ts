import { describe, expect, it } from 'vitest';
import { mirrorHealth, type HealthInput } from '#src/read/health/health.ts';
import type { LastRun } from '#workers/sync/reconcile/reconcile-state.ts';
import { machineRow, processRow } from '../../../harness/data/process-row.ts';

const nowMs = Date.parse('2026-01-01T12:00:00Z');
const hourMs = 3_600_000;
const well: HealthInput = {
  nowMs,
  processes: [processRow({})],
  database: 'answering',
  isCalled: true,
  subscriptions: [{ uri: 'a', state: 'active', retry_started_at: null }],
  lostSubscriptions: [],
  unprojected: { quarantined: 0, quarantinedLastHour: 0, unhandled: 0 },
  clock: { aheadSeconds: 1, by: 'vm (pid 3)' },
  hasApi: true,
  bookingsBehind: { entries: 0, seconds: 0 },
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
  alerts: [],
  refusingSinks: [],
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
const drift = (comparison: Partial<HealthInput['comparison']>) =>
  itemOf('drift', { comparison: { ...well.comparison, recent: run, ...comparison } });

it('every item of a healthy mirror is ok, and needs no fix', () => {
  const items = mirrorHealth({ ...well, comparison: { ...well.comparison, recent: run } });
  expect(items.map(({ id }) => id)).toEqual([
    'subscriptions',
    'processes',
    'readiness',
    'signatures',
    'queue',
    'lag',
    'disk_log',
    'losses',
    'disk',
    'drift',
    'jobs',
    'bookings',
    'quarantine',
    'clock',
    'alerts',
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
    [{ lostSubscriptions: [{ uri: 'b', how: 'missing', isReplaced: true }] }, 'warning', 'created again'],
    [{ subscriptions: [] }, 'warning', 'No webhook subscription is registered'],
    [{}, 'ok', '1 webhook subscription is active.'],
  ] as const)('%o', (mirror, state, sentence) => {
    expect(itemOf('subscriptions', mirror)).toMatchObject({ state, sentence: expect.stringContaining(sentence) });
  });

  it('are not watched where the service cannot be called', () => {
    expect(itemOf('subscriptions', { subscriptions: [], hasApi: false })).toMatchObject({ state: 'ok' });
    expect(itemOf('subscriptions', { subscriptions: [], hasApi: false })?.sentence).toMatch(/not watched/);
    expect(itemOf('subscriptions', { hasApi: false })?.sentence).toMatch(/active/);
  });
});

it('bookings that are minutes behind the log need care, while a worker is there to update them', () => {
  const bookingsBehind = { entries: 3, seconds: 180 };
  expect(itemOf('bookings', { bookingsBehind })).toMatchObject({
    state: 'warning',
    sentence: expect.stringContaining('3 min behind the log (3 entries)') as string,
  });
  expect(itemOf('bookings', { bookingsBehind, processes: [processRow({ role: 'receive' })] })?.state).toBe('ok');
});

describe('drift', () => {
  it.each([
    [{}, 'ok', '40 recent records were compared at 2026-01-01 11:30:00 UTC; 2 repaired.'],
    [{ recent: undefined, full: run }, 'ok', '40 records were compared'],
    [{ recent: undefined, filledAt: '2026-01-01T11:00:00.000000Z' }, 'ok', 'comparisons follow.'],
    [{ recent: undefined, filledAt: undefined }, 'warning', 'Recent changes were never compared with the service.'],
    [{ isFilled: false }, 'warning', 'The first backfill has not completed'],
    [
      { missedSince: '2026-01-01T10:00:00.000000Z' },
      'warning',
      'Deliveries since 2026-01-01 10:00:00 UTC may be missing.',
    ],
    [
      { recent: { ...run, finished_at: '2026-01-01T08:00:00.000000Z' } },
      'warning',
      'Recent changes were last compared',
    ],
    [{ full: { ...run, finished_at: '2025-12-28T08:00:00.000000Z' } }, 'warning', 'The whole mirror was last compared'],
    [
      { recent: { ...run, drift: { contact: { missing: 11 } } } },
      'warning',
      'found 11 rows missing, extra or different',
    ],
    [{ recent: { ...run, unreadable: users } }, 'warning', 'Not compared: users.'],
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

const unprojected = (counts: Partial<HealthInput['unprojected']>) => ({ ...well.unprojected, ...counts });

describe('quarantine', () => {
  it.each([
    [
      { quarantined: 3, quarantinedLastHour: 1 },
      'problem',
      '3 deliveries could not be applied, 1 of them within the last hour.',
    ],
    [
      { quarantined: 1, quarantinedLastHour: 1, unhandled: 2 },
      'problem',
      '1 delivery could not be applied within the last hour. 2 deliveries are of kinds that this version does not know.',
    ],
    [{ unhandled: 1 }, 'warning', '1 delivery is of a kind that this version does not know.'],
  ] as const)('%o', (counts, state, sentence) => {
    const item = itemOf('quarantine', { unprojected: unprojected(counts) });
    expect(item).toMatchObject({ state, sentence, fix: expect.stringContaining('replay --quarantined') });
  });
});

describe('the clocks', () => {
  const skewed = processRow({ role: 'receive', ...machineRow({ clock_ahead_seconds: 600 }) });
  it.each([
    [{ clock: undefined }, 'ok', 'The clocks agree; that of the service was not compared lately.'],
    [
      { clock: { aheadSeconds: -75, by: 'vm (pid 3)' } },
      'warning',
      "The clock of vm (pid 3) is 75 s behind the service's.",
    ],
    [{ processes: [skewed] }, 'warning', "The clock of receive on one (pid 7) is 10 min ahead of the database's."],
  ])('%o', (input, state, sentence) => {
    expect(itemOf('clock', input)).toMatchObject({ state, sentence });
  });
});

describe('alerts', () => {
  const slack = { channel: 'slack', overdue: 0, failures: 0, lastError: undefined, failingSince: undefined, failed: 0 };
  const failing = { failures: 9, lastError: '503', failingSince: '2026-01-01T11:56:00.000000Z' };
  it.each([
    [{ ...failing, overdue: 439 }, 'slack has not accepted a message for 4 min (503); 439 alerts are overdue.'],
    // The channel is paused, although the first of them is due for less than a minute.
    [{ ...failing, failures: 5 }, 'slack has not accepted a message for 4 min (503); 0 alerts are overdue.'],
    [{ overdue: 2 }, '2 alerts to slack are overdue.'],
    [{ failed: 1 }, '1 alert could not be sent to slack.'],
  ])('%o', (backlog, sentence) => {
    const item = itemOf('alerts', { alerts: [{ ...slack, ...backlog }] });
    expect(item).toMatchObject({
      state: 'problem',
      sentence,
      fix: expect.stringContaining('alerts test --channel slack'),
    });
  });

  it('that failed a few times are retried, which is no news', () => {
    expect(itemOf('alerts', { alerts: [{ ...slack, ...failing, failures: 4 }] })).toMatchObject({ state: 'ok' });
  });
});

// Every check of the mirror and of its processes: the state, the sentence and the fix of each case, in one golden file per check.
import { describe, expect, it } from 'vitest';
import { mirrorHealth, type HealthInput } from '#src/read/health/health.ts';
import { processHealth } from '#src/read/health/process-health.ts';
import { instantOf } from '#src/base/time.ts';
import type { ProcessRow } from '#src/store/processes.ts';
import type { LastRun } from '#src/store/jobs/reconcile-state.ts';
import { lowDisk, machineRow, processRow } from '../../../harness/data/process-row.ts';
import { expectGolden } from '../../../harness/golden.ts';

const nowMs = Date.parse('2026-01-01T12:00:00Z');
const hourMs = 3_600_000;
const ago = (seconds: number) => instantOf(nowMs - seconds * 1000);
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
  comparison: {
    missedSince: undefined,
    isFilled: true,
    filledAt: ago(24 * 3_600),
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
  started_at: ago(3_600),
  finished_at: ago(1_800),
  read: 40,
  quarantined: 0,
  drift: { contact: { missing: 2 } },
  meeting_dates: 0,
  unreadable: [],
  held_back: {},
  not_compared: 0,
};

type Input = Partial<HealthInput>;
const rows = (...given: readonly Partial<ProcessRow>[]): Input => ({
  processes: given.map((row, at) => processRow({ id: String(at), ...row })),
});
const subscription = (state: string, retry_started_at: string | null = null): Input => ({
  subscriptions: [{ uri: 'a', state, retry_started_at }],
});
const lost = (how: 'disabled' | 'missing', isReplaced: boolean): Input => ({
  lostSubscriptions: [{ uri: how === 'disabled' ? 'a' : 'b', how, isReplaced }],
});
const compared = (given: Partial<HealthInput['comparison']>, more: Input = {}): Input => ({
  ...more,
  comparison: { ...well.comparison, recent: run, ...given },
});
const unprojected = (quarantined: number, quarantinedLastHour: number, unhandled: number): Input => ({
  unprojected: { quarantined, quarantinedLastHour, unhandled },
});
const slack = { channel: 'slack', overdue: 0, failures: 0, lastError: undefined, failingSince: undefined, failed: 0 };
const failing = { failures: 9, lastError: '503', failingSince: ago(240) };
const alerts = (given: object): Input => ({ alerts: [{ ...slack, ...given }] });
const users: string[] = ['users'];
const wentBack = { since: ago(900), noticedAt: ago(600) };
const killedOnes = [1_000, 800, 600].map((seconds) => ({ started_at: ago(seconds + 150), seen_at: ago(seconds) }));
const killed = { host: 'two', seen_at: ago(30) };

/** By the id of the check. */
const cases: Readonly<Record<string, Readonly<Record<string, Input>>>> = {
  subscriptions: {
    'all active': {},
    'one disabled': subscription('disabled'),
    'one disabled, seen by the watch': lost('disabled', false),
    'one deleted': lost('missing', false),
    'one deleted and created again': lost('missing', true),
    'deliveries fail': subscription('active', ago(3 * 3_600)),
    'none registered': { subscriptions: [] },
    'none, and no API to ask': { subscriptions: [], hasApi: false },
    'all active, and no API to ask': { hasApi: false },
  },
  processes: {
    'all report': rows({ role: 'receive' }, { role: 'work', host: 'two' }),
    'a worker of an older version than the database': rows(
      {},
      { role: 'work', host: 'two', ...machineRow({ schema: '' }) },
    ),
    'one was killed 30 seconds ago': rows({}, killed),
    // A report is due every 15 seconds, and waits for engines that do not answer.
    'one did not report for 23 seconds': rows({}, { ...killed, seen_at: ago(23) }),
    'no worker runs': rows({ role: 'receive', queue_waiting: 113 }, { role: 'work', host: 'two', seen_at: ago(40) }),
    'no worker runs, by a queue that was asked': {
      ...rows({ role: 'work', seen_at: ago(40) }),
      queue: { waiting: 4, failed: 0 },
    },
    'no receiver runs': rows({ role: 'work' }, { role: 'receive', host: 'two', seen_at: ago(40) }),
    'no receiver runs, and the service has no address': { ...rows({ role: 'work' }), isCalled: false },
    'each that was killed was replaced': rows(...killedOnes, { started_at: ago(590) }),
    'one of those was not replaced': rows(...killedOnes, { started_at: ago(590) }, { seen_at: ago(600) }),
    'replaced by one of another role': rows({ started_at: ago(5) }, { role: 'receive', seen_at: ago(60) }),
  },
  readiness: {
    'a receiver refuses deliveries': rows(
      {
        role: 'receive',
        queue: 'not answering',
        ...machineRow({ refuses: true, down: ['disk', 'queue'], disks: [lowDisk('disk_log', 50)] }),
      },
      { role: 'work' },
    ),
    'a worker is stuck': rows({ role: 'work', ...machineRow({ down: ['worker'] }) }),
    'a worker waits for the database': rows({ role: 'work', ...machineRow({ down: ['worker', 'store'] }) }),
    'the queue is down, and deliveries are accepted': rows({ role: 'receive', ...machineRow({ down: ['queue'] }) }),
  },
  signatures: {
    'nothing arrived': rows({}),
    'more accepted than refused': rows({ accepted: 1_200, refused: 2 }, { accepted: 1 }),
    'more refused than accepted': rows({ accepted: 0, refused: 3 }),
    'a correct one is too old': rows({ accepted: 9, refused: 1, refused_stale: 1 }),
  },
  queue: {
    'nothing waits': rows({ queue_waiting: 0 }),
    'one waits': rows({ queue_waiting: 1 }),
    'many wait': rows({ queue_waiting: 101 }),
    'one waits for long': rows({ queue_waiting: 1, queue_oldest_at: ago(600) }),
    'some failed': rows({ queue_failed: 2 }),
    'it does not answer one process': rows({}, { queue: 'not answering', queue_waiting: null }),
    'the newest report counts': rows({ queue_waiting: 500, seen_at: ago(20) }, { queue_waiting: 2 }),
    'more workers are no advice where none runs': rows({ role: 'receive', queue_waiting: 113 }),
  },
  lag: {
    'no delivery': rows({}),
    short: rows({ lag_p50_ms: 40, lag_p99_ms: 1_240 }),
    'long for some': rows({ lag_p50_ms: 2_000, lag_p99_ms: 1_200_000 }),
    long: rows({ lag_p50_ms: 301_000, lag_p99_ms: 7_200_000 }),
    'long for the slowest worker': rows(
      { lag_p50_ms: 10, lag_p99_ms: 20 },
      { lag_p50_ms: 400_000, lag_p99_ms: 500_000 },
    ),
  },
  disk: { 'getting full': rows(machineRow({ disks: [lowDisk('disk_log', 90)] })) },
  disk_log: {
    'nothing waits': rows({}),
    'one waits': rows({ spool_deliveries: 1 }),
    'batches that the queue has too': rows({ journal_batches: 3 }),
    'the first report after a restart': rows({ spool_deliveries: 1, spool_since: ago(1), seen_at: ago(1) }),
    'a later report': rows({ spool_deliveries: 1, spool_since: ago(9), seen_at: ago(1) }),
    full: rows({ journal_full: true, spool_deliveries: 4 }),
  },
  losses: { 'the queue lost jobs': rows({ queue_losses: 1, journal_full: true }) },
  drift: {
    'few found and repaired': compared({}),
    'only a full comparison': compared({ recent: undefined, full: run }),
    'filled an hour ago': compared({ recent: undefined, filledAt: ago(3_600) }),
    'never compared': compared({ recent: undefined, filledAt: undefined }),
    'not filled': compared({ isFilled: false }),
    'not filled, and no API to ask': compared({ recent: undefined, isFilled: false }, { hasApi: false }),
    // Others compare the mirror, although this process has no settings of the API.
    'no API to ask': { hasApi: false },
    'deliveries may be missing': compared({ missedSince: ago(7_200) }),
    'the last one is long ago': compared({ recent: { ...run, finished_at: ago(4 * 3_600) } }),
    'the last full one is long ago': compared({ full: { ...run, finished_at: ago(4 * 86_400) } }),
    'many found': compared({ recent: { ...run, drift: { contact: { missing: 11 } } } }),
    'some could not be read': compared({ recent: { ...run, unreadable: users } }),
    'deletes wait': compared({ missedSince: ago(7_200), full: { ...run, held_back: { contact: 90 } } }),
  },
  database: {
    'it went back': { wentBack },
    'it went back, and a receiver has kept deliveries': {
      ...rows({ role: 'receive', ...machineRow({ keeps: true }) }),
      wentBack,
    },
    'it went back, and no API to ask': { wentBack, hasApi: false },
    'it went back after the last comparison of everything': compared({ full: run }, { wentBack }),
    'everything was compared since': compared(
      { full: { ...run, started_at: ago(100), finished_at: ago(90) } },
      { wentBack },
    ),
  },
  feed: {
    'positions are ahead of the log': {
      ahead: {
        table: 'slotstream.feed_consumers',
        end: 295,
        positions: [
          { name: 'sink:webhook', position: 355 },
          { name: 'warehouse', position: 300 },
        ],
      },
    },
  },
  quarantine: {
    'some, one new': unprojected(3, 1, 0),
    'one new, and unknown kinds': unprojected(1, 1, 2),
    'an unknown kind': unprojected(0, 0, 1),
  },
  clock: {
    'not compared': { clock: undefined },
    "behind the service's": { clock: { aheadSeconds: -75, by: 'vm (pid 3)' } },
    "ahead of the database's": rows({ role: 'receive', ...machineRow({ clock_ahead_seconds: 600 }) }),
  },
  alerts: {
    'a channel accepts nothing': alerts({ ...failing, overdue: 439 }),
    // It is paused, although the first of them is due for less than a minute.
    'a channel is paused': alerts({ ...failing, failures: 5 }),
    'failed a few times, which is no news': alerts({ ...failing, failures: 4 }),
    'some are overdue': alerts({ overdue: 2 }),
    'one was given up': alerts({ failed: 1 }),
  },
};

describe('a check', () => {
  it.each(Object.entries(cases))('says golden/%s.txt', async (id, inputs) => {
    const parts = Object.entries(inputs).map(([title, input]) => {
      const item = mirrorHealth({ ...well, ...input }).find((one) => one.id === id);
      const fix = item?.fix === undefined ? [] : [`    → ${item.fix}`];
      return [`${title}:`, `    ${item?.state}: ${item?.sentence}`, ...fix].join('\n');
    });
    await expectGolden(parts.join('\n'), `golden/${id}.txt`);
  });

  it('of a healthy mirror is ok, and needs no fix', () => {
    const items = mirrorHealth({ ...well, ...compared({}) });
    const others = [...Object.keys(cases), 'jobs'].filter((id) => id !== 'feed');
    expect(items.map(({ id }) => id).toSorted()).toEqual(others.toSorted());
    for (const item of items)
      expect(item).toMatchObject({ state: 'ok', sentence: expect.stringMatching(/^[A-Z0-9].*\.$/) });
    expect(items.some((item) => 'fix' in item)).toBe(false);
  });
});

describe('the checks of processes', () => {
  const notOk = (input: Input) =>
    processHealth({ ...well, ...input })
      .filter(({ state }) => state !== 'ok')
      .map(({ id, state }) => `${id} ${state}`);

  it('do not judge by old reports while the database does not answer', () => {
    const old = rows({ role: 'receive', queue_waiting: 500 }, { role: 'work', seen_at: ago(90) });
    expect(notOk({ ...old, database: 'not answering' })).toEqual(['store problem']);
    expect(notOk({ ...rows({ role: 'receive' }), database: 'unknown' })).toEqual([]);
  });

  it('of a silent process count for nothing else', () => {
    const silent = { seen_at: ago(120), queue: 'not answering' as const, spool_deliveries: 5, refused_stale: 1 };
    expect(notOk(rows({}, silent))).toEqual(['processes warning']);
  });
});

import { describe, expect, it } from 'vitest';
import { processHealth, type ProcessInput } from '#src/read/health/process-health.ts';
import { instantOf } from '#src/base/time.ts';
import type { ProcessRow } from '#src/store/processes.ts';
import { lowDisk, machineRow, processRow } from '../../../harness/data/process-row.ts';

const nowMs = Date.parse('2026-01-01T12:00:00Z');
const checksOf = (rows: readonly Partial<ProcessRow>[], more: Partial<ProcessInput> = {}) => {
  const processes = rows.map((row, at) => processRow({ id: String(at), ...row }));
  return processHealth({ nowMs, processes, database: 'answering', isCalled: true, ...more });
};
const itemOf = (id: string, ...rows: readonly Partial<ProcessRow>[]) => checksOf(rows).find((item) => item.id === id);

describe('the signatures', () => {
  it('are well while more are accepted than refused', () => {
    expect(itemOf('signatures', {})).toEqual({
      id: 'signatures',
      state: 'ok',
      sentence: 'No delivery arrived within the last 10 minutes; none refused.',
    });
    expect(itemOf('signatures', { accepted: 1_200, refused: 2 }, { accepted: 1 })).toMatchObject({
      state: 'ok',
      sentence: '1,201 deliveries were accepted within the last 10 minutes; 2 refused.',
    });
  });

  it('need care when more are refused than accepted', () => {
    expect(itemOf('signatures', { accepted: 0, refused: 3 })).toMatchObject({
      state: 'warning',
      sentence:
        '3 requests with a missing or wrong signature were refused within the last 10 minutes; none was accepted.',
      fix: expect.stringContaining('doctor'),
    });
  });

  it('are a problem when a correct one is too old', () => {
    expect(itemOf('signatures', { accepted: 9, refused: 1, refused_stale: 1 })).toMatchObject({
      state: 'problem',
      sentence:
        '1 correctly signed delivery was rejected as too old within the last 10 minutes by start on one (pid 7).',
      fix: expect.stringContaining('clock'),
    });
  });
});

describe('the queue', () => {
  it('is well while it answers and little waits', () => {
    expect(itemOf('queue', { queue_waiting: 0 })).toMatchObject({
      state: 'ok',
      sentence: 'The queue answers; no batch is waiting.',
    });
    expect(itemOf('queue', { queue_waiting: 1 })).toMatchObject({
      state: 'ok',
      sentence: 'The queue answers; 1 batch is waiting.',
    });
  });

  it.each([
    [{ queue_waiting: 101 }, '101 batches are waiting.', 'Run more workers'],
    [
      { queue_waiting: 1, queue_oldest_at: '2026-01-01T11:50:00.000000Z' },
      'The oldest batch has waited for 10 min.',
      'log of the workers',
    ],
    [{ queue_failed: 2 }, '2 batches failed.', 'A running worker retries them'],
  ])('needs attention: %o', (row, sentence, fix) => {
    expect(itemOf('queue', row)).toMatchObject({ state: 'warning', sentence, fix: expect.stringContaining(fix) });
  });

  it('is a problem when a process gets no answer', () => {
    expect(itemOf('queue', {}, { queue: 'not answering', queue_waiting: null })).toMatchObject({
      state: 'problem',
      sentence: 'The queue does not answer start on one (pid 7).',
    });
  });

  it('is seen as the newest report sees it', () => {
    const rows = [{ queue_waiting: 500, seen_at: '2026-01-01T11:59:40.000000Z' }, { queue_waiting: 2 }];
    expect(itemOf('queue', ...rows)).toMatchObject({
      state: 'ok',
      sentence: 'The queue answers; 2 batches are waiting.',
    });
  });
});

describe('the lag', () => {
  it.each([
    [{}, 'ok', 'No delivery became a row within the last 10 minutes.'],
    [{ lag_p50_ms: 40, lag_p99_ms: 1_240 }, 'ok', 'Deliveries become rows after 40 ms (99 %: 1.2 s).'],
    [{ lag_p50_ms: 2_000, lag_p99_ms: 1_200_000 }, 'warning', 'Some deliveries are 20 min late (usually 2 s).'],
    [{ lag_p50_ms: 301_000, lag_p99_ms: 7_200_000 }, 'problem', 'Deliveries become rows 5 min after their event.'],
  ])('%o is %s', (row, state, sentence) => {
    const item = itemOf('lag', row);
    expect(item).toMatchObject({ state, sentence });
    expect(item?.fix === undefined).toBe(state === 'ok');
  });

  it('is that of the slowest worker', () => {
    const rows = [
      { lag_p50_ms: 10, lag_p99_ms: 20 },
      { lag_p50_ms: 400_000, lag_p99_ms: 500_000 },
    ];
    expect(itemOf('lag', ...rows)).toMatchObject({ state: 'problem' });
  });
});

it('a disk that is getting full is named with its process and its folder', () => {
  const sentence = 'Little free disk space: start on one (pid 7): disk log 90 MB in /data/disk_log.';
  expect(itemOf('disk', machineRow({ disks: [lowDisk('disk_log', 90)] }))).toMatchObject({
    state: 'warning',
    sentence,
  });
});

describe('the disk log', () => {
  it.each([
    ['disk_log', {}, 'ok', 'No delivery waits on disk.'],
    [
      'disk_log',
      { spool_deliveries: 1 },
      'warning',
      '1 delivery waits on the disk of start on one (pid 7) for the queue.',
    ],
    ['disk_log', { journal_batches: 3 }, 'ok', 'No delivery waits on disk.'],
    // The first report after a restart.
    [
      'disk_log',
      { spool_deliveries: 1, spool_since: instantOf(nowMs - 1_000), seen_at: instantOf(nowMs - 1_000) },
      'ok',
      'No delivery waits on disk.',
    ],
    [
      'disk_log',
      { spool_deliveries: 1, spool_since: instantOf(nowMs - 9_000), seen_at: instantOf(nowMs - 1_000) },
      'warning',
      '1 delivery waits on the disk of start on one (pid 7) for the queue.',
    ],
    [
      'losses',
      { queue_losses: 1, journal_full: true },
      'warning',
      'The queue lost jobs once within the last 10 minutes; they were enqueued again from the disk log.',
    ],
    [
      'disk_log',
      { journal_full: true, spool_deliveries: 4 },
      'problem',
      'The disk log of start on one (pid 7) is full and takes no deliveries.',
    ],
  ])('%s with %o is %s', (id, row, state, sentence) => {
    expect(itemOf(id, row)).toMatchObject({ state, sentence });
  });
});

describe('readiness', () => {
  it('is a problem of each receiver that refuses deliveries, with the reason', () => {
    const full = machineRow({ refuses: true, down: ['disk', 'queue'], disks: [lowDisk('disk_log', 50)] });
    expect(itemOf('readiness', { role: 'receive', queue: 'not answering', ...full }, { role: 'work' })).toMatchObject({
      state: 'problem',
      sentence:
        'receive on one (pid 7) refuses deliveries: its disk is almost full, the queue does not answer (disk log 50 MB in /data/disk_log free).',
      fix: expect.stringContaining('Free disk space on its machine'),
    });
  });

  it('is a problem of a worker that is stuck, unless the database is the reason', () => {
    expect(itemOf('readiness', { role: 'work', ...machineRow({ down: ['worker'] }) })).toMatchObject({
      state: 'problem',
      sentence: 'work on one (pid 7) applies nothing: no batch has ended for a minute.',
    });
    expect(itemOf('readiness', { role: 'work', ...machineRow({ down: ['worker', 'store'] }) })?.state).toBe('ok');
  });

  it('is well where a part is down and deliveries are accepted', () => {
    expect(itemOf('readiness', { role: 'receive', ...machineRow({ down: ['queue'] }) })?.state).toBe('ok');
  });
});

describe('the processes', () => {
  const ago = (seconds: number) => instantOf(nowMs - seconds * 1000);

  it('are well while all report', () => {
    expect(itemOf('processes', { role: 'receive' }, { role: 'work', host: 'two' })).toMatchObject({
      state: 'ok',
      sentence: 'Running: receive on one (pid 7), work on two (pid 7).',
    });
  });

  it('need care within 30 seconds after one was killed', () => {
    const killed = { host: 'two', seen_at: ago(30) };
    expect(itemOf('processes', {}, killed)).toMatchObject({
      state: 'warning',
      sentence: expect.stringMatching(/^start on two \(pid 7\) has not reported since 2026-01-01 11:59:30 UTC: killed/),
    });
    // A report is due every 15 seconds, and waits for engines that do not answer.
    expect(itemOf('processes', {}, { ...killed, seen_at: ago(23) })?.state).toBe('ok');
  });

  it('are a problem when no worker runs, with what waits', () => {
    const receiver = { role: 'receive', queue_waiting: 113 };
    expect(itemOf('processes', receiver, { role: 'work', host: 'two', seen_at: ago(40) })).toMatchObject({
      state: 'problem',
      sentence: 'No worker runs: deliveries wait in the queue (113 batches). No report any more: work on two (pid 7).',
      fix: expect.stringMatching(/slotstream work$/),
    });
    // More workers are no advice where none runs.
    expect(itemOf('queue', receiver)?.state).toBe('ok');
    const asked = checksOf([{ role: 'work', seen_at: ago(40) }], { queue: { waiting: 4, failed: 0 } });
    expect(asked.find(({ id }) => id === 'processes')?.sentence).toContain('(4 batches)');
  });

  it('are a problem when no receiver runs, where the service has an address', () => {
    const workers = [{ role: 'work' }, { role: 'receive', host: 'two', seen_at: ago(40) }];
    expect(itemOf('processes', ...workers)).toMatchObject({
      state: 'problem',
      sentence: expect.stringMatching(/^No receiver runs: .* No report any more: receive on two/),
      fix: expect.stringMatching(/slotstream receive\. If one runs on another machine/),
    });
    const uncalled = checksOf([{ role: 'work' }], { isCalled: false });
    expect(uncalled.find(({ id }) => id === 'processes')?.state).toBe('ok');
  });

  it('are well when each that was killed was replaced by another of its role, however often', () => {
    const killed = [1_000, 800, 600].map((seconds) => ({ started_at: ago(seconds + 150), seen_at: ago(seconds) }));
    const replaced = [...killed, { started_at: ago(590) }];
    expect(itemOf('processes', ...replaced)?.state).toBe('ok');
    expect(itemOf('processes', ...replaced, { seen_at: ago(600) })?.state).toBe('warning');
    expect(itemOf('processes', { started_at: ago(5) }, { role: 'receive', seen_at: ago(60) })?.state).toBe('warning');
  });

  it('are not judged by old reports while the database does not answer', () => {
    const down = checksOf(
      [
        { role: 'receive', queue_waiting: 500 },
        { role: 'work', seen_at: ago(90) },
      ],
      {
        database: 'not answering',
      },
    );
    expect(down.filter(({ state }) => state !== 'ok')).toMatchObject([{ id: 'store', state: 'problem' }]);
    expect(checksOf([{ role: 'receive' }], { database: 'unknown' }).every(({ state }) => state === 'ok')).toBe(true);
  });

  it('that are silent count for nothing else', () => {
    const silent = { seen_at: ago(120), queue: 'not answering', spool_deliveries: 5, refused_stale: 1 };
    expect(
      checksOf([{}, silent])
        .filter(({ state }) => state !== 'ok')
        .map(({ id }) => id),
    ).toEqual(['processes']);
  });
});

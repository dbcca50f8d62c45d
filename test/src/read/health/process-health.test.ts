import { describe, expect, it } from 'vitest';
import { processHealth } from '#src/read/health/process-health.ts';
import type { ProcessRow } from '#src/store/processes.ts';
import { processRow } from '../../../harness/data/process-row.ts';

const nowMs = Date.parse('2026-01-01T12:00:00Z');
const itemOf = (id: string, ...rows: readonly Partial<ProcessRow>[]) =>
  processHealth({ nowMs, processes: rows.map((row, at) => processRow({ id: String(at), ...row })) }).find(
    (item) => item.id === id,
  );

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

  it('need attention when more are refused than accepted', () => {
    expect(itemOf('signatures', { accepted: 0, refused: 3 })).toMatchObject({
      state: 'attention',
      sentence:
        '3 requests with a missing or wrong signature were refused within the last 10 minutes; none was accepted.',
      fix: expect.stringContaining('doctor'),
    });
  });

  it('are a problem when a correct one is too old', () => {
    expect(itemOf('signatures', { accepted: 9, refused: 1, refused_stale: 1 })).toMatchObject({
      state: 'problem',
      sentence: '1 correctly signed delivery was rejected as too old within the last 10 minutes.',
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
    expect(itemOf('queue', row)).toMatchObject({ state: 'attention', sentence, fix: expect.stringContaining(fix) });
  });

  it('is a problem when a process gets no answer', () => {
    expect(itemOf('queue', {}, { queue: 'not answering', queue_waiting: null })).toMatchObject({
      state: 'problem',
      sentence: 'The queue does not answer.',
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
    [{ lag_p50_ms: 2_000, lag_p99_ms: 1_200_000 }, 'attention', 'Some deliveries are 20 min late (usually 2 s).'],
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

it('a disk that is getting full is named with its process', () => {
  const sentence = 'Little free disk space: start on one (pid 7): spool 90 MB.';
  expect(itemOf('disk', { low_disks: 'spool 90 MB' })).toMatchObject({ state: 'attention', sentence });
});

describe('spool and journal', () => {
  it.each([
    [{}, 'ok', 'No delivery waits on disk.'],
    [{ journal_batches: 3 }, 'ok', 'No delivery waits on disk. The journal has copies of 3 batches in the queue.'],
    [{ spool_deliveries: 1 }, 'attention', '1 delivery waits on disk for the queue.'],
    [
      { queue_losses: 1 },
      'attention',
      'The queue lost jobs once within the last 10 minutes; they were enqueued again from the journal.',
    ],
    [
      { journal_full: true, spool_deliveries: 4 },
      'problem',
      'The journal of start on one (pid 7) is full, so deliveries are rejected.',
    ],
  ])('%o are %s', (row, state, sentence) => {
    expect(itemOf('spool', row)).toMatchObject({ state, sentence });
  });
});

describe('the processes', () => {
  it('are well while all report', () => {
    expect(itemOf('processes', { role: 'receive' }, { role: 'work', host: 'two' })).toMatchObject({
      state: 'ok',
      sentence: 'Running: receive on one (pid 7), work on two (pid 7).',
    });
  });

  it('need attention when one is silent, or when none works', () => {
    expect(itemOf('processes', {}, { host: 'two', seen_at: '2026-01-01T11:58:00.000000Z' })).toMatchObject({
      state: 'attention',
      sentence:
        'start on two (pid 7) has not reported since 2026-01-01 11:58:00 UTC: it was killed, or cannot reach the database.',
    });
    expect(itemOf('processes', { role: 'receive' })).toMatchObject({
      state: 'attention',
      sentence: expect.stringContaining('No worker reports here'),
    });
  });

  it('that are silent count for nothing else', () => {
    const silent = {
      seen_at: '2026-01-01T11:58:00.000000Z',
      queue: 'not answering',
      spool_deliveries: 5,
      refused_stale: 1,
    };
    const states = processHealth({ nowMs, processes: [processRow({}), processRow({ id: 'b', ...silent })] });
    expect(states.filter(({ state }) => state !== 'ok').map(({ id }) => id)).toEqual(['processes']);
  });
});

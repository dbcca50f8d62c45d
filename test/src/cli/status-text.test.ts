import { describe, expect, it } from 'vitest';
import { statusText } from '#src/cli/status-text.ts';
import { expectGolden } from '../../harness/golden.ts';
import { lowDisk, machineRow, processRow } from '../../harness/data/process-row.ts';

const lastRun = { finished_at: '2026-01-02T03:04:05Z', read: 120, drift: { contacts: { missing: 2, extra: 1 } } };

const process = processRow({
  host: 'web-1',
  pid: 42,
  seen_at: '2026-01-06T00:00:00.000000Z',
  queue_waiting: 3,
  spool_deliveries: 7,
  last_batch_at: '2026-01-05T23:59:58.000000Z',
});
const nowMs = Date.parse('2026-01-06T00:00:10Z');

const running = {
  running: true,
  health: [
    { id: 'disk', state: 'warning', sentence: 'Little free disk space.', fix: 'Free some.' },
    { id: 'subscriptions', state: 'ok', sentence: '2 webhook subscriptions are active.' },
    { id: 'queue', state: 'problem', sentence: 'The queue does not answer.', fix: 'Check it.' },
  ],
  processes: [
    { ...process, ...machineRow({ refuses: true, disks: [lowDisk('disk_log', 90)] }) },
    { ...process, role: 'receive', pid: 43, queue: 'not answering', spool_deliveries: 0 },
    {
      ...process,
      role: 'work',
      host: 'db-2',
      pid: 7,
      spool_deliveries: null,
      last_batch_at: null,
      seen_at: '2026-01-05T23:00:00.000000Z',
    },
  ],
  queue: { engine: 'redis', waiting: 3, active: 1, delayed: 2, failed: 0 },
  disk_log: { waiting: 7, batches: 8, bytes: 1200, losses: 0, is_full: false },
  store: {
    engine: 'sqlite',
    last_seq: 5,
    last_received_at: '2026-01-03T00:00:00.000000Z',
    bookings_behind: { entries: 3, seconds: 40 },
    quarantined: 4,
    unhandled: 1,
    unknown_kinds: ['invitee.merged'],
    rows: { contacts: 10, no_shows: 0 },
    deleted: { contacts: 2 },
  },
  reconcile: { recent: lastRun },
  retention: { finished_at: '2026-01-04T00:00:00Z', before: '2025-01-01T00:00:00Z', pruned: 9, pruned_ever: 30 },
  alerts: { pending: 0, sent: 2, retracting: 0, retracted: 0, failed: 1 },
  alert_channels: {
    log: { state: 'closed', failures: 0, until: null },
    slack: { state: 'open', failures: 5, until: '2026-01-05T00:00:00Z' },
  },
  sinks: { webhook: { position: 3, behind: 2, sent: 3, failures: 4, failing: 1, last_error: 'HTTP_500' } },
};

describe('the text of status', () => {
  it('says in about a dozen lines what runs, where deliveries are, and what the tables have', async () => {
    await expectGolden(statusText(running, nowMs), 'golden/status.txt');
  });

  it('says that there is no mirror yet', () => {
    expect(statusText({ running: false, processes: [], store: { state: 'no mirror yet' } }, nowMs)).toBe(
      `Deliveries
  Log  no mirror yet`,
    );
  });

  it('lists the processes of other machines where none runs here', () => {
    expect(statusText({ running: false, processes: [process] }, nowMs)).toMatch(
      /^No process runs in this data folder\.\nProcesses\n.*\n {2}start +web-1 \(42\)/,
    );
  });

  it('leaves out a process that was killed and replaced', () => {
    const killed = { ...process, id: 'b', pid: 41, seen_at: '2026-01-05T23:50:00.000000Z' };
    const replaced = [killed, { ...process, started_at: '2026-01-05T23:50:01.000000Z' }];
    expect(statusText({ running: true, processes: replaced }, nowMs)).not.toMatch(/no report|\(41\)/);
    expect(statusText({ running: true, processes: [killed, process] }, nowMs)).toMatch(/\(41\) .* no report since/);
  });

  it('says that the queue or the store does not answer', () => {
    const report = {
      running: true,
      processes: [],
      queue: { engine: 'postgres', state: 'not answering' },
      store: { state: 'not answering' },
    };
    expect(statusText(report, nowMs)).toBe(
      'Deliveries\n  Queue  PostgreSQL: not answering\n  Log    the database does not answer',
    );
    const processes = [process, { ...process, role: 'receive' }];
    const states = statusText({ ...report, processes }, nowMs).match(/(?<= 7 {19})\S.*$/gm);
    expect(states).toEqual(['the database does not answer', 'running']);
  });

  it('says that the disk log is full, and that the queue lost jobs', () => {
    const diskLog = { waiting: 0, batches: 1, bytes: 2, losses: 3, is_full: true };
    expect(statusText({ running: true, processes: [], disk_log: diskLog }, nowMs)).toContain(
      '1 batch; 0 deliveries wait for the queue; full: it takes no deliveries; the queue lost jobs 3 times',
    );
  });

  it('says what is empty in a word, and one of something as one', () => {
    const drift = { contacts: { missing: 1 } };
    const report = {
      ...running,
      queue: { ...running.queue, waiting: 1 },
      disk_log: { ...running.disk_log, waiting: 0, batches: 0 },
      reconcile: { recent: { ...lastRun, read: 1, drift } },
    };
    const text = statusText(report, nowMs);
    expect(text).toMatch(/Redis: 1 batch waiting.*\n {2}Disk log +empty\n/);
    expect(text).toContain(': 1 record, 1 difference repaired');
  });

  it('leaves out a part whose shape it does not know', () => {
    expect(statusText({ ...running, store: 7, alerts: { pending: 'many' } }, nowMs)).not.toMatch(/Log|Rows|Alerts/);
  });
});

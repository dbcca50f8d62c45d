import { it } from 'vitest';
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
const receivesNothing = { spool_deliveries: null, last_batch_at: null };
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
    { ...process, role: 'receive' as const, pid: 43, queue: 'not answering' as const, spool_deliveries: 0 },
    {
      ...process,
      role: 'work' as const,
      host: 'db-2',
      pid: 7,
      ...receivesNothing,
      seen_at: '2026-01-05T23:00:00.000000Z',
    },
  ],
  queue: { engine: 'redis', waiting: 3, active: 1, delayed: 2, failed: 0 },
  disk_log: { waiting: 7, batches: 8, bytes: 1200, losses: 0, is_full: false },
  store: {
    engine: 'sqlite',
    last_seq: 5,
    last_received_at: '2026-01-03T00:00:00.000000Z',
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

const killed = { ...process, id: 'b', pid: 41, seen_at: '2026-01-05T23:50:00.000000Z' };

/** Reports, by what the text says of them. */
const cases: Readonly<Record<string, Parameters<typeof statusText>[0]>> = {
  'what runs, where deliveries are, and what the tables have': running,
  'that there is no mirror yet': { running: false, processes: [], store: { state: 'no mirror yet' } },
  'which processes other machines have, where none runs here': { running: false, processes: [process] },
  'nothing of a process that was killed and replaced': {
    running: true,
    processes: [killed, { ...process, started_at: '2026-01-05T23:50:01.000000Z' }],
  },
  'since when a process that was not replaced does not report': { running: true, processes: [killed, process] },
  'that the queue and the store do not answer': {
    running: true,
    processes: [process, { ...process, role: 'receive' }],
    queue: { engine: 'postgres', state: 'not answering' },
    store: { state: 'not answering' },
  },
  'that the disk log is full, and that the queue lost jobs': {
    running: true,
    processes: [],
    disk_log: { waiting: 0, batches: 1, bytes: 2, losses: 3, is_full: true },
  },
  'what is empty in a word, and one of something as one': {
    running: true,
    processes: [],
    queue: { ...running.queue, waiting: 1 },
    disk_log: { ...running.disk_log, waiting: 0, batches: 0 },
    reconcile: { recent: { ...lastRun, read: 1, drift: { contacts: { missing: 1 } } } },
  },
  'nothing of a part whose shape it does not know': {
    running: true,
    processes: [],
    store: 7,
    alerts: { pending: 'many' },
  },
};

it('the text of status says what golden/status.txt shows', async () => {
  const texts = Object.entries(cases).map(([what, report]) => `# ${what}\n\n${statusText(report, nowMs)}\n`);
  await expectGolden(texts.join('\n'), 'golden/status.txt');
});

// The report of a process that is well, as a row of `processes`.
import type { MachineReport } from '#src/store/process-reports.ts';
import type { ProcessRow } from '#src/store/processes.ts';

export const processRow = (row: Partial<ProcessRow>): ProcessRow => ({
  id: 'a',
  role: 'start',
  host: 'one',
  pid: 7,
  version: '1.2.3',
  admin_url: 'http://127.0.0.1:8081',
  started_at: '2026-01-01T00:00:00.000000Z',
  seen_at: '2026-01-01T11:59:59.000000Z',
  queue: 'answering',
  queue_waiting: 0,
  queue_active: 0,
  queue_failed: 0,
  queue_oldest_at: null,
  active_oldest_at: null,
  queue_losses: 0,
  spool_deliveries: 0,
  spool_since: null,
  journal_batches: 0,
  journal_full: false,
  low_disks: null,
  machine: null,
  accepted: 0,
  refused: 0,
  refused_stale: 0,
  lag_p50_ms: null,
  lag_p99_ms: null,
  last_batch_at: null,
  ...row,
});

export const machineRow = (machine: Partial<MachineReport>): Pick<ProcessRow, 'machine'> => ({
  machine: JSON.stringify({ disks: [], refuses: false, down: [], clock_ahead_seconds: 0, ...machine }),
});

export const lowDisk = (part: string, freeMb: number) => ({
  part,
  folder: `/data/${part}`,
  free_mb: freeMb,
  is_low: true,
});

// What the rows of `processes` say. It reads no table: `status` asks running processes for theirs.
import { z } from 'zod';
import type { ProcessRow } from './processes.ts';
import { recordOf } from './schema/declaration.ts';
import { processes } from './schema/own-state.ts';

export const processRecord = recordOf(processes);

/**
 * A process that did not report for this long was killed, or does not reach the database. Longer than a report and the engines that it
 * waits for; short enough to be noticed within 30 seconds.
 */
const missingAfterMs = 25_000;

export const isMissing = ({ seen_at }: Pick<ProcessRow, 'seen_at'>, nowMs: number): boolean =>
  nowMs - Date.parse(seen_at) > missingAfterMs;

export const processName = ({ role, host, pid }: Pick<ProcessRow, 'role' | 'host' | 'pid'>): string =>
  `${role} on ${host} (pid ${pid})`;

export const namesOf = (rows: readonly ProcessRow[]): string => rows.map(processName).join(', ');

export const sumOf = (rows: readonly ProcessRow[], column: NumberColumn): number =>
  rows.reduce((sum, row) => sum + (row[column] ?? 0), 0);
type NumberColumn = 'accepted' | 'refused' | 'refused_stale' | 'spool_deliveries' | 'queue_losses';

/** What a process knows of its machine. */
const machineReport = z.object({
  disks: z.array(z.object({ part: z.string(), folder: z.string(), free_mb: z.number(), is_low: z.boolean() })),
  /** Whether it answers 503 to deliveries. */
  refuses: z.boolean(),
  down: z.array(z.string()),
  /** Whether it has deliveries of the last minutes on disk that were processed. */
  keeps: z.boolean().default(false),
  /** By how much its clock is ahead of that of the database. */
  clock_ahead_seconds: z.number(),
  /** The last migration that it knows; older versions do not say it. */
  schema: z.string().default(''),
});
export type MachineReport = z.output<typeof machineReport>;

const nothingReported: MachineReport = {
  disks: [],
  refuses: false,
  down: [],
  keeps: false,
  clock_ahead_seconds: 0,
  schema: '',
};

/** A process of another version may have another form. */
export function machineOf({ machine }: Pick<ProcessRow, 'machine'>): MachineReport {
  try {
    return machineReport.parse(JSON.parse(machine ?? ''));
  } catch {
    return nothingReported;
  }
}

export const diskText = (disks: MachineReport['disks']): string =>
  disks.map(({ part, folder, free_mb: free }) => `${part.replace('_', ' ')} ${free} MB in ${folder}`).join(', ');

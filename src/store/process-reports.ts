// What the rows of `processes` say. It reads no table: `status` asks running processes for theirs.
import { minuteMs } from '#src/base/time.ts';
import { recordOf } from './columns.ts';
import type { ProcessRow } from './processes.ts';
import { tables } from './tables.ts';

export const processRecord = recordOf(tables.processes);

/** A process that did not report for this long was killed, or does not reach the database. */
const missingAfterMs = minuteMs;

export const isMissing = ({ seen_at }: Pick<ProcessRow, 'seen_at'>, nowMs: number): boolean =>
  nowMs - Date.parse(seen_at) > missingAfterMs;

export const processName = ({ role, host, pid }: Pick<ProcessRow, 'role' | 'host' | 'pid'>): string =>
  `${role} on ${host} (pid ${pid})`;

export const sumOf = (rows: readonly ProcessRow[], column: NumberColumn): number =>
  rows.reduce((sum, row) => sum + (row[column] ?? 0), 0);
type NumberColumn = 'accepted' | 'refused' | 'refused_stale' | 'spool_deliveries' | 'journal_batches' | 'queue_losses';

/** Which disks are getting full, by process; empty when all have room. */
export const lowDisksText = (rows: readonly ProcessRow[]): string =>
  rows.flatMap((row) => (row.low_disks === null ? [] : [`${processName(row)}: ${row.low_disks}`])).join('; ');

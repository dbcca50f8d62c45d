// The report of a process that is well, as a row of `processes`.
import type { MachineReport } from '#src/store/process-reports.ts';
import type { ProcessRow } from '#src/store/processes.ts';
import { schemaVersion } from '#src/store/migrations.ts';
import well from './process-row.json' with { type: 'json' };

export const processRow = (row: Partial<ProcessRow>): ProcessRow =>
  ({ ...well, ...machineRow({}), ...row }) as ProcessRow;

export const machineRow = (machine: Partial<MachineReport>): Pick<ProcessRow, 'machine'> => ({
  machine: JSON.stringify({
    disks: [],
    refuses: false,
    down: [],
    clock_ahead_seconds: 0,
    schema: schemaVersion(),
    ...machine,
  }),
});

export const lowDisk = (part: string, freeMb: number) => ({
  part,
  folder: `/data/${part}`,
  free_mb: freeMb,
  is_low: true,
});

// The rows of `processes`: what each running process reports about itself. They hold no person and no secret.
import { hourMs, instantOf } from '#src/base/time.ts';
import type { Unit } from './contract.ts';
import { decodeRow, deleteRows, writeRows } from './rows.ts';
import type { TableRow } from './schema/tables.ts';

export type ProcessRow = TableRow<'processes'>;

export const heartbeatMs = 15_000;
/** The row of a process that was killed, or does not reach the database, is shown for this long. */
const shownMs = hourMs;

export const writeProcess = (unit: Unit, row: ProcessRow): Promise<void> => writeRows(unit, 'processes', [row]);

export const removeProcess = (unit: Unit, id: string): Promise<void> => deleteRows(unit, 'processes', 'id', [id]);

export async function expireProcesses({ db }: Unit, nowMs: number): Promise<void> {
  await db
    .deleteFrom('processes')
    .where('seen_at', '<', instantOf(nowMs - shownMs))
    .execute();
}

export async function listProcesses({ db, engine }: Unit, nowMs: number): Promise<readonly ProcessRow[]> {
  const rows = await db
    .selectFrom('processes')
    .selectAll()
    .where('seen_at', '>=', instantOf(nowMs - shownMs))
    .execute();
  return rows.map((row) => decodeRow(engine, 'processes', row));
}

// Where a walk through the service stands, in the store: whoever continues it finds it there, on any machine.
import type { z } from 'zod';
import type { Json } from '#src/store/columns.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { decodeRow, deleteRows, writeRows } from '#src/store/rows.ts';

/** What was left there; undefined when there is nothing, or nothing that this version understands. */
export async function readCheckpoint<Value>(
  { db, engine }: Pick<Unit | Store, 'db' | 'engine'>,
  key: string,
  reads: z.ZodType<Value>,
): Promise<Value | undefined> {
  const row = await db.selectFrom('sync_checkpoints').selectAll().where('key', '=', key).executeTakeFirst();
  if (row === undefined) return undefined;
  return reads.safeParse(decodeRow(engine, 'sync_checkpoints', row)['value']).data;
}

/** In the transaction of what it tells of, or after it: never before. */
export function writeCheckpoint(unit: Unit, key: string, value: Json): Promise<void> {
  return writeRows(unit, 'sync_checkpoints', [{ key, value }]);
}

export function removeCheckpoints(unit: Unit, keys: readonly string[]): Promise<void> {
  return deleteRows(unit, 'sync_checkpoints', 'key', keys);
}

/** Where a page is kept that was fetched and is being folded: a walk that was killed meanwhile need not fetch it again. */
export const stagedPageOf = (key: string): string => `page ${key}`;

/** Somebody is being forgotten, who may stand on one of them. The walks fetch those pages again. Answers how many there were. */
export async function dropStagedPages({ db }: Unit): Promise<number> {
  const dropped = db.deleteFrom('sync_checkpoints').where('key', 'like', stagedPageOf('%'));
  return Number((await dropped.executeTakeFirst()).numDeletedRows);
}

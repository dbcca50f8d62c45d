// The program's own state: leases, alert state, outage gaps, retention and reconcile results, the mirror's identity and the erasure
// key are rows of `key_values`; resume positions of backfills and sweeps are rows of `sync_checkpoints`.
import type { z } from 'zod';
import type { Json } from './columns.ts';
import type { Store, Unit } from './contract.ts';
import { lockKey } from './locks.ts';
import { runPrepared } from './prepared-sql.ts';
import { decodeRow, deleteRows, writeRows } from './rows.ts';

/** Where a value is stored, and what it must look like to be understood. */
export interface ValueAt<Value> {
  readonly table: 'key_values' | 'sync_checkpoints';
  readonly key: string;
  readonly schema: z.ZodType<Value>;
}

export function keyValue<Value>(key: string, schema: z.ZodType<Value>): ValueAt<Value> {
  return { table: 'key_values', key, schema };
}

/** A resume position. Losing one costs time, never data. */
export function checkpoint<Value>(key: string, schema: z.ZodType<Value>): ValueAt<Value> {
  return { table: 'sync_checkpoints', key, schema };
}

/** Undefined when there is no value, or none that this version understands. */
export async function readValue<Value>(
  from: Pick<Unit | Store, 'db' | 'engine'>,
  { table, key, schema }: ValueAt<Value>,
): Promise<Value | undefined> {
  const [row] = await runPrepared(from, {
    id: `value in ${table}`,
    values: { key },
    build: (given) => from.db.selectFrom(table).selectAll().where('key', '=', given.key),
  });
  return row === undefined ? undefined : schema.safeParse(decodeRow(from.engine, table, row).value).data;
}

/** In the transaction of the work that the value describes, or after it; never before. */
export function writeValue<Value>(unit: Unit, { table, key }: ValueAt<Value>, value: NoInfer<Value>): Promise<void> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schemas describe JSON; `undefined` is left out of it
  return writeRows(unit, table, [{ key, value: value as Json }]);
}

export async function removeValues(unit: Unit, values: readonly ValueAt<unknown>[]): Promise<void> {
  for (const { table, key } of values) await deleteRows(unit, table, 'key', [key]);
}

interface Change<Value, Result> {
  readonly result: Result;
  /** Absent: the value stays as it is. */
  readonly after?: Value | 'removed';
}

/** Reads a value and writes what `decide` makes of it. Concurrent changes of the same key run one after the other. */
export function changeValue<Value extends object, Result>(
  store: Store,
  at: ValueAt<Value>,
  decide: (before: Value | undefined) => Change<NoInfer<Value>, Result>,
): Promise<Result> {
  return store.transaction(async (unit) => {
    await lockKey(unit, at.key);
    const { result, after } = decide(await readValue(unit, at));
    if (after === 'removed') await removeValues(unit, [at]);
    else if (after !== undefined) await writeValue(unit, at, after);
    return result;
  });
}

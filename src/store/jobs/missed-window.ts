// An outage gap: the time since which deliveries may be missing. It is stored until it is repaired, so that it survives a crash.
import { z } from 'zod';
import type { Store, Unit } from '#src/store/contract.ts';
import { changeValue, keyValue, readValue, writeValue } from '#src/store/key-value.ts';
import { lockKey } from '#src/store/locks.ts';

const gap = z.object({
  since: z.string(),
  /** How often one was noted: one that comes while a repair runs is not repaired by it. */
  notes: z.number(),
});
export type Gap = Readonly<z.output<typeof gap>>;

const stored = keyValue('gap', gap);

/** The name of the job that repairs it. */
export const gapRepair = 'gap';

/** The earliest counts. */
export const noteGap = (store: Store, since: string): Promise<void> =>
  store.transaction((unit) => noteGapWithin(unit, since));

/** In the transaction of what found it. */
export async function noteGapWithin(unit: Unit, since: string): Promise<void> {
  await lockKey(unit, stored.key);
  const known = await readValue(unit, stored);
  const earliest = known !== undefined && known.since < since ? known.since : since;
  await writeValue(unit, stored, { since: earliest, notes: (known?.notes ?? 0) + 1 });
}

export function openGap(store: Store): Promise<Gap | undefined> {
  return readValue(store, stored);
}

/** Unless another was noted since this one was read. */
export async function closeGap(store: Store, repaired: Gap): Promise<void> {
  await changeValue(store, stored, (known) =>
    known?.notes === repaired.notes ? { result: undefined, after: 'removed' } : { result: undefined },
  );
}

// A gap: since when deliveries may be missing. Kept in the store until it is repaired, so that no crash forgets it.
import { z } from 'zod';
import type { Store } from '#src/store/contract.ts';
import { readCheckpoint, removeCheckpoints, writeCheckpoint } from '#workers/sync/checkpoints.ts';

const gap = z.object({
  since: z.string(),
  /** How often one was noted: one that comes while a repair runs is not repaired by it. */
  notes: z.number(),
});
export type Gap = Readonly<z.output<typeof gap>>;

const key = 'gap';

/** The name of the job that repairs it. */
export const gapRepair = 'gap';

/** The earliest counts. */
export async function noteGap(store: Store, since: string): Promise<void> {
  await store.transaction(async (unit) => {
    await unit.engine.lockLog(unit.db);
    const known = await readCheckpoint(unit, key, gap);
    const earliest = known !== undefined && known.since < since ? known.since : since;
    await writeCheckpoint(unit, key, { since: earliest, notes: (known?.notes ?? 0) + 1 });
  });
}

export function openGap(store: Store): Promise<Gap | undefined> {
  return readCheckpoint(store, key, gap);
}

/** Unless another was noted since this one was read. */
export async function closeGap(store: Store, repaired: Gap): Promise<void> {
  await store.transaction(async (unit) => {
    await unit.engine.lockLog(unit.db);
    const known = await readCheckpoint(unit, key, gap);
    if (known?.notes === repaired.notes) await removeCheckpoints(unit, [key]);
  });
}

// A gap: since when deliveries may be missing. Kept in the store until it is repaired, so that no crash forgets it.
import { z } from 'zod';
import type { Store } from '#src/store/contract.ts';
import { readCheckpoint, removeCheckpoints, writeCheckpoint } from './checkpoints.ts';

const gap = z.object({ since: z.string() });
const key = 'gap';

/** The earliest counts. */
export async function noteGap(store: Store, since: string): Promise<void> {
  await store.transaction(async (unit) => {
    await unit.engine.lockLog(unit.db);
    const known = await readCheckpoint(unit, key, gap);
    if (known === undefined || since < known.since) await writeCheckpoint(unit, key, { since });
  });
}

export async function openGap(store: Store): Promise<string | undefined> {
  return (await readCheckpoint(store, key, gap))?.since;
}

/** Unless an earlier one was noted meanwhile. */
export async function closeGap(store: Store, repairedSince: string): Promise<void> {
  await store.transaction(async (unit) => {
    await unit.engine.lockLog(unit.db);
    const known = await readCheckpoint(unit, key, gap);
    if (known !== undefined && known.since >= repairedSince) await removeCheckpoints(unit, [key]);
  });
}

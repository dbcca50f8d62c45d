// Whether the mirror was filled once: by a first backfill of everything.
import { z } from 'zod';
import type { Store } from '#src/store/contract.ts';
import { changeValue, keyValue, readValue } from '#src/store/key-value.ts';

/** Whether everything was copied once, and when that was. */
const firstBackfill = keyValue('mirrored', z.object({ filled: z.boolean(), filled_at: z.string().optional() }));

/** Whether a first backfill has completed. Until then every row that it has not copied yet would count as drift. */
export async function isFilled(store: Pick<Store, 'db' | 'engine'>): Promise<boolean> {
  return (await readValue(store, firstBackfill))?.filled ?? false;
}

/** When the first backfill completed. */
export async function filledAt(store: Pick<Store, 'db' | 'engine'>): Promise<string | undefined> {
  return (await readValue(store, firstBackfill))?.filled_at;
}

/** Called when everything was copied. */
export function recordFilled(store: Store, at: string): Promise<void> {
  return changeValue(store, firstBackfill, (known) =>
    known?.filled ? { result: undefined } : { result: undefined, after: { filled: true, filled_at: at } },
  );
}

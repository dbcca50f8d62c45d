// Who reads the feed under a name, and how what they are done with is remembered.
import { z } from 'zod';
import { instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { advancePosition } from '#src/store/log/consumer-offsets.ts';

/** Without a colon: names with one are our own. */
export const consumerName = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, '1 to 64 letters, digits, dots, dashes or underscores');

export interface Done {
  readonly name: string;
  readonly position: number;
  readonly nowMs: number;
}

/** In a transaction of its own, so that a busy store is tried again. */
export function acknowledge(store: Store, { name, position, nowMs }: Done): Promise<void> {
  return store.transaction((unit) => advancePosition(unit, { name, position, updatedAt: instantOf(nowMs) }));
}

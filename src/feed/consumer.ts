// Named consumers of the feed: how their names look, and how they acknowledge entries.
import { z } from 'zod';
import { instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { advancePosition } from '#src/store/log/consumer-offsets.ts';

/** No colon: names with a colon are reserved for internal consumers. */
export const consumerName = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, '1 to 64 letters, digits, dots, dashes or underscores');

interface Acknowledgement {
  readonly name: string;
  readonly position: number;
  readonly nowMs: number;
}

/** Runs in its own transaction, which is retried while the store is busy. */
export function acknowledge(store: Store, { name, position, nowMs }: Acknowledgement): Promise<void> {
  return store.transaction((unit) => advancePosition(unit, { name, position, updated_at: instantOf(nowMs) }));
}

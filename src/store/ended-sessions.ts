// The sessions of browsers that were ended before their time, each a row of `key_values`, so that they stay ended in every process of the
// mirror and after a restart. A row is removed once the session would have ended by itself.
import { z } from 'zod';
import type { Store } from './contract.ts';
import { keyValue, readValue, writeValue } from './key-value.ts';

const prefix = 'ended session ';
/** `session` begins with the second at which it ends by itself. */
const ended = (session: string) => keyValue(prefix + session, z.object({ ended_at: z.string() }));

export const isEnded = async (store: Pick<Store, 'db' | 'engine'>, session: string): Promise<boolean> =>
  (await readValue(store, ended(session))) !== undefined;

export function recordEnd(store: Store, session: string, nowMs: number): Promise<void> {
  return store.transaction(async (unit) => {
    await unit.db
      .deleteFrom('key_values')
      .where('key', 'like', `${prefix}%`)
      .where('key', '<', prefix + String(Math.floor(nowMs / 1000)))
      .execute();
    await writeValue(unit, ended(session), { ended_at: new Date(nowMs).toISOString() });
  });
}

// Erasures in tests: with a key of the test's own, and everything that a store holds as text, to see that a person is not in it.
import type { Store } from '#src/store/contract.ts';
import { erase } from '#workers/privacy/erase.ts';
import { targetOf } from '#workers/privacy/target.ts';
import { rowsOf, tableNames } from './stores.ts';

const newKey = (): string => 'k'.repeat(64);

export const eraseFrom = (
  store: Store,
  whom: string,
  options: { readonly now: string; readonly only?: boolean; readonly dryRun?: boolean },
): ReturnType<typeof erase> => erase({ store, newKey }, targetOf(whom), options);

/** Every row of every table, in lower case. */
export async function everythingIn(store: Store): Promise<string> {
  const rows = await Promise.all(tableNames.map((table) => rowsOf(store, table)));
  return JSON.stringify(rows).toLowerCase();
}

// When each rule was first loaded: a rule reports only what happened after that, and a rule that is added later reports nothing from before.
import { z } from 'zod';
import type { Store } from '#src/store/contract.ts';
import { changeValue, keyValue } from '#src/store/key-value.ts';

/** By the name of the rule. Names are never removed: during a deployment, processes with an older rules file still run. */
const stored = keyValue('alerts rules', z.record(z.string(), z.string()));

/** Records rules that were never loaded before. Returns the times of all. Runs before the watcher is registered. */
export async function registerRules(
  store: Store,
  rules: readonly { readonly name: string }[],
  now: string,
): Promise<ReadonlyMap<string, string>> {
  const times = await changeValue(store, stored, (before) => {
    const added = rules.filter(({ name }) => !Object.hasOwn(before ?? {}, name));
    if (before !== undefined && added.length === 0) return { result: before };
    const after = { ...before, ...Object.fromEntries(added.map(({ name }) => [name, now])) };
    return { result: after, after };
  });
  return new Map(Object.entries(times));
}

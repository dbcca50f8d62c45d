// The changes of a log entry as the log stores them and readers get them: table → column → [before, after]. A row that the entry created
// has no columns here, because the body has its values.
import type { Json } from '#src/store/columns.ts';
import type { Changes, Effect } from '#workers/fold/projections/merge.ts';

/** In characters of JSON. A contact's addresses are shorter, which alerts look for. */
export const longestValue = 4_000;

export function storedChanges({ changes, created }: Pick<Effect, 'changes' | 'created'>): Changes | null {
  if (changes === null) return null;
  const stored: Record<string, Changes[string]> = {};
  for (const [table, columns] of Object.entries(changes))
    stored[table] = created.includes(table)
      ? {}
      : Object.fromEntries(Object.entries(columns).map(([name, [before, after]]) => [name, [cut(before), cut(after)]]));
  return stored;
}

/** Nothing of a longer value is stored: erasure would not find a part of an address. */
function cut(value: Json): Json {
  const length = JSON.stringify(value).length;
  return length > longestValue ? `… (${length} characters)` : value;
}

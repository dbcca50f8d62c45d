// Puts into rows what a fact says now, after somebody was taken out of it: where it had decided, it still does.
import type { Json } from '#src/store/columns.ts';
import type { Compiled } from './contract.ts';
import type { Rows } from './merge.ts';

/** The fact has the versions it always had, so the fields it decided are those of its version. No other fact is asked. */
export function retell(rows: Rows, { assignments }: Compiled): void {
  for (const { table, uri, version, fields } of assignments) {
    const live = rows(table, uri);
    const lagging = (live.row['lagging'] ?? {}) as Record<string, string>;
    for (const [field, values] of Object.entries(fields)) {
      if ((lagging[field] ?? live.row['version']) !== version) continue;
      for (const [column, value] of Object.entries(values)) {
        if (textOf(live.row[column] ?? null) === textOf(value)) continue;
        live.row[column] = value;
        live.columns.add(column);
        live.touched = true;
      }
    }
  }
}

// Text, not value: the stored order of keys is that of the fact which decided.
const textOf = (value: Json): string => JSON.stringify(value);

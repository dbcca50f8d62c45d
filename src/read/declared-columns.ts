// What the declaration of a table says of one of its columns, for those who show rows.
import type { Column, DeclaredTable } from '#src/store/schema/declaration.ts';
import { declaredTables } from '#src/store/schema/tables.ts';

const columns = new Map<string, Column>(
  Object.values<DeclaredTable>(declaredTables).flatMap((table) =>
    Object.entries(table.columns).map(([name, column]) => [`${table.name}.${name}`, column] as const),
  ),
);

/** By `table.column`. Undefined for a column that this version does not have. */
export const declaredColumn = (path: string): Column | undefined => columns.get(path);

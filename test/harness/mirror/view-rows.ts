// The rows of a view as the program sees them, in the order of its key.
import { sql } from 'kysely';
import { type Json, type StoredColumns } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { shapeOfView } from '#src/store/views/views.ts';

export async function viewRows(store: Store, name: string): Promise<StoredRow[]> {
  const shape = await shapeOfView(store, name);
  if (shape === undefined) throw new Error(`No view ${name}.`);
  const columns = Object.entries(shape.columns);
  const list = sql.join(columns.map(([column]) => sql.id(column)));
  const { rows } = await sql<StoredColumns>`select ${list} from ${sql.table(name)}`.execute(store.db);
  const decoded = rows.map((row) =>
    Object.fromEntries(columns.map(([column, kind]) => [column, store.engine.decode(kind, row[column] ?? null)])),
  );
  return inOrder(decoded, shape.key);
}

export function inOrder(rows: readonly StoredRow[], key: readonly string[]): StoredRow[] {
  const keyOf = (row: StoredRow): string => JSON.stringify(key.map((column): Json => row[column] ?? null));
  return rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

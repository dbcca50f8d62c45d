// A no-show mark by the end of its URI, `/invitee_no_shows/<uuid>`: no index has it, and marks are few.
import { sql } from 'kysely';
import type { Readable } from '#src/store/contract.ts';
import type { StoredColumns } from '#src/store/columns.ts';
import { decodeRow } from '#src/store/rows.ts';
import type { TableRow } from '#src/store/schema/tables.ts';

/** While it is open. */
export async function markNamed({ db, engine }: Readable, end: string): Promise<TableRow<'no_shows'> | undefined> {
  const { rows } = await sql<StoredColumns>`select * from ${sql.table('no_shows')}
    where unmarked_at is null and substr(no_show_uri, length(no_show_uri) - ${end.length - 1}) = ${end} limit 1`.execute(
    db,
  );
  return rows[0] && decodeRow(engine, 'no_shows', rows[0]);
}

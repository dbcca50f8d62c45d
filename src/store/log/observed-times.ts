// The observation times of records at the beginning of a rebuild. They may change while the rebuild reads the log; entries whose
// time has changed are folded again.
import { sql, type Kysely } from 'kysely';
import type { Unit } from '#src/store/contract.ts';
import type { LogEntry } from './read.ts';
import type { StoredColumns } from '#src/store/columns.ts';
import { decodeRow } from '#src/store/rows.ts';
import type { Database } from '#src/store/schema/tables.ts';

const recorded = sql.table('recorded_observations');

/** Records the times of all reads up to an offset, in a temporary table of this connection. */
export async function recordObservedTimes(connection: Kysely<Database>, upTo: number): Promise<void> {
  await sql`create temporary table ${recorded} as
    select seq, occurred_at from ${sql.table('event_log')} where source <> 'webhook' and seq <= ${upTo}`.execute(
    connection,
  );
}

/** Up to `limit` entries after an offset whose time has changed since it was recorded. */
export async function entriesObservedSince(
  { db, engine }: Unit,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<LogEntry[]> {
  const { rows } = await sql<StoredColumns>`select entry.* from ${recorded} as recorded
    join ${sql.table('event_log')} as entry on entry.seq = recorded.seq
    where recorded.seq > ${after} and entry.occurred_at is distinct from recorded.occurred_at
    order by recorded.seq limit ${limit}`.execute(db);
  return rows.map((row) => decodeRow(engine, 'event_log', row));
}

export async function dropObservedTimes(connection: Kysely<Database>): Promise<void> {
  await sql`drop table if exists ${recorded}`.execute(connection);
}

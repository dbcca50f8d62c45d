// When contents of the API were observed, as it stood at one moment: those times move while a rebuild reads the log, and what
// moved is to be folded again.
import { sql, type Kysely } from 'kysely';
import type { Unit } from './contract.ts';
import type { LogEntry } from '#src/store/log/log.ts';
import type { StoredColumns } from './columns.ts';
import { decodeRow } from './rows.ts';
import type { Database } from './tables.ts';

const noted = sql.table('noted_observations');

/** Notes the times of all reads up to a place in the log, for this connection. */
export async function noteObservations(connection: Kysely<Database>, upTo: number): Promise<void> {
  await sql`create temporary table ${noted} as
    select seq, occurred_at from event_log where source <> 'webhook' and seq <= ${upTo}`.execute(connection);
}

/** Up to `limit` entries after a place in the log whose time has moved since it was noted. */
export async function observedSince(
  { db, engine }: Unit,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<LogEntry[]> {
  const { rows } = await sql<StoredColumns>`select entry.* from ${noted} as noted
    join event_log as entry on entry.seq = noted.seq
    where noted.seq > ${after} and entry.occurred_at is distinct from noted.occurred_at
    order by noted.seq limit ${limit}`.execute(db);
  return rows.map((row) => decodeRow(engine, 'event_log', row));
}

export async function dropObservations(connection: Kysely<Database>): Promise<void> {
  await sql`drop table if exists ${noted}`.execute(connection);
}

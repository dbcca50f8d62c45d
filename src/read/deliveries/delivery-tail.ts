// The end of the log, and the newest deliveries with their bodies, found in the index of kinds: a backfill may have written any number of entries after them.
import { sql } from 'kysely';
import { allEventKinds } from '#schemas/events.ts';
import type { Readable } from '#src/store/contract.ts';
import { decodeColumns } from '#src/store/rows.ts';
import { columnsOf, type TableRow } from '#src/store/schema/tables.ts';
import { isUnprojected, lastSeq } from '#src/store/log/read.ts';

/** The offset of the newest entry. What is read afterwards has it. */
export const endOfLog = ({ store }: { readonly store: Readable }): Promise<number> => lastSeq(store);

const columns = columnsOf('event_log', 'seq delivery_id event received_at outcome redacted encoding body');

export type EntryWithBody = Pick<TableRow<'event_log'>, (typeof columns)[number]>;

export async function newestDeliveries({ db, engine }: Readable, limit: number): Promise<readonly EntryWithBody[]> {
  const conditions = [
    ...allEventKinds.map((kind) => sql`event = ${kind}`),
    // Those of unknown kinds, and those that could not be parsed.
    sql`${isUnprojected} and source = 'webhook'`,
  ];
  const parts = conditions.map(
    (condition) =>
      sql`select * from (select seq from ${sql.table('event_log')} where ${condition} order by seq desc limit ${limit}) as part`,
  );
  // A quarantined delivery of a known kind is in two parts.
  const all = sql.join(parts, sql` union `);
  const { rows: found } = await sql<{ seq: number }>`${all} order by seq desc limit ${limit}`.execute(db);
  return entriesWithBodies(
    { db, engine },
    found.map(({ seq }) => seq),
  );
}

export async function entriesWithBodies(
  { db, engine }: Readable,
  seqs: readonly number[],
): Promise<readonly EntryWithBody[]> {
  if (seqs.length === 0) return [];
  const rows = await db
    .selectFrom('event_log')
    .select(columns)
    .where('seq', 'in', seqs)
    .orderBy('seq', 'desc')
    .execute();
  return rows.map((row) => decodeColumns(engine, { table: 'event_log', columns }, row));
}

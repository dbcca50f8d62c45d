// Removes the content of old log entries. The entries themselves stay, as the ledger of everything received.
import { sql } from 'kysely';
import type { Readable, Store, Unit } from '#src/store/contract.ts';
import type { LogEntry } from './read.ts';
import { decodeRow } from '#src/store/rows.ts';
import { chunks } from '#src/store/prepared-sql.ts';

export interface AgedEntry {
  readonly seq: number;
  /** The length of its body. */
  readonly bytes: number;
}

export interface AgedPage {
  /** The last offset of the page; undefined at the end of the log. */
  readonly last: number | undefined;
  readonly aged: readonly AgedEntry[];
}

/** Those of the next `limit` entries that were received before a time and still have content, without reading the content. */
export async function agedEntries(
  { db }: Store,
  { after, limit, before }: { readonly after: number; readonly limit: number; readonly before: string },
): Promise<AgedPage> {
  const rows = await db
    .selectFrom('event_log')
    .select([
      'seq',
      'received_at',
      sql<number | null>`octet_length(body)`.as('bytes'),
      sql`changes is not null`.as('changed'),
    ])
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute();
  const aged = rows.filter(
    ({ received_at: at, bytes, changed }) => at < before && (bytes !== null || Boolean(changed)),
  );
  return {
    last: rows.length === 0 ? undefined : Number(rows.at(-1)?.seq),
    aged: aged.map(({ seq, bytes }) => ({ seq, bytes: bytes ?? 0 })),
  };
}

export async function entriesAt({ db, engine }: Readable, seqs: readonly number[]): Promise<LogEntry[]> {
  if (seqs.length === 0) return [];
  const rows = await db.selectFrom('event_log').selectAll().where('seq', 'in', seqs).orderBy('seq').execute();
  return rows.map((row) => decodeRow(engine, 'event_log', row));
}

/** The columns that change when an entry is observed again, replayed, redacted or moved. */
export type EntryState = Pick<LogEntry, 'seq' | 'delivery_id' | 'occurred_at' | 'outcome' | 'redacted'>;

/** The current state by offset. The caller holds the log's lock. */
export async function statesAt({ db, engine }: Unit, seqs: readonly number[]): Promise<Map<number, EntryState>> {
  if (seqs.length === 0) return new Map();
  const rows = await db
    .selectFrom('event_log')
    .select(['seq', 'delivery_id', 'occurred_at', 'outcome', 'redacted'])
    .where('seq', 'in', seqs)
    .execute();
  return new Map(rows.map((row) => [row.seq, { ...row, redacted: engine.decode('flag', row.redacted) } as EntryState]));
}

/** Removes everything from entries but their identity, times and outcome. */
export async function pruneEntries({ db, engine }: Unit, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return;
  await engine.noteRedaction(db);
  for (const chunk of chunks(seqs))
    await db
      .updateTable('event_log')
      .set({ body: null, encoding: null, changes: null, redacted: engine.encode('flag', true) })
      .where('seq', 'in', chunk)
      .execute();
}

/** Removes the recorded changes from entries: former values, from which nothing is derived. */
export async function blankChanges({ db, engine }: Unit, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return;
  await engine.noteRedaction(db);
  for (const chunk of chunks(seqs))
    await db.updateTable('event_log').set({ changes: null }).where('seq', 'in', chunk).execute();
}

/** Which of these entries were pruned. A redacted entry has a stub as its body. */
export async function prunedAmong(unit: Unit, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await unit.db
    .selectFrom('event_log')
    .select('delivery_id')
    .where('delivery_id', 'in', ids)
    .where('body', 'is', null)
    .execute();
  return new Set(rows.map(({ delivery_id: id }) => id));
}

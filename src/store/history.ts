// The log entries that touched a row: those about it, for a scheduled event those about its invitees, and for a user those
// about their memberships.
import { sql } from 'kysely';
import type { Store } from './contract.ts';
import type { LogEntry } from './log.ts';
import { decodeRow } from './rows.ts';

export interface HistoryPage {
  readonly uri: string;
  readonly after: number;
  readonly limit: number;
}

/** Up to `limit` of them after a place in the log, in order. */
export async function historyOf({ db, engine }: Store, { uri, after, limit }: HistoryPage): Promise<LogEntry[]> {
  // One list of subjects, so that both engines look each up in the index instead of reading the whole log.
  const subjects = db
    .selectNoFrom(sql`cast(${uri} as text)`.as('subject'))
    .unionAll(db.selectFrom('invitees').select('uri as subject').where('event_uri', '=', uri))
    .unionAll(db.selectFrom('organization_memberships').select('uri as subject').where('user_uri', '=', uri));
  const rows = await db
    .selectFrom('event_log')
    .selectAll()
    .where('subject_uri', 'in', subjects)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map((row) => decodeRow(engine, 'event_log', row) as LogEntry);
}

// The log entries that touched a row: those about it, for a scheduled event those about its invitees, and for a user those
// about their memberships.
import type { Store } from './contract.ts';
import type { LogEntry } from './log.ts';
import { decodeRow } from './rows.ts';

export async function historyOf(store: Store, uri: string): Promise<LogEntry[]> {
  const rows = await store.db
    .selectFrom('event_log')
    .selectAll()
    .where((where) =>
      where.or([
        where('subject_uri', '=', uri),
        where('subject_uri', 'in', where.selectFrom('invitees').select('invitees.uri').where('event_uri', '=', uri)),
        where(
          'subject_uri',
          'in',
          where
            .selectFrom('organization_memberships')
            .select('organization_memberships.uri')
            .where('user_uri', '=', uri),
        ),
      ]),
    )
    .orderBy('seq')
    .execute();
  return rows.map((row) => decodeRow(store.engine, 'event_log', row) as LogEntry);
}

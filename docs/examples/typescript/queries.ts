// Queries the tables with types, by Kysely: who is invited to meetings after this time.
import type { Kysely } from 'kysely';
import type { Database, Row } from 'slotstream/tables';

export function upcoming(db: Kysely<Database>, now: Date): Promise<Pick<Row<'invitees'>, 'uri' | 'email'>[]> {
  return db
    .selectFrom('invitees')
    .innerJoin('scheduled_events', 'scheduled_events.uri', 'invitees.event_uri')
    .where('scheduled_events.start_time', '>', now)
    .where('invitees.status', '=', 'active')
    .select(['invitees.uri', 'invitees.email'])
    .execute();
}

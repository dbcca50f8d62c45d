// The conditions by which meeting recaps are searched.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { containsText, lowerCaseEmail, type Sql, type SqlDialect } from '#src/store/sql-dialect.ts';

export interface RecapSearch {
  readonly host?: string | undefined;
  readonly attendee?: string | undefined;
  /** Anywhere in the name of the meeting and in the texts of the recap; only the letters A to Z in any case. */
  readonly text?: string | undefined;
}

const searchedTexts = ['event_name', 'summary_md', 'action_items_md', 'discussion_md'];

/** By who was there, and by what was said. */
export const recapFilters = (
  dialect: SqlDialect,
  { host, attendee, text }: RecapSearch,
): readonly RawBuilder<SqlBool>[] => [
  ...(host === undefined ? [] : [hostedBy(dialect, host)]),
  ...(attendee === undefined ? [] : [attendedBy(dialect, sql`${lowerCaseEmail(attendee)}`)]),
  ...(text === undefined || text === '' ? [] : [hasText(dialect, text)]),
];

const hasText = (dialect: SqlDialect, text: string): RawBuilder<SqlBool> =>
  sql`(${sql.join(
    searchedTexts.map((column) => containsText(dialect, column, text)),
    sql` or `,
  )})`;

/** A host of the mirrored meeting; of a meeting that was not booked here, a user who took part in it. */
const hostedBy = (dialect: SqlDialect, user: string): RawBuilder<SqlBool> =>
  sql`(exists (select 1 from ${sql.table('scheduled_events')} where scheduled_events.uri = meeting_recaps.event_uri
      and ${dialect.hasUserAmong(sql`scheduled_events.hosts`, sql`select cast(${user} as text)`)})
    or (event_uri is null and ${attendedBy(dialect, sql`(select ${dialect.lowerCase('users.email')} from ${sql.table('users')} where uri = ${user})`)}))`;

const attendedBy = (dialect: SqlDialect, address: Sql): RawBuilder<SqlBool> =>
  sql`exists (select 1 from ${dialect.items(sql`meeting_recaps.attendees`)}
    where lower(${dialect.itemText('user_email')}) = ${address})`;

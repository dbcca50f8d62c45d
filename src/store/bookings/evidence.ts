// Whether an invitee came to a meeting, as far as answers, recaps and transcripts show. A meeting that ended without a no-show mark counts
// as held, but silence is not presence: only an answer, a recap or a transcript is evidence, in this order.
//
// A32: the attendees of a recap are the people who were present; `host` says which of them are hosts. A speaker of a transcript is
// named by name or by e-mail address.
import { sql, type RawBuilder } from 'kysely';
import type { StoreEngine } from '#src/store/contract.ts';
import type { Sql, SqlDialect } from '#src/store/sql-dialect.ts';
import { bookingSql } from './booking-sql.ts';

export const attendances = ['no_show', 'confirmed', 'likely', 'suspected_no_show', 'unconfirmed'] as const;
export type Attendance = (typeof attendances)[number];

/** Held, but nothing shows that the invitee was there. */
export const withoutEvidence = sql`'unconfirmed', 'suspected_no_show'`;

/**
 * What one recap says of an invitee, the strongest first. The smallest text of all recaps of the meeting decides: if anyone besides
 * hosts appears in one of them, another one with hosts only does not make it a no-show.
 */
const evidence = { confirmed: '1', likely: '2', others: '3', hostsOnly: '4', nothing: '5' } as const;

/** Of the invitee `last`: the attendance if the meeting was held, and the recap or the log entry of an answer that it follows from. */
export function evidenceOf({
  name: engine,
  dialect,
}: Pick<StoreEngine, 'name' | 'dialect'>): Readonly<Record<'attendance' | 'recap' | 'entry', Sql>> {
  const { bytes, items, itemText } = dialect;
  const { itemIsTrue, item } = bookingSql[engine];
  const same = (text: Sql): Sql => sql`nullif(${dialect.plainCase(text)}, '')`;
  const [email, name] = [same(sql`last.email`), same(sql`last.name`)];
  const [attendees, speakers] = [items(sql`meeting_recaps.attendees`), items(sql`meeting_recaps.speakers`)];
  const isHost = itemIsTrue('host');
  const isInvitee = sql`(${same(itemText('user_email'))} = ${email}
      or (${same(itemText('user_email'))} is null and ${same(itemText('user_name'))} = ${name}))`;
  const hosts = ['user_email', 'user_name'].map(
    (member) =>
      sql`select ${dialect.plainCase(itemText(member))} from ${attendees} where ${isHost} and ${itemText(member)} is not null`,
  );
  const ofRecap = sql`case
      when exists (select 1 from ${speakers} where ${same(item)} in (${email}, ${name})) then ${sql.lit(evidence.confirmed)}
      when exists (select 1 from ${attendees} where not ${isHost} and ${isInvitee}) then ${sql.lit(evidence.likely)}
      when exists (select 1 from ${attendees} where not ${isHost})
        or exists (select 1 from ${speakers} where ${same(item)} not in (${sql.join(hosts, sql` union all `)}))
        then ${sql.lit(evidence.others)}
      when exists (select 1 from ${attendees}) then ${sql.lit(evidence.hostsOnly)}
      else ${sql.lit(evidence.nothing)} end`;
  const best = sql`(select min(${bytes(sql`${ofRecap} || meeting_recaps.uri`)}) from ${sql.table('meeting_recaps')}
      where meeting_recaps.event_uri = last.event_uri and meeting_recaps.deleted_at is null)`;
  return {
    attendance: sql`case when last.attendance_entry is not null then 'confirmed' else case substr(${best}, 1, 1) when ${sql.lit(evidence.confirmed)} then 'confirmed'
      when ${sql.lit(evidence.likely)} then 'likely' when ${sql.lit(evidence.hostsOnly)} then 'suspected_no_show' else 'unconfirmed' end end`,
    recap: sql`case when last.attendance_entry is null then substr(${best}, 2) end`,
    entry: sql`last.attendance_entry`,
  };
}

/** Of a row of `bookings`, as if its meeting had ended: null for one that was canceled or moved. */
export const attendanceIfHeld = (bookings = 'bookings'): RawBuilder<string | null> =>
  sql`case when ${sql.ref(`${bookings}.ending`)} is null then ${sql.ref(`${bookings}.evidence`)}
    when ${sql.ref(`${bookings}.ending`)} = 'no_show' then 'no_show' end`;

/** Of a row of `bookings`: null for one that is upcoming, was canceled or moved. */
export const attendanceOf = ({ now }: SqlDialect, bookings = 'bookings'): RawBuilder<string | null> => {
  const ref = (name: string) => sql.ref(`${bookings}.${name}`);
  return sql`case when ${ref('ending')} = 'no_show' then 'no_show'
    when ${ref('ending')} is null and coalesce(${ref('end_time')}, ${ref('start_time')}) <= ${now} then ${ref('evidence')} end`;
};

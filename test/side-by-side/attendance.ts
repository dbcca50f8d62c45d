// Whether an invitee came to a meeting, and the record that says so. A meeting that ended without a no-show mark counts as held, but
// silence is not presence: only a recap or a transcript is evidence.
//
// A32: the attendees of a recap are the people who were present; `host` says which of them are hosts. A speaker of a transcript is
// named by name or by e-mail address.
import { sql, type RawBuilder } from 'kysely';
import type { Sql, SqlDialect } from '#src/store/sql-dialect.ts';

/** Held, but nothing shows that the invitee was there. */
export const withoutEvidence = sql`'unconfirmed', 'suspected_no_show'`;

/** One booking in a query. */
export interface AttendanceInput {
  /** How it ended, as `outcomeOf` has it. */
  readonly outcome: Sql;
  /** The table or query with the columns of `invitees`: `event_uri`, `no_show_uri`, and these two under their own names or others. */
  readonly from: string;
  readonly email?: string;
  readonly name?: string;
}

/**
 * What one recap says of an invitee, the strongest first. The smallest text of all recaps of the meeting decides: if anyone besides
 * hosts appears in one of them, another one with hosts only does not make it a no-show.
 */
const evidence = { confirmed: '1', likely: '2', others: '3', hostsOnly: '4', nothing: '5' } as const;

export function attendanceOf(
  dialect: SqlDialect,
  { outcome, from, ...columns }: AttendanceInput,
): { readonly attendance: RawBuilder<string | null>; readonly basis: Sql } {
  const email = sql.ref(`${from}.${columns.email ?? 'email'}`);
  const name = sql.ref(`${from}.${columns.name ?? 'name'}`);
  const { bytes, items, itemText, itemIsTrue, item } = dialect;
  const same = (text: Sql): Sql => sql`nullif(${dialect.plainCase(text)}, '')`;
  const [attendees, speakers] = [items(sql`meeting_recaps.attendees`), items(sql`meeting_recaps.speakers`)];
  const isHost = itemIsTrue('host');
  const isInvitee = sql`(${same(itemText('user_email'))} = ${same(email)}
      or (${same(itemText('user_email'))} is null and ${same(itemText('user_name'))} = ${same(name)}))`;
  const hosts = ['user_email', 'user_name'].map(
    (member) =>
      sql`select ${dialect.plainCase(itemText(member))} from ${attendees} where ${isHost} and ${itemText(member)} is not null`,
  );
  const found = (kind: keyof typeof evidence): Sql => sql`${sql.lit(evidence[kind])} || meeting_recaps.uri`;
  const evidenceOfRecap = sql`case
      when exists (select 1 from ${speakers} where ${same(item)} in (${same(email)}, ${same(name)})) then ${found('confirmed')}
      when exists (select 1 from ${attendees} where not ${isHost} and ${isInvitee}) then ${found('likely')}
      when exists (select 1 from ${attendees} where not ${isHost})
        or exists (select 1 from ${speakers} where ${same(item)} not in (${sql.join(hosts, sql` union all `)}))
        then ${sql.lit(evidence.others)}
      when exists (select 1 from ${attendees}) then ${found('hostsOnly')}
      else ${sql.lit(evidence.nothing)} end`;
  const best = sql`(select min(${bytes(evidenceOfRecap)}) from meeting_recaps
      where meeting_recaps.event_uri = ${sql.ref(`${from}.event_uri`)} and meeting_recaps.deleted_at is null)`;
  return {
    attendance: sql`case ${outcome} when 'no_show' then 'no_show' when 'held' then
      case substr(${best}, 1, 1) when ${sql.lit(evidence.confirmed)} then 'confirmed' when ${sql.lit(evidence.likely)} then 'likely'
        when ${sql.lit(evidence.hostsOnly)} then 'suspected_no_show' else 'unconfirmed' end end`,
    basis: sql`case ${outcome} when 'no_show' then ${sql.ref(`${from}.no_show_uri`)} when 'held' then nullif(substr(${best}, 2), '') end`,
  };
}

/** Of a row of `journeys`. */
export const attendanceOfJourney = (dialect: SqlDialect) =>
  attendanceOf(dialect, {
    outcome: sql.ref('journeys.outcome'),
    from: 'journeys',
    email: 'invitee_email',
    name: 'invitee_name',
  });

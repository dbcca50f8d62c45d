// Routing forms that led to a booking page and to no booking: who submitted them, and whether that person booked in another way.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Store } from '#src/store/contract.ts';
import type { Sql, SqlDialect } from '#src/store/sql-dialect.ts';
import { utmColumns } from '#src/store/schema/tables.ts';
import { routingAnswersIn } from './list-items.ts';
import { json, text, time, type View } from './view.ts';

export const unbookedSubmissions: View = {
  name: 'unbooked_submissions',
  about: 'One row per submission of a routing form that led to a booking page and that no booking refers to.',
  columns: {
    submission_uri: text('URI of the submission'),
    routing_form: text('URI of the form'),
    routing_form_name: text('name of the form, if the form is mirrored'),
    created_at: time('when the form was submitted'),
    event_type: text('URI of the event type whose booking page it led to'),
    event_type_name: text('its name, if the event type is mirrored'),
    submitter: text('as the service sends it'),
    submitter_type: text('as the service sends it'),
    name: text(
      'first answer to a question of the type `name`; if the form is not mirrored, to a question called `Name`, `Your name`, `Full name` or `Your full name`',
    ),
    email: text('first answer that is an e-mail address'),
    booked_otherwise: text(
      'URI of the first invitee with this address, in any letter case, who was created later: a booking that does not refer to the form',
    ),
    answers: json('questions and answers, as sent'),
    utm_source: text('from the submission'),
    utm_medium: text('from the submission'),
    utm_campaign: text('from the submission'),
    utm_content: text('from the submission'),
    utm_term: text('from the submission'),
  },
  key: ['submission_uri'],
  since: 'created_at',
  select: selectUnbooked,
};

/** A submission that led to a booking page and that no booking refers to; `submissions` is the name of the table in the query. */
export const isUnbooked = (submissions = 'routing_form_submissions'): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.ref(`${submissions}.result_type`)} = 'event_type' and not exists (
    select 1 from invitees where invitees.routing_form_submission = ${sql.ref(`${submissions}.uri`)}))`;

function selectUnbooked(dialect: SqlDialect): Sql {
  const eventType = dialect.textAt(sql`submissions.result`, { name: 'value' });
  return sql`select unbooked.uri as submission_uri, unbooked.routing_form, routing_forms.name as routing_form_name, unbooked.created_at,
      unbooked.event_type, event_types.name as event_type_name, unbooked.submitter, unbooked.submitter_type,
      ${firstAnswer(dialect, 'unbooked', isName(dialect))} as name, unbooked.email, ${laterBooking(dialect)} as booked_otherwise,
      unbooked.questions_and_answers as answers, ${sql.join(utmColumns.map((name) => sql.ref(`unbooked.${name}`)))}
    from (select submissions.*, ${eventType} as event_type, ${submittedAddress(dialect, 'submissions')} as email
      from routing_form_submissions as submissions where ${isUnbooked('submissions')}) as unbooked
    left join routing_forms on routing_forms.uri = unbooked.routing_form
    left join event_types on event_types.uri = unbooked.event_type`;
}

/** The first answer of a submission that meets the condition; `submissions` is the name of the table in the query. */
const firstAnswer = (dialect: SqlDialect, submissions: string, condition: Sql): Sql =>
  sql`(select trim(given.answer) from ${routingAnswersIn(dialect, sql.ref(`${submissions}.questions_and_answers`))} as given
  where ${condition} order by given.item limit 1)`;

/** The address of who submitted the form; `submissions` is the name of the table in the query. */
export const submittedAddress = (dialect: SqlDialect, submissions = 'routing_form_submissions'): Sql =>
  firstAnswer(dialect, submissions, isAddress);

const isAddress = sql`trim(given.answer) like '%_@_%' and trim(given.answer) not like '% %' and trim(given.answer) not like '%@%@%'`;

/** Questions whose answer is a name, where the type of the question is not known; in lower case. */
export const nameQuestions = ['name', 'your name', 'full name', 'your full name'];

const isName = (dialect: SqlDialect): Sql => sql`trim(given.answer) <> '' and coalesce(
  (select ${dialect.itemText('type')} from ${dialect.items(sql`routing_forms.questions`)}
    where ${dialect.itemText('uuid')} = given.question_uuid order by ${dialect.itemPosition} limit 1),
  case when ${dialect.plainCase(sql`given.question`)} in (${sql.join(nameQuestions.map((each) => sql.lit(each)))}) then 'name' end) = 'name'`;

/**
 * Each of the two conditions on the address has an index. The order is not by the bare column: PostgreSQL would follow the index of the
 * column, and read every booking since the submission.
 */
function laterBooking(dialect: SqlDialect): Sql {
  const address = dialect.plainCase(sql`unbooked.email`);
  const stored = dialect.lowerCase('invitees.email');
  return sql`(select invitees.uri from invitees
    where (invitees.email = ${dialect.comparable(address)} or (invitees.email <> ${stored} and ${stored} = ${address}))
      and invitees.created_at >= unbooked.created_at
    order by coalesce(invitees.created_at, invitees.created_at), ${dialect.bytes(sql`invitees.uri`)} limit 1)`;
}

export interface UnbookedPerson {
  readonly name: string | null;
  readonly email: string | null;
  readonly booked_otherwise: string | null;
}

/** Who submitted these, by the URI of the submission; those with a booking are left out. */
export async function unbookedSubmitters(
  { db, engine: { dialect } }: Pick<Store, 'db' | 'engine'>,
  uris: readonly string[],
): Promise<ReadonlyMap<string, UnbookedPerson>> {
  if (uris.length === 0) return new Map();
  const { rows } = await sql<
    UnbookedPerson & { submission_uri: string }
  >`select submission_uri, name, email, booked_otherwise
    from (${selectUnbooked(dialect)}) as found where submission_uri in (${sql.join(uris)})`.execute(db);
  return new Map(rows.map(({ submission_uri: uri, ...person }) => [uri, person]));
}

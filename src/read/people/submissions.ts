// Submissions of routing forms, those without a booking (the view `unbooked_submissions`) and the bookings that refer to them, and the forms that exist.
import { sql } from 'kysely';
import { isObject, textOf } from '#schemas/wire.ts';
import { instantOf } from '#src/base/time.ts';
import type { Readable, Store } from '#src/store/contract.ts';
import { inChunks } from '#src/store/prepared-sql.ts';
import { decodeRow, readColumns } from '#src/store/rows.ts';
import { lowerCaseEmail } from '#src/store/sql-dialect.ts';

export async function submissionsOfForms(
  { db }: Readable,
  forms: readonly string[],
  oldest: string,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('routing_form_submissions')
    .select('uri')
    .where('created_at', '>=', oldest)
    .where('routing_form', 'in', [...new Set(forms)])
    .execute();
  return rows.map(({ uri }) => uri);
}

/** The submissions without a booking that were created after the one moment and up to the other. */
export async function unbookedWithin(
  { db, engine: { dialect } }: Readable,
  { afterMs, throughMs }: { readonly afterMs: number; readonly throughMs: number },
): Promise<readonly string[]> {
  const [after, through] = [afterMs, throughMs].map((ms) => dialect.time(instantOf(ms)));
  const { rows } = await sql<{ uri: string }>`select submission_uri as uri from ${sql.table('unbooked_submissions')}
    where created_at > ${after} and created_at <= ${through}`.execute(db);
  return rows.map(({ uri }) => uri);
}

/** The submissions without a booking that were created in a range of time with one of these addresses. */
export async function unbookedOfAddresses(
  { db, engine: { dialect } }: Readable,
  addresses: readonly string[],
  { from, through }: { readonly from: string; readonly through: string },
): Promise<readonly string[]> {
  const rows = await inChunks([...new Set(addresses.map(lowerCaseEmail))], async (chunk) => {
    const found = await sql<{ uri: string }>`select submission_uri as uri from ${sql.table('unbooked_submissions')}
      where created_at >= ${dialect.time(from)} and created_at <= ${dialect.time(through)}
        and ${dialect.plainCase(sql`email`)} in (${sql.join(chunk)})`.execute(db);
    return found.rows;
  });
  return rows.map(({ uri }) => uri);
}

export interface UnbookedPerson {
  readonly name: string | null;
  readonly email: string | null;
  readonly booked_otherwise: string | null;
}

/** Who submitted these, by the URI of the submission; those with a booking are left out. */
export async function unbookedSubmitters(
  { db }: Pick<Store, 'db'>,
  uris: readonly string[],
): Promise<ReadonlyMap<string, UnbookedPerson>> {
  if (uris.length === 0) return new Map();
  const { rows } = await sql<UnbookedPerson & { submission_uri: string }>`
    select submission_uri, name, email, booked_otherwise from ${sql.table('unbooked_submissions')}
    where submission_uri in (${sql.join(uris)})`.execute(db);
  return new Map(rows.map(({ submission_uri: uri, ...person }) => [uri, person]));
}

export interface SubmissionDetails {
  readonly answers: readonly { readonly question: string | null; readonly answer: string | null }[];
  readonly form: string | null;
  /** The name of the event type it led to. */
  readonly eventType: string | null;
  /** The name or address of who booked. */
  readonly invitee: string | null;
  readonly unbooked: UnbookedPerson | null;
}

/** What people want to know of submissions besides what became of them, by URI. */
export async function submissionDetails(
  store: Readable,
  uris: readonly string[],
): Promise<ReadonlyMap<string, SubmissionDetails>> {
  const columns = ['uri', 'routing_form', 'questions_and_answers', 'result'] as const;
  const rows = await readColumns(store, 'routing_form_submissions', { columns, key: 'uri', values: uris });
  const forms = await namesOf(
    store,
    'routing_forms',
    rows.map((row) => row.routing_form),
  );
  const eventTypes = await namesOf(
    store,
    'event_types',
    rows.map(({ result }) => eventTypeIn(result)),
  );
  const unbooked = await unbookedSubmitters(store, uris);
  const bookings = await bookingsOfSubmissions(store, uris);
  const booked = await readColumns(store, 'invitees', {
    columns: ['uri', 'name', 'email'],
    key: 'uri',
    values: [...bookings.values()],
  });
  const invitees = new Map(booked.map(({ uri, name, email }) => [uri, name || email]));
  return new Map(
    rows.map(({ uri, routing_form: form, questions_and_answers: given, result }) => [
      uri,
      {
        answers: (Array.isArray(given) ? given : [])
          .filter(isObject)
          .map(({ question, answer }) => ({ question: textOf(question), answer: textOf(answer) })),
        form: forms.get(form ?? '') ?? null,
        eventType: eventTypes.get(eventTypeIn(result) ?? '') ?? null,
        invitee: invitees.get(bookings.get(uri) ?? '') ?? null,
        unbooked: unbooked.get(uri) ?? null,
      },
    ]),
  );
}

const eventTypeIn = (result: unknown): string | null =>
  isObject(result) && result['type'] === 'event_type' ? textOf(result['value']) : null;

async function namesOf(store: Readable, table: 'routing_forms' | 'event_types', uris: readonly (string | null)[]) {
  const values = [...new Set(uris.flatMap((uri) => uri ?? []))];
  const rows = await readColumns(store, table, { columns: ['uri', 'name'], key: 'uri', values });
  return new Map(rows.map(({ uri, name }) => [uri, name || null]));
}

/** The bookings that refer to these submissions, by submission: the first one made. */
export async function bookingsOfSubmissions(
  { db }: Readable,
  submissions: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await inChunks(submissions, (chunk) =>
    db
      .selectFrom('invitees')
      .select(['uri', 'routing_form_submission'])
      .where('routing_form_submission', 'in', chunk)
      .orderBy('created_at', 'desc')
      .orderBy('uri', 'desc')
      .execute(),
  );
  return new Map(rows.map(({ uri, routing_form_submission: submission }) => [submission ?? '', uri]));
}

export async function routingForms({ db, engine }: Readable) {
  const rows = await db.selectFrom('routing_forms').selectAll().where('deleted_at', 'is', null).execute();
  return rows.map((row) => decodeRow(engine, 'routing_forms', row));
}

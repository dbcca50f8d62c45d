// Submissions of routing forms, those without a booking (the view `unbooked_submissions`) and the bookings that refer to them, and the forms that exist.
import { sql } from 'kysely';
import { instantOf } from '#src/base/time.ts';
import type { Readable, Store } from '#src/store/contract.ts';
import { inChunks } from '#src/store/prepared-sql.ts';
import { decodeRow } from '#src/store/rows.ts';
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

// Submissions of routing forms and the bookings that refer to them, and the forms that exist.
import { instantOf } from '#src/base/time.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { inChunks } from '#src/store/prepared-sql.ts';
import { decodeRow } from '#src/store/rows.ts';
import { lowerCaseEmail } from '#src/store/sql-dialect.ts';
import { isUnbooked, submittedAddress } from '#src/store/views/unbooked-submissions.ts';

export async function submissionsOfForms(
  { db }: Store,
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
  { db }: Store,
  { afterMs, throughMs }: { readonly afterMs: number; readonly throughMs: number },
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('routing_form_submissions')
    .select('uri')
    .where('created_at', '>', instantOf(afterMs))
    .where('created_at', '<=', instantOf(throughMs))
    .where(isUnbooked())
    .execute();
  return rows.map(({ uri }) => uri);
}

/** The submissions without a booking that were created in a range of time with one of these addresses. */
export async function unbookedOfAddresses(
  { db, engine: { dialect } }: Store,
  addresses: readonly string[],
  { from, through }: { readonly from: string; readonly through: string },
): Promise<readonly string[]> {
  const rows = await inChunks([...new Set(addresses.map(lowerCaseEmail))], (chunk) =>
    db
      .selectFrom('routing_form_submissions')
      .select('uri')
      .where('created_at', '>=', from)
      .where('created_at', '<=', through)
      .where(isUnbooked())
      .where(dialect.plainCase(submittedAddress(dialect)), 'in', chunk)
      .execute(),
  );
  return rows.map(({ uri }) => uri);
}

/** The bookings that refer to these submissions, by submission: the first one made. */
export async function bookingsOfSubmissions(
  { db }: Store | Unit,
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

export async function routingForms({ db, engine }: Store) {
  const rows = await db.selectFrom('routing_forms').selectAll().where('deleted_at', 'is', null).execute();
  return rows.map((row) => decodeRow(engine, 'routing_forms', row));
}

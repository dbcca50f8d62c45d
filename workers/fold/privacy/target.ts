// The target of an erasure as the operator gives it, and the records in the tables that belong to it.
import { isUri } from '#schemas/wire.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { mirrorTables, type MirrorTable } from '#workers/fold/projections/contract.ts';
import type { ErasedSubject } from '#workers/fold/projections/erasure.ts';
import { addressesIn, isAddress, storedForms } from './addresses.ts';

export type Target =
  | { readonly kind: 'uri'; readonly uri: string }
  | { readonly kind: 'address'; readonly address: string };

export function targetOf(given: string): Target {
  const text = given.trim();
  if (isUri(text)) return { kind: 'uri', uri: text };
  if (isAddress(text)) return { kind: 'address', address: text };
  throw new SlotstreamError('usage', 'The target must be the URI of a record or an e-mail address.', {
    hint: 'slotstream erase https://…/contacts/…, or slotstream erase name@example.com.',
  });
}

/** Whether a row has this URI, or an entry other than an operator's is about it. */
export async function isStored({ db }: Unit, uri: string): Promise<boolean> {
  const entries = db
    .selectFrom('event_log')
    .select('seq')
    .where('subject_uri', '=', uri)
    .where('source', '<>', 'operator');
  if ((await entries.limit(1).executeTakeFirst()) !== undefined) return true;
  for (const table of mirrorTables)
    if ((await db.selectFrom(table).select('uri').where('uri', '=', uri).executeTakeFirst()) !== undefined) return true;
  return false;
}

/** The tables whose records belong to a person. The path of an unknown URI reveals its table. */
const personPaths: Partial<Record<MirrorTable, RegExp>> = {
  contacts: /\/contacts\/[^/]+$/,
  invitees: /\/invitees\/[^/]+$/,
  meeting_recaps: /\/meeting_recaps\/[^/]+$/,
  routing_form_submissions: /\/routing_form_submissions\/[^/]+$/,
  users: /\/users\/[^/]+$/,
};
const personTables = mirrorTables.filter((table) => table in personPaths);

/** The subjects that the tables show; the log is searched for the rest. */
export async function subjectsOf(store: Store, target: Target): Promise<readonly ErasedSubject[]> {
  if (target.kind === 'address') return withAddress(store, target.address);
  const { uri } = target;
  for (const table of mirrorTables) {
    const row = await store.db.selectFrom(table).select('uri').where('uri', '=', uri).executeTakeFirst();
    if (row === undefined) continue;
    if (!(table in personPaths)) throw notAPersonError(table);
    return [{ uri, table }, ...(table === 'invitees' ? await relatedTo(store, [uri]) : [])];
  }
  return [{ uri, table: personTables.find((table) => personPaths[table]?.test(uri)) ?? null }];
}

async function withAddress(store: Store, address: string): Promise<readonly ErasedSubject[]> {
  const records = await recordsWith(store, address);
  const invitees = records.filter(({ table }) => table === 'invitees');
  const uris = invitees.map(({ uri }) => uri);
  return [...records, ...(await relatedTo(store, uris))];
}

/** The contacts, bookings and users with this address; the newest booking first. */
export async function recordsWith({ db }: Store, address: string) {
  const forms = storedForms(address);
  const contacts = db.selectFrom('contact_emails').select('contact_uri as uri').where('email', 'in', forms);
  const invitees = db.selectFrom('invitees').select('uri').where('email', 'in', forms).orderBy('created_at', 'desc');
  const users = db.selectFrom('users').select('uri').where('email', 'in', forms);
  return [
    ...(await contacts.execute()).map(({ uri }) => ({ uri, table: 'contacts' as const })),
    ...(await invitees.execute()).map(({ uri }) => ({ uri, table: 'invitees' as const })),
    ...(await users.execute()).map(({ uri }) => ({ uri, table: 'users' as const })),
  ];
}

/**
 * The records that belong to these invitees: the forms they submitted, and the meetings they were invited to, because an invitee may
 * have filled in the location and the reason of a cancellation.
 */
async function relatedTo(store: Store, invitees: readonly string[]): Promise<readonly ErasedSubject[]> {
  if (invitees.length === 0) return [];
  const rows = await store.db
    .selectFrom('invitees')
    .select(['event_uri', 'routing_form_submission'])
    .where('uri', 'in', invitees)
    .execute();
  const named = rows.flatMap(({ event_uri: meeting, routing_form_submission: form }) => [
    ...(isUri(meeting) ? [{ uri: meeting, table: 'scheduled_events' as const }] : []),
    ...(isUri(form) && addressesIn(form).next().done
      ? [{ uri: form, table: 'routing_form_submissions' as const }]
      : []),
  ]);
  return [...named, ...(await submittedBy(store, invitees))];
}

export async function submittedBy({ db }: Store | Unit, submitters: readonly string[]): Promise<ErasedSubject[]> {
  const rows = await db
    .selectFrom('routing_form_submissions')
    .select('uri')
    .where('submitter', 'in', submitters)
    .execute();
  return rows.map(({ uri }) => ({ uri, table: 'routing_form_submissions' as const }));
}

export async function recapsOf({ db }: Store | Unit, meetings: readonly string[]): Promise<ErasedSubject[]> {
  const rows = await db.selectFrom('meeting_recaps').select('uri').where('event_uri', 'in', meetings).execute();
  return rows.map(({ uri }) => ({ uri, table: 'meeting_recaps' as const }));
}

function notAPersonError(table: MirrorTable): SlotstreamError {
  return new SlotstreamError(
    'usage',
    `This is the URI of a row of ${table}, which is not a person. Nothing was erased.`,
    {
      hint: 'Erase the contact, invitee, user, recap or form submission, or an e-mail address.',
    },
  );
}

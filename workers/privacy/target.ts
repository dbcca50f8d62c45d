// Whom to erase, as an operator says it, and which records of ours are known to be theirs.
import { isUri } from '#schemas/wire.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { mirrorTables, type MirrorTable } from '#workers/projections/contract.ts';
import { addressesIn, isAddress, normalAddress } from './addresses.ts';
import type { ErasedSubject } from './erasure-entry.ts';

export type Target =
  | { readonly kind: 'uri'; readonly uri: string }
  | { readonly kind: 'address'; readonly address: string };

export function targetOf(given: string): Target {
  const text = given.trim();
  if (isUri(text)) return { kind: 'uri', uri: text };
  if (isAddress(text)) return { kind: 'address', address: text };
  throw new SlotstreamError('usage', 'Say whom to erase: the URI of a record, or an e-mail address.', {
    hint: 'slotstream erase https://…/contacts/…, or slotstream erase name@example.com.',
  });
}

/** Whether a row has this URI, or an entry that was not an operator's is about it. */
export async function isHere({ db }: Unit, uri: string): Promise<boolean> {
  const about = db
    .selectFrom('event_log')
    .select('seq')
    .where('subject_uri', '=', uri)
    .where('source', '<>', 'operator');
  if ((await about.limit(1).executeTakeFirst()) !== undefined) return true;
  for (const table of mirrorTables)
    if ((await db.selectFrom(table).select('uri').where('uri', '=', uri).executeTakeFirst()) !== undefined) return true;
  return false;
}

/** Whose records are a person's. Of an unknown URI the path says what it would be. */
const ofPeople = {
  contacts: /\/contacts\/[^/]+$/,
  invitees: /\/invitees\/[^/]+$/,
  meeting_recaps: /\/meeting_recaps\/[^/]+$/,
  routing_form_submissions: /\/routing_form_submissions\/[^/]+$/,
  users: /\/users\/[^/]+$/,
} as const satisfies Partial<Record<MirrorTable, RegExp>>;
const tablesOfPeople = Object.keys(ofPeople) as (keyof typeof ofPeople)[];

/** What the tables know already; the log is searched for the rest. */
export async function subjectsOf(store: Store, target: Target): Promise<readonly ErasedSubject[]> {
  if (target.kind === 'address') return withAddress(store, target.address);
  const { uri } = target;
  for (const table of mirrorTables) {
    const row = await store.db.selectFrom(table).select('uri').where('uri', '=', uri).executeTakeFirst();
    if (row === undefined) continue;
    if (!(table in ofPeople)) throw notAPerson(table);
    return [{ uri, table }, ...(table === 'invitees' ? await besides(store, [uri]) : [])];
  }
  return [{ uri, table: tablesOfPeople.find((table) => ofPeople[table].test(uri)) ?? null }];
}

async function withAddress(store: Store, address: string): Promise<readonly ErasedSubject[]> {
  const { db } = store;
  const spellings = [address, normalAddress(address)];
  const contacts = await db
    .selectFrom('contact_emails')
    .select('contact_uri')
    .where('email', 'in', spellings)
    .execute();
  const invitees = await db.selectFrom('invitees').select('uri').where('email', 'in', spellings).execute();
  const uris = invitees.map(({ uri }) => uri);
  return [
    ...contacts.map(({ contact_uri }) => ({ uri: contact_uri, table: 'contacts' as const })),
    ...uris.map((uri) => ({ uri, table: 'invitees' as const })),
    ...(await besides(store, uris)),
  ];
}

/**
 * What belongs to these invitees: the meetings they were invited to (where they are, and why they ended, an invitee may have
 * filled in) and the forms they came through.
 */
async function besides(store: Store, invitees: readonly string[]): Promise<readonly ErasedSubject[]> {
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

/** The forms that name one of these as who filled them in. */
export async function submittedBy({ db }: Store | Unit, submitters: readonly string[]): Promise<ErasedSubject[]> {
  const rows = await db
    .selectFrom('routing_form_submissions')
    .select('uri')
    .where('submitter', 'in', submitters)
    .execute();
  return rows.map(({ uri }) => ({ uri: uri, table: 'routing_form_submissions' as const }));
}

function notAPerson(table: MirrorTable): SlotstreamError {
  return new SlotstreamError('usage', `That is the URI of a row of ${table}, which is no person: nothing was erased.`, {
    hint: 'Erase the contact, invitee, user, recap or form submission, or an e-mail address.',
  });
}

// Contacts that were deleted while ERASE_ON_DELETE was off: the log still has their values when it is on again.
import type { Store } from '#src/store/contract.ts';
import { replay, type ReplayNeeds } from '#workers/sync/replay.ts';

const pageSize = 100;

/** Deleted contacts with an entry that was not redacted, in the order of their URIs. */
export async function unredactedContacts(
  { db, engine }: Pick<Store, 'db' | 'engine'>,
  { after = '', limit = pageSize }: { readonly after?: string; readonly limit?: number } = {},
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('contacts')
    .select('uri')
    .where('deleted_at', 'is not', null)
    .where('uri', '>', after)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('event_log')
          .select('seq')
          .whereRef('subject_uri', '=', 'contacts.uri')
          .where('body', 'is not', null)
          .where('redacted', '=', engine.encode('flag', false))
          .where('source', '<>', 'operator'),
      ),
    )
    .orderBy('uri')
    .limit(limit)
    .execute();
  return rows.map(({ uri }) => uri);
}

/** Redacts them as their deletion would have done. Returns how many there were. */
export async function redactDeletedContacts(needs: Pick<ReplayNeeds, 'store' | 'screen'>): Promise<number> {
  if (!needs.screen.eraseOnDelete) return 0;
  let redacted = 0;
  for (let after = ''; ;) {
    const page = await unredactedContacts(needs.store, { after });
    for (const subjectUri of page) await replay(needs, { subjectUri });
    redacted += page.length;
    const last = page.at(-1);
    if (last === undefined) return redacted;
    after = last;
  }
}

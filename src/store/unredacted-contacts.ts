// Deleted contacts whose entries of the log still have their values: they were deleted while ERASE_ON_DELETE was off.
import type { Store } from './contract.ts';

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

// Contacts that were deleted while ERASE_ON_DELETE was off: the log still has their values when it is on again.
import { unredactedContacts } from '#src/store/unredacted-contacts.ts';
import { replay, type ReplayNeeds } from './replay.ts';

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

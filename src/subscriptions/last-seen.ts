// What we remember of our subscriptions between two looks, and what to remember after one.
import type { WebhookSubscription } from '#schemas/subscription.ts';
import { isOurs, isSameOwner, ownerOf, type Owner } from './callback.ts';

/** `checked_at`: when it was last looked at; for one found disabled, when it was last seen active (or made). */
export interface Known extends WebhookSubscription {
  readonly checked_at: string;
}

export interface Memory {
  known(): Promise<readonly Known[]>;
  /** What is neither `seen` nor `gone` stays as it was. */
  remember(change: { readonly seen: readonly Known[]; readonly gone: readonly string[] }): Promise<void>;
}

export interface Looked {
  readonly callback: string;
  readonly known: readonly Known[];
  readonly existing: readonly WebhookSubscription[];
  /** Owners whose subscriptions could not be seen: nothing is forgotten of theirs. */
  readonly unseen: readonly Owner[];
  readonly now: string;
}

/** Ours, as they are now; the others of ours that we knew are gone. */
export function memoryAfter({ callback, known, existing, unseen, now }: Looked): Parameters<Memory['remember']>[0] {
  const before = new Map(known.map((one) => [one.uri, one]));
  const seen = existing
    .filter((one) => isOurs(callback, one))
    .map((one) => ({ ...one, checked_at: checkedAt(one, before.get(one.uri), now) }));
  const uris = new Set(seen.map(({ uri }) => uri));
  const gone = known
    .filter((one) => !uris.has(one.uri) && !unseen.some((owner) => isSameOwner(owner, ownerOf(one))))
    .map(({ uri }) => uri);
  return { seen, gone };
}

/** A disabled one keeps the time it was last well: the gap it leaves begins there. */
function checkedAt(one: WebhookSubscription, before: Known | undefined, now: string): string {
  return one.state === 'active' ? now : (before?.checked_at ?? one.created_at ?? now);
}

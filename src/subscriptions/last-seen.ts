// Our subscriptions as they were last seen, and what to store after the next listing.
import type { WebhookSubscription } from '#schemas/subscription.ts';
import { isOurs, isSameOwner, ownerOf, type Owner } from './callback.ts';

/** `checked_at`: when it was last listed; for a disabled one, when it was last seen active (or created). */
export interface LastSeen extends WebhookSubscription {
  readonly checked_at: string;
}

export interface LastSeenStore {
  read(): Promise<readonly LastSeen[]>;
  /** Subscriptions that are neither `seen` nor `deleted` stay unchanged. */
  update(change: { readonly seen: readonly LastSeen[]; readonly deleted: readonly string[] }): Promise<void>;
}

export interface LastSeenInput {
  readonly callback: string;
  readonly lastSeen: readonly LastSeen[];
  readonly existing: readonly WebhookSubscription[];
  /** Owners whose subscriptions could not be listed: nothing of theirs is deleted. */
  readonly unlisted: readonly Owner[];
  readonly now: string;
}

/** Stores our subscriptions as they are now; those that were stored and no longer exist are deleted. */
export function lastSeenAfter({
  callback,
  lastSeen,
  existing,
  unlisted,
  now,
}: LastSeenInput): Parameters<LastSeenStore['update']>[0] {
  const before = new Map(lastSeen.map((one) => [one.uri, one]));
  const seen = existing
    .filter((one) => isOurs(callback, one))
    .map((one) => ({ ...one, checked_at: checkedAt(one, before.get(one.uri), now) }));
  const uris = new Set(seen.map(({ uri }) => uri));
  const deleted = lastSeen
    .filter((one) => !uris.has(one.uri) && !unlisted.some((owner) => isSameOwner(owner, ownerOf(one))))
    .map(({ uri }) => uri);
  return { seen, deleted };
}

/** A disabled subscription retains the time it was last seen active: its outage gap begins there. */
function checkedAt(one: WebhookSubscription, before: LastSeen | undefined, now: string): string {
  return one.state === 'active' ? now : (before?.checked_at ?? one.created_at ?? now);
}

// The address a subscription calls: ours, plus `?s=` and a short hash of what the subscription is. The receiver ignores it; it
// keeps callbacks apart (the service takes each URL once), and it tells which key and events a subscription was made with,
// since a key can never be read back.
import { createHash } from 'node:crypto';
import type { SubscriptionScope } from '#schemas/event.ts';
import type { WebhookSubscription } from '#schemas/subscription.ts';

/** For whom deliveries are sent: the whole organization, or a user or group of it. */
export interface Owner {
  readonly scope: SubscriptionScope;
  readonly organization: string;
  /** The URI of the organization, user or group that `scope` speaks of. */
  readonly uri: string;
}

/** What a subscription is to be: for whom, of what, signed with which key. */
export interface Making {
  readonly owner: Owner;
  readonly events: readonly string[];
  readonly keyId: string;
}

const hashLength = 12;

/** The same for the same subscription, whatever the order its events are named in. */
export function fingerprintOf({ owner, events, keyId }: Making): string {
  const parts = [owner.scope, owner.organization, owner.uri, [...new Set(events)].toSorted(), keyId];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, hashLength);
}

/** A disabled subscription keeps its URL taken until it is deleted, so its successor gets the next generation of it. */
export function callbackUrl(callback: string, fingerprint: string, generation: number): string {
  return `${callback}?s=${fingerprint}${generation === 1 ? '' : `.${generation}`}`;
}

/** The first generation of this callback whose URL nobody has taken. */
export function freeCallbackUrl(callback: string, fingerprint: string, taken: readonly string[]): string {
  const urls = new Set(taken);
  for (let generation = 1; ; generation += 1) {
    const url = callbackUrl(callback, fingerprint, generation);
    if (!urls.has(url)) return url;
  }
}

/** What `s` says, of whichever generation; undefined when the callback carries none. */
export function fingerprintIn(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const s = new URL(url).searchParams.get('s');
  return s === null || s === '' ? undefined : s.slice(0, hashLength);
}

/** Ours is what calls our own address, with any `s`. Nothing else is ever touched. */
export function isOurs(callback: string, { callback_url: url }: WebhookSubscription): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const [ours, theirs] = [new URL(callback), new URL(url)];
  return ours.origin === theirs.origin && ours.pathname === theirs.pathname;
}

export function ownerOf(subscription: WebhookSubscription): Owner {
  const organization = subscription.organization ?? '';
  switch (subscription.scope) {
    case 'user':
      return { scope: 'user', organization, uri: subscription.user ?? '' };
    case 'group':
      return { scope: 'group', organization, uri: subscription.group ?? '' };
    default:
      return { scope: 'organization', organization, uri: organization };
  }
}

export function isSameOwner(one: Owner, other: Owner): boolean {
  return one.scope === other.scope && one.organization === other.organization && one.uri === other.uri;
}

// The callback URL of a subscription: ours, plus `?s=` and a short hash of the subscription's identity. The receiver ignores it. It
// makes the URLs distinct (the service accepts each URL once), and it shows which key and events a subscription was made with,
// because a key can never be read back.
import { createHash } from 'node:crypto';
import type { SubscriptionScope } from '#schemas/event.ts';
import type { WebhookSubscription } from '#schemas/subscription.ts';

/** Whose events are delivered: those of the whole organization, or of one user or group of it. */
export interface Owner {
  readonly scope: SubscriptionScope;
  readonly organization: string;
  /** The URI of the organization, user or group, depending on `scope`. */
  readonly uri: string;
}

export interface SubscriptionIdentity {
  readonly owner: Owner;
  readonly events: readonly string[];
  readonly keyId: string;
}

/** One of ours, so it has a callback URL. */
export type OwnSubscription = WebhookSubscription & { readonly callback_url: string };

const hashLength = 12;

/** Independent of the order of the events. */
export function fingerprintOf({ owner, events, keyId }: SubscriptionIdentity): string {
  const parts = [owner.scope, owner.organization, owner.uri, [...new Set(events)].toSorted(), keyId];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, hashLength);
}

/** A disabled subscription occupies its URL until it is deleted, so its successor gets the next generation of the URL. */
export function callbackUrl(callback: string, fingerprint: string, generation: number): string {
  return `${callback}?s=${fingerprint}${generation === 1 ? '' : `.${generation}`}`;
}

/** Returns the first generation of this callback whose URL is free. */
export function freeCallbackUrl(
  callback: string,
  fingerprint: string,
  existing: readonly WebhookSubscription[],
): string {
  const taken = new Set(existing.map(({ callback_url: url }) => url));
  for (let generation = 1; ; generation += 1) {
    const url = callbackUrl(callback, fingerprint, generation);
    if (!taken.has(url)) return url;
  }
}

/** Returns the fingerprint in `s`, of any generation; undefined when the URL has none. */
export function fingerprintIn(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const s = new URL(url).searchParams.get('s');
  return s === null || s === '' ? undefined : s.slice(0, hashLength);
}

/** True when the subscription calls our own address, with any `s`. No other subscription is ever changed. */
export function isOurs(callback: string, subscription: WebhookSubscription): subscription is OwnSubscription {
  const { callback_url: url } = subscription;
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

/** True when two owners can have events in common: each group and each user belongs to the organization. */
export function isOverlapping(one: Owner, other: Owner): boolean {
  const isWide = one.scope === 'organization' || other.scope === 'organization';
  return isSameOwner(one, other) || (isWide && one.organization === other.organization);
}

export function isDelivered(event: string, owner: Owner, by: readonly WebhookSubscription[]): boolean {
  return by.some(
    (one) => one.state === 'active' && isSameOwner(ownerOf(one), owner) && (one.events ?? []).includes(event),
  );
}

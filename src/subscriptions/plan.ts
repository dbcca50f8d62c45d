// Plans the difference between the desired and the existing subscriptions as steps. Pure.
//
//   desired, and an equal one is active          keep
//   desired, and none is                         create
//   ours, shares events with a desired one       delete, after its successors were created (make before break)
//   ours, no longer desired                      leftover; delete with `prune`
//   ours, and everything is to be removed        delete
//   optional, refused when last tried            refused
import type { WebhookSubscription } from '#schemas/subscription.ts';
import {
  fingerprintIn,
  fingerprintOf,
  freeCallbackUrl,
  isOurs,
  isSameOwner,
  ownerOf,
  type OwnSubscription,
} from './callback.ts';
import { desiredSubscriptions, type DesiredSubscription, type DesiredInput } from './desired.ts';

export interface PlanInput extends DesiredInput {
  /** `PUBLIC_URL` + `/webhooks`. */
  readonly callback: string;
  /** The first is used to register; the others still verify. */
  readonly keyIds: readonly [string, ...string[]];
  readonly existing: readonly WebhookSubscription[];
  /** Ids (`refusalId`) of optional subscriptions that the service refused. */
  readonly refused: readonly string[];
  readonly prune: boolean;
  readonly remove?: boolean;
}

export type Step =
  | { readonly kind: 'keep'; readonly desired: DesiredSubscription; readonly existing: WebhookSubscription }
  | { readonly kind: 'create' | 'refused'; readonly desired: DesiredSubscription; readonly url: string }
  | { readonly kind: 'delete'; readonly existing: WebhookSubscription; readonly why: DeleteReason }
  | { readonly kind: 'leftover'; readonly existing: WebhookSubscription };

/** `key`: made with another signing key. `events`: made for another set of events. */
type DeleteReason = 'disabled' | 'key' | 'events' | 'duplicate' | 'leftover' | 'removed';

export function planSubscriptions(input: PlanInput): readonly Step[] {
  const ours = input.existing.filter((one) => isOurs(input.callback, one));
  if (input.remove === true) return ours.map((existing) => ({ kind: 'delete', existing, why: 'removed' }));
  const desired = desiredSubscriptions(input);
  const matches = desired.map((one) => findMatching(input, one, ours));
  const creating = desired.map((one, index): Step => {
    const existing = matches[index];
    return existing ? { kind: 'keep', desired: one, existing } : creationOf(input, one);
  });
  const ending = ours
    .filter((one) => !matches.includes(one))
    .map((existing): Step => {
      const successors = desired.filter((one) => isSuccessor(one, existing));
      if (successors.length > 0) return { kind: 'delete', existing, why: whyDeleted(input, successors, existing) };
      return input.prune ? { kind: 'delete', existing, why: 'leftover' } : { kind: 'leftover', existing };
    });
  return [...creating, ...ending];
}

export function isPending({ kind }: Step): boolean {
  return kind === 'create' || kind === 'delete';
}

/** Identifies a refusal: another set of events, or another owner, is tried again. */
export function refusalId({ owner, events }: DesiredSubscription): string {
  return fingerprintOf({ owner, events, keyId: '' });
}

/** Finds the active subscription that equals the desired one. Every process chooses the same of several. */
export function findMatching(
  { callback, keyIds }: Pick<PlanInput, 'callback' | 'keyIds'>,
  { owner, events }: Pick<DesiredSubscription, 'owner' | 'events'>,
  existing: readonly WebhookSubscription[],
): WebhookSubscription | undefined {
  const fingerprint = fingerprintOf({ owner, events, keyId: keyIds[0] });
  return existing
    .filter((one) => isOurs(callback, one))
    .filter((one) => one.state === 'active' && isSameOwner(ownerOf(one), owner))
    .filter((one) => fingerprintIn(one.callback_url) === fingerprint && hasSameEvents(one, events))
    .toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1))[0];
}

/** Shorter callback URLs are of earlier generations. */
function rankOf({ callback_url: url, uri }: OwnSubscription): string {
  return `${String(url.length).padStart(6)} ${url} ${uri}`;
}

/** Successors deliver events of an old subscription for the same owner; an old one for several families has several. */
function isSuccessor({ owner, events }: DesiredSubscription, old: WebhookSubscription): boolean {
  return isSameOwner(ownerOf(old), owner) && events.some((event) => old.events?.includes(event));
}

function creationOf({ callback, keyIds, existing, refused }: PlanInput, desired: DesiredSubscription): Step {
  const url = freeCallbackUrl(callback, fingerprintOf({ ...desired, keyId: keyIds[0] }), existing);
  const isRefused = desired.optional && refused.includes(refusalId(desired));
  return { kind: isRefused ? 'refused' : 'create', desired, url };
}

function whyDeleted(
  { keyIds }: PlanInput,
  successors: readonly DesiredSubscription[],
  old: OwnSubscription,
): DeleteReason {
  if (old.state !== 'active') return 'disabled';
  const equal = successors.find(({ events }) => hasSameEvents(old, events));
  if (equal === undefined) return 'events';
  return fingerprintIn(old.callback_url) === fingerprintOf({ ...equal, keyId: keyIds[0] }) ? 'duplicate' : 'key';
}

function hasSameEvents({ events }: WebhookSubscription, desired: readonly string[]): boolean {
  const has = new Set(events);
  return has.size === new Set(desired).size && desired.every((event) => has.has(event));
}

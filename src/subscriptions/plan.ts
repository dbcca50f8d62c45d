// Plans the difference between the desired and the existing subscriptions as steps. Pure.
//
//   desired, and an equal one is active       keep
//   desired, none of that kind exists         create
//   desired, ours differs or is disabled      replace: create first, delete after (make before break)
//   ours, superseded by a kept one            delete (an earlier run was interrupted in the middle of a replacement)
//   ours, no longer desired                   leftover; delete with `prune`
//   ours, and everything is to be removed     delete
//   optional, refused when last tried         refused
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
  | { readonly kind: 'create'; readonly desired: DesiredSubscription; readonly url: string }
  | {
      readonly kind: 'replace';
      readonly desired: DesiredSubscription;
      readonly url: string;
      readonly replaces: readonly Replaced[];
    }
  | { readonly kind: 'refused'; readonly desired: DesiredSubscription; readonly url: string }
  | {
      readonly kind: 'delete';
      readonly existing: WebhookSubscription;
      readonly why: 'superseded' | 'leftover' | 'removed';
    }
  | { readonly kind: 'leftover'; readonly existing: WebhookSubscription };

export interface Replaced {
  readonly existing: WebhookSubscription;
  readonly why: Difference;
}

export type Difference =
  | { readonly kind: 'disabled' }
  | { readonly kind: 'events'; readonly added: readonly string[]; readonly removed: readonly string[] }
  | { readonly kind: 'key' };

export function planSubscriptions(input: PlanInput): readonly Step[] {
  const ours = input.existing.filter((one) => isOurs(input.callback, one));
  if (input.remove === true) return ours.map((existing) => ({ kind: 'delete', existing, why: 'removed' }));
  const desired = desiredSubscriptions(input);
  const matches = new Map(desired.map((one) => [one, findMatching(input, one, ours)]));
  const unmatched = ours.filter((one) => ![...matches.values()].includes(one));
  const successors = new Map(unmatched.map((one) => [one, desired.find((successor) => isSuccessor(successor, one))]));
  const creating = desired.flatMap((one): readonly Step[] => {
    const existing = matches.get(one);
    if (existing) return [{ kind: 'keep', desired: one, existing }];
    const replaced = unmatched.filter((old) => successors.get(old) === one);
    return [createOrReplace(input, one, replaced)];
  });
  const ending = unmatched.flatMap((existing): readonly Step[] => {
    const successor = successors.get(existing);
    if (successor === undefined)
      return [input.prune ? { kind: 'delete', existing, why: 'leftover' } : { kind: 'leftover', existing }];
    return matches.get(successor) ? [{ kind: 'delete', existing, why: 'superseded' }] : [];
  });
  return [...creating, ...ending];
}

/** True for steps that change something. */
export function isPending({ kind }: Step): boolean {
  return kind === 'create' || kind === 'replace' || kind === 'delete';
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

/** A successor replaces a subscription of the same owner with some of the same events. */
function isSuccessor({ owner, events }: DesiredSubscription, old: WebhookSubscription): boolean {
  return isSameOwner(ownerOf(old), owner) && events.some((event) => old.events?.includes(event));
}

function createOrReplace(
  input: PlanInput,
  desired: DesiredSubscription,
  replaced: readonly WebhookSubscription[],
): Step {
  const fingerprint = fingerprintOf({ ...desired, keyId: input.keyIds[0] });
  const url = freeCallbackUrl(input.callback, fingerprint, input.existing);
  if (replaced.length > 0) {
    const replaces = replaced.map((existing) => ({ existing, why: differenceOf(desired, existing) }));
    return { kind: 'replace', desired, url, replaces };
  }
  const isRefused = desired.optional && input.refused.includes(refusalId(desired));
  return { kind: isRefused ? 'refused' : 'create', desired, url };
}

function differenceOf({ events }: DesiredSubscription, existing: WebhookSubscription): Difference {
  if (existing.state !== 'active') return { kind: 'disabled' };
  const has = new Set(existing.events);
  const added = events.filter((event) => !has.has(event));
  const removed = [...has].filter((event) => !events.some((one) => one === event));
  return added.length + removed.length > 0 ? { kind: 'events', added, removed } : { kind: 'key' };
}

function hasSameEvents({ events }: WebhookSubscription, desired: readonly string[]): boolean {
  const has = new Set(events);
  return has.size === new Set(desired).size && desired.every((event) => has.has(event));
}

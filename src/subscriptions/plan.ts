// The difference between the subscriptions that are wanted and those that exist, as steps. Values in, values out.
//
//   wanted, and one like it stands            keep
//   wanted, nothing of that kind there        create
//   wanted, ours differs or is disabled       replace: create first, delete after (make before break)
//   ours, made superfluous by a kept one      delete (an earlier run was interrupted in the middle of a replacement)
//   ours, nobody wants it any more            leftover; delete with `prune`
//   optional, refused when last tried         refused
import type { EventKind } from '#schemas/events.ts';
import type { WebhookSubscription } from '#schemas/subscription.ts';
import { fingerprintIn, fingerprintOf, freeCallbackUrl, isOurs, isSameOwner, ownerOf } from './callback.ts';
import { wantedOf, type Wanted, type Wishes } from './desired.ts';

export interface PlanInput extends Wishes {
  /** `PUBLIC_URL` + `/webhooks`. */
  readonly callback: string;
  /** The first is the one to register with; the others still verify. */
  readonly keyIds: readonly [string, ...string[]];
  readonly existing: readonly WebhookSubscription[];
  /** Marks (`refusalMark`) of optional subscriptions the service refused. */
  readonly refused: readonly string[];
  readonly prune: boolean;
}

export type Step =
  | { readonly kind: 'keep'; readonly wanted: Wanted; readonly existing: WebhookSubscription }
  | { readonly kind: 'create'; readonly wanted: Wanted; readonly url: string }
  | { readonly kind: 'replace'; readonly wanted: Wanted; readonly url: string; readonly replaces: readonly Replaced[] }
  | { readonly kind: 'refused'; readonly wanted: Wanted; readonly url: string }
  | { readonly kind: 'delete'; readonly existing: WebhookSubscription; readonly why: 'superseded' | 'leftover' }
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
  const wanted = wantedOf(input);
  const kept = new Map(wanted.map((one) => [one, standingOf(input, one, ours)]));
  const spare = ours.filter((one) => ![...kept.values()].includes(one));
  const heirs = new Map(spare.map((one) => [one, wanted.find((heir) => isHeir(heir, one))]));
  const making = wanted.flatMap((one): readonly Step[] => {
    const existing = kept.get(one);
    if (existing) return [{ kind: 'keep', wanted: one, existing }];
    const replaced = spare.filter((old) => heirs.get(old) === one);
    return [makingStep(input, one, replaced)];
  });
  const ending = spare.flatMap((existing): readonly Step[] => {
    const heir = heirs.get(existing);
    if (heir === undefined)
      return [input.prune ? { kind: 'delete', existing, why: 'leftover' } : { kind: 'leftover', existing }];
    return kept.get(heir) ? [{ kind: 'delete', existing, why: 'superseded' }] : [];
  });
  return [...making, ...ending];
}

/** Whether anything is to be done; what is only noted does not count. */
export function isPending({ kind }: Step): boolean {
  return kind === 'create' || kind === 'replace' || kind === 'delete';
}

/** What a refusal is remembered by: another set of events, or another owner, is tried anew. */
export function refusalMark({ owner, events }: Wanted): string {
  return fingerprintOf({ owner, events, keyId: '' });
}

/** The active subscription that is exactly what is wanted. Every process picks the same of several. */
export function standingOf(
  { callback, keyIds }: Pick<PlanInput, 'callback' | 'keyIds'>,
  { owner, events }: Pick<Wanted, 'owner' | 'events'>,
  existing: readonly WebhookSubscription[],
): WebhookSubscription | undefined {
  const fingerprint = fingerprintOf({ owner, events, keyId: keyIds[0] });
  return existing
    .filter((one) => isOurs(callback, one) && one.state === 'active' && isSameOwner(ownerOf(one), owner))
    .filter((one) => fingerprintIn(one.callback_url ?? '') === fingerprint && hasSameEvents(one, events))
    .toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1))[0];
}

/** Shorter callbacks are of earlier generations. */
function rankOf({ callback_url: url, uri }: WebhookSubscription): string {
  return `${String(url?.length).padStart(6, '0')} ${url} ${uri}`;
}

/** An heir takes over from what served the same owner with some of the same events. */
function isHeir({ owner, events }: Wanted, old: WebhookSubscription): boolean {
  return isSameOwner(ownerOf(old), owner) && (old.events ?? []).some((event) => events.includes(event as EventKind));
}

function makingStep(input: PlanInput, wanted: Wanted, replaced: readonly WebhookSubscription[]): Step {
  const fingerprint = fingerprintOf({ ...wanted, keyId: input.keyIds[0] });
  const taken = input.existing.map(({ callback_url: url }) => url ?? '');
  const url = freeCallbackUrl(input.callback, fingerprint, taken);
  if (replaced.length > 0) {
    const replaces = replaced.map((existing) => ({ existing, why: differenceOf(wanted, existing) }));
    return { kind: 'replace', wanted, url, replaces };
  }
  const isRefused = wanted.optional && input.refused.includes(refusalMark(wanted));
  return { kind: isRefused ? 'refused' : 'create', wanted, url };
}

function differenceOf({ events }: Wanted, existing: WebhookSubscription): Difference {
  if (existing.state !== 'active') return { kind: 'disabled' };
  const has: readonly string[] = existing.events ?? [];
  const added = events.filter((event) => !has.includes(event));
  const removed = has.filter((event) => !(events as readonly string[]).includes(event));
  return added.length + removed.length > 0 ? { kind: 'events', added, removed } : { kind: 'key' };
}

function hasSameEvents({ events }: WebhookSubscription, wanted: readonly string[]): boolean {
  const has = new Set(events);
  return has.size === new Set(wanted).size && wanted.every((event) => has.has(event));
}

// Carries a plan out: everything wanted is made first, one after the other; only then does the old go, and only what
// nothing depends on any more. Stopped in the middle, it says how far it came, and the next run goes on from there.
import type { WebhookSubscription } from '#schemas/subscription.ts';
import { isStatus, type ApiError } from '#src/upstream/api-error.ts';
import { deleteWebhookSubscription } from '#src/upstream/endpoints/webhook-subscriptions.ts';
import { isSameOwner, ownerOf } from './callback.ts';
import type { PlanInput, Step } from './plan.ts';
import { isExcused, registerSubscription, type Refusal } from './register.ts';
import { callerFor, surveySubscriptions, type Callers } from './list-existing.ts';
import type { Wanted } from './desired.ts';

export interface ApplyNeeds {
  readonly callers: Callers;
  /** The key that `keyIds[0]` stands for. */
  readonly signingKey: string;
  readonly signal?: AbortSignal | undefined;
  /** Lets what is on its way through an old subscription arrive: with the subscription, it may go. */
  readonly pause?: (() => Promise<void>) | undefined;
}

export type Deed =
  | { readonly kind: 'kept' | 'created' | 'found'; readonly wanted: Wanted; readonly subscription: WebhookSubscription }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'deleted'; readonly subscription: WebhookSubscription }
  /** It still delivers wanted events that could not be registered anew. */
  | { readonly kind: 'spared'; readonly subscription: WebhookSubscription; readonly events: readonly string[] }
  | { readonly kind: 'undeletable'; readonly subscription: WebhookSubscription; readonly error: ApiError };

export interface Applied {
  readonly deeds: readonly Deed[];
  /** What the service has now, as far as this run knows. */
  readonly existing: readonly WebhookSubscription[];
  /** What ended it early; the deeds before it stand. */
  readonly failure: { readonly error: unknown } | undefined;
}

export async function applyPlan(needs: ApplyNeeds, plan: readonly Step[], input: PlanInput): Promise<Applied> {
  const deeds: Deed[] = [];
  let failure: Applied['failure'];
  try {
    for (const step of plan) for (const deed of await make(needs, step, input)) deeds.push(deed);
    // One that was to be replaced may be all that can be had: then it is found, and stays.
    const standing = new Set(standingIn(deeds).map(({ uri }) => uri));
    const old = endedBy(plan).filter(({ uri }) => !standing.has(uri));
    if (old.some(({ state }) => state === 'active')) await needs.pause?.();
    for (const one of old) deeds.push(await end(needs, one, { plan, deeds }));
  } catch (error) {
    failure = { error };
  }
  return { deeds, existing: existingAfter(input.existing, deeds), failure };
}

/** Everything wanted stands, and nothing that should be gone is left. */
export function isComplete({ deeds, failure }: Applied): boolean {
  const isWell = (deed: Deed): boolean =>
    deed.kind === 'refused' ? isExcused(deed.refusal) : deed.kind !== 'spared' && deed.kind !== 'undeletable';
  return failure === undefined && deeds.every(isWell);
}

export function endedBy(plan: readonly Step[]): readonly WebhookSubscription[] {
  return plan.flatMap((step) => {
    if (step.kind === 'delete') return [step.existing];
    return step.kind === 'replace' ? step.replaces.map(({ existing }) => existing) : [];
  });
}

async function make(needs: ApplyNeeds, step: Step, input: PlanInput): Promise<readonly Deed[]> {
  if (step.kind === 'keep') return [{ kind: 'kept', wanted: step.wanted, subscription: step.existing }];
  // What was refused before is tried again: the service may have changed its mind, and asking costs one call.
  if (step.kind !== 'create' && step.kind !== 'replace' && step.kind !== 'refused') return [];
  const { wanted } = step;
  const { callers, signingKey, signal } = needs;
  const client = callerFor(callers, wanted.owner);
  const look = async () => (await surveySubscriptions(callers, [wanted.owner])).existing;
  const { callback, keyIds, existing } = input;
  const { standing, isNew, refusals } = await registerSubscription(
    { client, signingKey, look, signal },
    { wanted, callback, keyIds, existing },
  );
  const deeds: readonly Deed[] = refusals.map((refusal) => ({ kind: 'refused', refusal }));
  if (standing === undefined) return deeds;
  return [{ kind: isNew ? 'created' : 'found', wanted, subscription: standing }, ...deeds];
}

type Progress = { readonly plan: readonly Step[]; readonly deeds: readonly Deed[] };

async function end(needs: ApplyNeeds, subscription: WebhookSubscription, progress: Progress): Promise<Deed> {
  const events = orphansOf(subscription, progress);
  if (events.length > 0) return { kind: 'spared', subscription, events };
  try {
    await deleteWebhookSubscription(callerFor(needs.callers, ownerOf(subscription)), subscription.uri, {
      signal: needs.signal,
    });
  } catch (error) {
    if (isStatus(error, 403)) return { kind: 'undeletable', subscription, error };
    // Another run was faster.
    if (!isStatus(error, 404)) throw error;
  }
  return { kind: 'deleted', subscription };
}

const standingIn = (deeds: readonly Deed[]): readonly WebhookSubscription[] =>
  deeds.flatMap((deed) =>
    deed.kind === 'kept' || deed.kind === 'created' || deed.kind === 'found' ? [deed.subscription] : [],
  );

/** The wanted events of this owner that nobody would deliver once this one is gone. */
function orphansOf(old: WebhookSubscription, { plan, deeds }: Progress): readonly string[] {
  if (old.state !== 'active') return [];
  const owner = ownerOf(old);
  const covered = standingIn(deeds)
    .filter((one) => isSameOwner(ownerOf(one), owner))
    .flatMap(({ events }) => events ?? []);
  const wanted = plan
    .flatMap((step) => ('wanted' in step ? [step.wanted] : []))
    .filter((one) => isSameOwner(one.owner, owner))
    .flatMap(({ events }): readonly string[] => events);
  return (old.events ?? []).filter((event) => wanted.includes(event) && !covered.includes(event));
}

function existingAfter(before: readonly WebhookSubscription[], deeds: readonly Deed[]): readonly WebhookSubscription[] {
  const gone = new Set(deeds.flatMap((deed) => (deed.kind === 'deleted' ? [deed.subscription.uri] : [])));
  const all = new Map([...before, ...standingIn(deeds)].map((one) => [one.uri, one]));
  return [...all.values()].filter(({ uri }) => !gone.has(uri));
}

// Applies a plan: creates everything desired first, one after the other, and then deletes the old subscriptions that no event depends
// on any more. When it is stopped in the middle, it reports what was done, and the next run continues from there.
import type { WebhookSubscription } from '#schemas/subscription.ts';
import { isStatus, type ApiError } from '#src/upstream/api-error.ts';
import { deleteWebhookSubscription } from '#src/upstream/endpoints.ts';
import { isSameOwner, ownerOf } from './callback.ts';
import type { PlanInput, Step } from './plan.ts';
import { isAcceptable, registerSubscription, type Refusal } from './register.ts';
import { callerFor, listExisting, type Callers } from './list-existing.ts';
import type { DesiredSubscription } from './desired.ts';

export interface ApplyNeeds {
  readonly callers: Callers;
  /** The key with the id `keyIds[0]`. */
  readonly signingKey: string;
  readonly signal?: AbortSignal | undefined;
  /** Waits for deliveries in transit through an old subscription: deleting it may drop them. */
  readonly pause?: (() => Promise<void>) | undefined;
}

export type StepResult =
  | {
      readonly kind: 'unchanged' | 'created' | 'found';
      readonly desired: DesiredSubscription;
      readonly subscription: WebhookSubscription;
    }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'deleted'; readonly subscription: WebhookSubscription }
  /** It still delivers desired events that could not be registered again. */
  | { readonly kind: 'spared'; readonly subscription: WebhookSubscription; readonly events: readonly string[] }
  | { readonly kind: 'undeletable'; readonly subscription: WebhookSubscription; readonly error: ApiError };

export interface Applied {
  readonly results: readonly StepResult[];
  /** What exists at the service now, as far as this run can tell. */
  readonly existing: readonly WebhookSubscription[];
  /** The error that ended it early; the results before it are valid. */
  readonly failure: { readonly error: unknown } | undefined;
}

export async function applyPlan(needs: ApplyNeeds, plan: readonly Step[], input: PlanInput): Promise<Applied> {
  const results: StepResult[] = [];
  let failure: Applied['failure'];
  try {
    for (const step of plan) for (const result of await createSubscription(needs, step, input)) results.push(result);
    // A subscription that was to be replaced may be the only possible one: then it is found again, and stays.
    const active = new Set(activeIn(results).map(({ uri }) => uri));
    const old = endedSubscriptions(plan).filter(({ uri }) => !active.has(uri));
    if (old.some(({ state }) => state === 'active')) await needs.pause?.();
    for (const one of old) results.push(await deleteSubscription(needs, one, { plan, results }));
  } catch (error) {
    failure = { error };
  }
  return { results, existing: existingAfter(input.existing, results), failure };
}

/** True when everything desired exists and everything to be deleted is deleted. */
export function isComplete({ results, failure }: Applied): boolean {
  const isSuccess = (result: StepResult): boolean =>
    result.kind === 'refused'
      ? isAcceptable(result.refusal)
      : result.kind !== 'spared' && result.kind !== 'undeletable';
  return failure === undefined && results.every(isSuccess);
}

export function endedSubscriptions(plan: readonly Step[]): readonly WebhookSubscription[] {
  return plan.flatMap((step) => {
    if (step.kind === 'delete') return [step.existing];
    return step.kind === 'replace' ? step.replaces.map(({ existing }) => existing) : [];
  });
}

async function createSubscription(needs: ApplyNeeds, step: Step, input: PlanInput): Promise<readonly StepResult[]> {
  if (step.kind === 'keep') return [{ kind: 'unchanged', desired: step.desired, subscription: step.existing }];
  // A refused one is tried again: the service may support it now, and the attempt costs one call.
  if (step.kind !== 'create' && step.kind !== 'replace' && step.kind !== 'refused') return [];
  const { desired } = step;
  const { callers, signingKey, signal } = needs;
  const client = callerFor(callers, desired.owner);
  const listAgain = async () => (await listExisting(callers, [desired.owner])).existing;
  const { callback, keyIds, existing } = input;
  const { subscription, isNew, refusals } = await registerSubscription(
    { client, signingKey, listAgain, signal },
    { desired, callback, keyIds, existing },
  );
  const results: readonly StepResult[] = refusals.map((refusal) => ({ kind: 'refused', refusal }));
  if (subscription === undefined) return results;
  return [{ kind: isNew ? 'created' : 'found', desired, subscription }, ...results];
}

type Progress = { readonly plan: readonly Step[]; readonly results: readonly StepResult[] };

async function deleteSubscription(
  needs: ApplyNeeds,
  subscription: WebhookSubscription,
  progress: Progress,
): Promise<StepResult> {
  const events = uncoveredEvents(subscription, progress);
  if (events.length > 0) return { kind: 'spared', subscription, events };
  try {
    await deleteWebhookSubscription(callerFor(needs.callers, ownerOf(subscription)), subscription.uri, {
      signal: needs.signal,
    });
  } catch (error) {
    if (isStatus(error, 403)) return { kind: 'undeletable', subscription, error };
    // Another run deleted it.
    if (!isStatus(error, 404)) throw error;
  }
  return { kind: 'deleted', subscription };
}

const activeIn = (results: readonly StepResult[]): readonly WebhookSubscription[] =>
  results.flatMap((result) =>
    result.kind === 'unchanged' || result.kind === 'created' || result.kind === 'found' ? [result.subscription] : [],
  );

/** The desired events of this owner that no other subscription would deliver once this one is deleted. */
function uncoveredEvents(old: WebhookSubscription, { plan, results }: Progress): readonly string[] {
  if (old.state !== 'active') return [];
  const owner = ownerOf(old);
  const covered = activeIn(results)
    .filter((one) => isSameOwner(ownerOf(one), owner))
    .flatMap(({ events }) => events ?? []);
  const desired = plan
    .flatMap((step) => ('desired' in step ? [step.desired] : []))
    .filter((one) => isSameOwner(one.owner, owner))
    .flatMap(({ events }): readonly string[] => events);
  return (old.events ?? []).filter((event) => desired.includes(event) && !covered.includes(event));
}

function existingAfter(
  before: readonly WebhookSubscription[],
  results: readonly StepResult[],
): readonly WebhookSubscription[] {
  const deleted = new Set(results.flatMap((result) => (result.kind === 'deleted' ? [result.subscription.uri] : [])));
  const all = new Map([...before, ...activeIn(results)].map((one) => [one.uri, one]));
  return [...all.values()].filter(({ uri }) => !deleted.has(uri));
}

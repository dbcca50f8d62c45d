// Applies a plan: creates everything desired first, one after the other, and then deletes the old subscriptions that no event depends
// on any more. A step that fails costs only itself. When it is stopped in the middle, it reports what was done, and the next run
// continues from there.
import type { WebhookSubscription } from '#schemas/subscription.ts';
import { isStatus } from '#src/upstream/api-error.ts';
import { deleteWebhookSubscription } from '#src/upstream/endpoints.ts';
import { isDelivered, isOverlapping, ownerOf } from './callback.ts';
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
  /** Neither created nor refused: the service did not answer, failed, or rejected the token. */
  | { readonly kind: 'failed'; readonly desired: DesiredSubscription; readonly error: unknown }
  | { readonly kind: 'deleted'; readonly subscription: WebhookSubscription }
  /** It still delivers desired events that could not be registered again. */
  | { readonly kind: 'retained'; readonly subscription: WebhookSubscription; readonly events: readonly string[] }
  | { readonly kind: 'undeletable'; readonly subscription: WebhookSubscription; readonly error: unknown };

export interface ApplyResult {
  readonly results: readonly StepResult[];
  /** What exists at the service now, as far as this run can tell. */
  readonly existing: readonly WebhookSubscription[];
  /** The first error that a further run may not meet; the results are valid. */
  readonly failure: { readonly error: unknown } | undefined;
  readonly isStopped: boolean;
}

export async function applyPlan(needs: ApplyNeeds, plan: readonly Step[], input: PlanInput): Promise<ApplyResult> {
  const results: StepResult[] = [];
  let stop: ApplyResult['failure'];
  try {
    for (const step of plan) if ('desired' in step) results.push(await createSubscription(needs, step, input));
    const active = new Set(activeIn(results).map(({ uri }) => uri));
    // What was found while registering stays, whatever the list said.
    const old = plan
      .flatMap((step) => (step.kind === 'delete' ? [step.existing] : []))
      .filter(({ uri }) => !active.has(uri));
    const uncovered = new Map(old.map((one) => [one, uncoveredEvents(one, { plan, results })]));
    const isUnneeded = (one: WebhookSubscription): boolean => uncovered.get(one)?.length === 0;
    if (old.some((one) => one.state === 'active' && isUnneeded(one))) await needs.pause?.();
    for (const subscription of old)
      results.push(
        isUnneeded(subscription)
          ? await deleteSubscription(needs, subscription)
          : { kind: 'retained', subscription, events: uncovered.get(subscription) ?? [] },
      );
  } catch (error) {
    stop = { error };
  }
  const failure = stop ?? results.find(isFailure);
  return { results, existing: existingAfter(input.existing, results), failure, isStopped: stop !== undefined };
}

type FailedStep = Extract<StepResult, { readonly kind: 'failed' | 'undeletable' }>;

/** What the token is not allowed to delete stays so; any other error may pass. */
const isFailure = (result: StepResult): result is FailedStep =>
  result.kind === 'failed' || (result.kind === 'undeletable' && !isStatus(result.error, 403));

/** True when everything desired exists and everything to be deleted is deleted. */
export function isComplete({ results, failure }: ApplyResult): boolean {
  const isSuccess = (result: StepResult): boolean =>
    result.kind === 'refused'
      ? isAcceptable(result.refusal)
      : result.kind !== 'retained' && result.kind !== 'undeletable';
  return failure === undefined && results.every(isSuccess);
}

/** A refused one is tried again, too: the service may support it now, and the attempt costs one call. */
async function createSubscription(
  { callers, signingKey, signal }: ApplyNeeds,
  step: Extract<Step, { readonly desired: DesiredSubscription }>,
  input: PlanInput,
): Promise<StepResult> {
  const { desired } = step;
  if (step.kind === 'keep') return { kind: 'unchanged', desired, subscription: step.existing };
  const client = callerFor(callers, desired.owner);
  const listAgain = async () => (await listExisting(callers, [desired.owner])).existing;
  try {
    const result = await registerSubscription({ client, signingKey, listAgain, signal }, { ...input, desired });
    if (result.kind === 'refused') return { kind: 'refused', refusal: { desired, cause: result.cause } };
    return { ...result, desired };
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return { kind: 'failed', desired, error };
  }
}

async function deleteSubscription(
  { callers, signal }: ApplyNeeds,
  subscription: WebhookSubscription,
): Promise<StepResult> {
  try {
    await deleteWebhookSubscription(callerFor(callers, ownerOf(subscription)), subscription.uri, { signal });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    // Another run deleted it.
    if (!isStatus(error, 404)) return { kind: 'undeletable', subscription, error };
  }
  return { kind: 'deleted', subscription };
}

const activeIn = (results: readonly StepResult[]): readonly WebhookSubscription[] =>
  results.flatMap((result) =>
    result.kind === 'unchanged' || result.kind === 'created' || result.kind === 'found' ? [result.subscription] : [],
  );

/** The desired events that only this one delivers, of its owner or of one that has events in common with it. */
function uncoveredEvents(
  old: WebhookSubscription,
  { plan, results }: { readonly plan: readonly Step[]; readonly results: readonly StepResult[] },
): readonly string[] {
  if (old.state !== 'active') return [];
  const active = activeIn(results);
  const desired = plan.flatMap((step) => ('desired' in step ? [step.desired] : []));
  const isNeeded = (event: string): boolean =>
    desired.some(
      ({ owner, events }) =>
        events.some((one) => one === event) && isOverlapping(owner, ownerOf(old)) && !isDelivered(event, owner, active),
    );
  return (old.events ?? []).filter(isNeeded);
}

function existingAfter(
  before: readonly WebhookSubscription[],
  results: readonly StepResult[],
): readonly WebhookSubscription[] {
  const deleted = new Set(results.flatMap((result) => (result.kind === 'deleted' ? [result.subscription.uri] : [])));
  const all = new Map([...before, ...activeIn(results)].map((one) => [one.uri, one]));
  return [...all.values()].filter(({ uri }) => !deleted.has(uri));
}

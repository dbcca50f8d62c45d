// Watches our subscriptions: reports failing and disabled ones, creates lost ones again with the steps of bootstrap, and records the
// gap of the outage for repair. It never creates what bootstrap has not created before.
import type { WebhookSubscription } from '#schemas/subscription.ts';
import { applyPlan, type ApplyResult } from './apply.ts';
import { inspectSubscriptions, type BootstrapInput, type BootstrapNeeds } from './bootstrap.ts';
import { isDelivered, isOurs, isSameOwner, ownerOf } from './callback.ts';
import {
  resolveOutages,
  findOutages,
  recordOutages,
  type LastObservation,
  type OutageGap,
  type Outage,
} from './outage-gaps.ts';
import type { Step } from './plan.ts';
import type { Refusal } from './register.ts';

export interface WatchInput extends Omit<BootstrapInput, 'prune' | 'countsMembers'> {
  /** The key with the id `keyIds[0]`. */
  readonly signingKey: string;
  /** Called before the repair, which can take minutes while the service fails. */
  readonly onFound?: ((found: WatchReport) => Promise<void>) | undefined;
}

export interface WatchReport {
  /** Active, but deliveries fail: the only warning before the service disables it. */
  readonly retrying: readonly WebhookSubscription[];
  readonly disabled: readonly WebhookSubscription[];
  /** Ours when last seen, and no longer listed. */
  readonly missing: readonly LastObservation[];
  /** What was created again; `refused` is what could not be. */
  readonly recreated: readonly WebhookSubscription[];
  readonly refused: readonly Refusal[];
  /** Gaps of outages that have ended; an open gap is reported by the run that closes it. */
  readonly gaps: readonly OutageGap[];
  /** The error that ended the run early: the next run continues. */
  readonly failure: ApplyResult['failure'];
}

export async function watchSubscriptions(needs: BootstrapNeeds, input: WatchInput): Promise<WatchReport> {
  const inspection = await inspectSubscriptions(needs, { ...input, prune: false, countsMembers: false });
  const { callback, existing } = inspection.input;
  const ours = existing.filter((one) => isOurs(callback, one));
  const { disabled, missing, outages } = findOutages(inspection, needs.now());
  const steps = inspection.steps.filter((step) => repairs(step, { outages, ours }));
  const retrying = ours.filter(({ state, retry_started_at: since }) => state === 'active' && since != null);
  const found = { retrying, disabled, missing, recreated: [], refused: [], gaps: [], failure: undefined };
  await input.onFound?.(found);
  const { callers, signal, pause } = needs;
  const applied = await applyPlan({ callers, signingKey: input.signingKey, signal, pause }, steps, inspection.input);
  const result = resolveOutages(inspection, { outages, applied, now: needs.now() });
  await recordOutages(needs, result);
  return {
    ...found,
    recreated: applied.results.flatMap((result) => (result.kind === 'created' ? [result.subscription] : [])),
    refused: applied.results.flatMap((result) => (result.kind === 'refused' ? [result.refusal] : [])),
    gaps: result.gaps,
    failure: applied.failure,
  };
}

/** True for steps that repair an outage. A change of EVENTS or of the key is left to bootstrap. */
function repairs(
  step: Step,
  { outages, ours }: { readonly outages: readonly Outage[]; readonly ours: readonly WebhookSubscription[] },
): boolean {
  if (step.kind === 'keep') return true;
  if (step.kind === 'delete') return step.existing.state !== 'active';
  if (step.kind !== 'create') return false;
  const { owner, events } = step.desired;
  return outages.some(({ subscription }) => {
    const uncovered = (subscription.events ?? []).filter((event) => !isDelivered(event, ownerOf(subscription), ours));
    return isSameOwner(ownerOf(subscription), owner) && events.some((event) => uncovered.includes(event));
  });
}

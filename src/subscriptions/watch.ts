// One look at our subscriptions: which are failing, which the service has ended. What was lost is made again by the same steps
// as bootstrap's, and the time it was lost for is noted, to be repaired. What bootstrap never made is not made here.
import type { WebhookSubscription } from '#schemas/subscription.ts';
import { applyPlan, type Applied } from './apply.ts';
import { examineSubscriptions, type BootstrapInput, type BootstrapNeeds } from './bootstrap.ts';
import { isOurs, isSameOwner, ownerOf } from './callback.ts';
import type { Known } from './last-seen.ts';
import { aftermathOf, isDelivered, lossesIn, settle, type Gap, type Lost } from './outage-gaps.ts';
import type { Step } from './plan.ts';
import type { Refusal } from './register.ts';

export interface WatchInput extends Omit<BootstrapInput, 'prune' | 'countsMembers'> {
  /** The key that `keyIds[0]` stands for. */
  readonly signingKey: string;
}

export interface WatchReport {
  /** Active, but deliveries fail: the only warning before the service disables it. */
  readonly retrying: readonly WebhookSubscription[];
  readonly disabled: readonly WebhookSubscription[];
  /** Ours when we last looked, and gone. */
  readonly missing: readonly Known[];
  /** What was made again, and what could not be. */
  readonly recreated: readonly WebhookSubscription[];
  readonly refused: readonly Refusal[];
  /** Of what stands again by now; a gap that is still open comes with the round that closes it. */
  readonly gaps: readonly Gap[];
  /** What ended the round early: the next one goes on. */
  readonly failure: Applied['failure'];
}

export async function watchSubscriptions(needs: BootstrapNeeds, input: WatchInput): Promise<WatchReport> {
  const situation = await examineSubscriptions(needs, { ...input, prune: false, countsMembers: false });
  const { callback, existing } = situation.input;
  const ours = existing.filter((one) => isOurs(callback, one));
  const { disabled, missing, lost } = lossesIn(situation, needs.now());
  const steps = situation.steps.filter((step) => mends(step, { lost, ours }));
  const { callers, signal, pause } = needs;
  const applied = await applyPlan({ callers, signingKey: input.signingKey, signal, pause }, steps, situation.input);
  const aftermath = aftermathOf(situation, { lost, applied, now: needs.now() });
  await settle(needs, aftermath);
  return {
    retrying: ours.filter(({ state, retry_started_at: since }) => state === 'active' && since != null),
    disabled,
    missing,
    recreated: applied.deeds.flatMap((deed) => (deed.kind === 'created' ? [deed.subscription] : [])),
    refused: applied.deeds.flatMap((deed) => (deed.kind === 'refused' ? [deed.refusal] : [])),
    gaps: aftermath.gaps,
    failure: applied.failure,
  };
}

/** Only what was lost and is not covered by another is mended: a change of EVENTS or key is bootstrap's to carry out. */
function mends(
  step: Step,
  { lost, ours }: { readonly lost: readonly Lost[]; readonly ours: readonly WebhookSubscription[] },
): boolean {
  if (step.kind === 'keep') return true;
  if (step.kind === 'delete') return step.existing.state !== 'active';
  if (step.kind !== 'create' && step.kind !== 'replace') return false;
  const { owner, events } = step.wanted;
  return lost.some(({ subscription }) => {
    const orphans = (subscription.events ?? []).filter((event) => !isDelivered(event, ownerOf(subscription), ours));
    return isSameOwner(ownerOf(subscription), owner) && events.some((event) => orphans.includes(event));
  });
}

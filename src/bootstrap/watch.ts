// One look at our subscriptions: which are failing, which the service has ended. What was lost is made again by the same steps
// as bootstrap's, and the time it was lost for is handed back, to be repaired. What bootstrap never made is not made here.
import type { WebhookSubscription } from '#schemas/subscription.ts';
import { applyPlan, type Applied } from './apply.ts';
import { examineSubscriptions, gapStart } from './bootstrap.ts';
import type { BootstrapInput, BootstrapNeeds, Situation } from './bootstrap.ts';
import { isOurs, isSameOwner, ownerOf, type Owner } from './callback.ts';
import { memoryAfter, type Known } from './known.ts';
import type { Step } from './plan.ts';
import type { Refusal } from './register.ts';

export interface WatchInput extends Omit<BootstrapInput, 'prune' | 'countsMembers'> {
  /** The key that `keyIds[0]` stands for. */
  readonly signingKey: string;
}

/** Deliveries of these events may be missing. */
export interface Gap {
  readonly owner: Owner;
  readonly events: readonly string[];
  readonly from: string;
  readonly to: string;
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

interface Lost {
  readonly subscription: WebhookSubscription;
  readonly since: string;
}

export async function watchSubscriptions(needs: BootstrapNeeds, input: WatchInput): Promise<WatchReport> {
  const situation = await examineSubscriptions(needs, { ...input, prune: false, countsMembers: false });
  const { known, unseen } = situation;
  const { callback, existing } = situation.input;
  const ours = existing.filter((one) => isOurs(callback, one));
  const disabled = ours.filter((one) => one.state !== 'active' && wantedEvents(one, situation).length > 0);
  const missing = missingOf(situation);
  const lost = lostOf({ disabled, missing, known }, needs.now());
  const steps = situation.steps.filter((step) => mends(step, { lost, ours }));
  const { callers, signal, pause } = needs;
  const applied = await applyPlan({ callers, signingKey: input.signingKey, signal, pause }, steps, situation.input);
  const now = needs.now();
  const open = lost.filter((one) => !isSettled(one, situation, applied));
  const memory = memoryAfter({
    callback,
    known,
    existing: applied.existing,
    unseen: unseen.map(({ owner }) => owner),
    now,
  });
  // A lost one is remembered until another stands in its place: it says since when deliveries are missing.
  const kept = new Set(open.map(({ subscription }) => subscription.uri));
  await needs.memory.remember({ ...memory, gone: memory.gone.filter((uri) => !kept.has(uri)) });
  return {
    retrying: ours.filter(({ state, retry_started_at: since }) => state === 'active' && since != null),
    disabled,
    missing,
    recreated: applied.deeds.flatMap((deed) => (deed.kind === 'created' ? [deed.subscription] : [])),
    refused: applied.deeds.flatMap((deed) => (deed.kind === 'refused' ? [deed.refusal] : [])),
    gaps: lost.filter((one) => !open.includes(one)).map((one) => gapOf(one, { situation, applied, now })),
    failure: applied.failure,
  };
}

/** Only what is wanted still counts as missing. */
function missingOf(situation: Situation): readonly Known[] {
  const { known, unseen, input } = situation;
  const uris = new Set(input.existing.map(({ uri }) => uri));
  const isUnseen = (one: Known): boolean => unseen.some(({ owner }) => isSameOwner(owner, ownerOf(one)));
  return known
    .filter((one) => isOurs(input.callback, one) && !uris.has(one.uri) && !isUnseen(one))
    .filter((one) => wantedEvents(one, situation).length > 0);
}

/** Those of its events that are wanted of its owner now. */
function wantedEvents(one: WebhookSubscription, { steps }: Situation): readonly string[] {
  const owner = ownerOf(one);
  const wanted = steps.flatMap((step): readonly string[] =>
    'wanted' in step && isSameOwner(step.wanted.owner, owner) ? step.wanted.events : [],
  );
  return (one.events ?? []).filter((event) => wanted.includes(event));
}

function lostOf(
  found: {
    readonly disabled: readonly WebhookSubscription[];
    readonly missing: readonly Known[];
    readonly known: readonly Known[];
  },
  now: string,
): readonly Lost[] {
  const before = new Map(found.known.map((one) => [one.uri, one]));
  return [
    ...found.disabled.map((one) => ({ subscription: one, since: gapStart(one, before.get(one.uri)) ?? now })),
    ...found.missing.map((one) => ({ subscription: one, since: one.retry_started_at ?? one.checked_at })),
  ];
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

function isDelivered(event: string, owner: Owner, by: readonly WebhookSubscription[]): boolean {
  return by.some(
    (one) => one.state === 'active' && isSameOwner(ownerOf(one), owner) && (one.events ?? []).includes(event),
  );
}

/** Something of it is delivered again, and of the rest the service has said that it will not be. */
function isSettled({ subscription }: Lost, situation: Situation, { existing, deeds }: Applied): boolean {
  const owner = ownerOf(subscription);
  const ours = existing.filter((one) => isOurs(situation.input.callback, one));
  const refused = deeds.flatMap((deed): readonly string[] =>
    deed.kind === 'refused' && isSameOwner(deed.refusal.wanted.owner, owner) ? deed.refusal.events : [],
  );
  const events = wantedEvents(subscription, situation);
  const delivered = events.filter((event) => isDelivered(event, owner, ours));
  return delivered.length > 0 && events.every((event) => delivered.includes(event) || refused.includes(event));
}

function gapOf(
  { subscription, since }: Lost,
  { situation, applied, now }: { readonly situation: Situation; readonly applied: Applied; readonly now: string },
): Gap {
  const owner = ownerOf(subscription);
  const events = wantedEvents(subscription, situation).filter((event) => isDelivered(event, owner, applied.existing));
  return { owner, events, from: since, to: now };
}

// What was lost of our subscriptions, since when, and what of it stands again: the time between is a gap, to be repaired.
import type { WebhookSubscription } from '#schemas/subscription.ts';
import type { Applied } from './apply.ts';
import { isOurs, isSameOwner, ownerOf, type Owner } from './callback.ts';
import { memoryAfter, type Known, type Memory } from './last-seen.ts';
import type { PlanInput, Step } from './plan.ts';
import type { Unseen } from './list-existing.ts';

/** Deliveries of these events may be missing. */
export interface Gap {
  readonly owner: Owner;
  readonly events: readonly string[];
  readonly from: string;
  readonly to: string;
}

export interface Lost {
  readonly subscription: WebhookSubscription;
  readonly since: string;
}

export interface Losses {
  readonly disabled: readonly WebhookSubscription[];
  /** Ours when we last looked, and gone. */
  readonly missing: readonly Known[];
  readonly lost: readonly Lost[];
}

/** What a look has shown. */
export interface Shown {
  readonly input: PlanInput;
  readonly steps: readonly Step[];
  readonly unseen: readonly Unseen[];
  readonly known: readonly Known[];
}

/** Only what is wanted still counts as lost. */
export function lossesIn(shown: Shown, now: string): Losses {
  const { input, known, unseen } = shown;
  const isWanted = (one: WebhookSubscription): boolean =>
    isOurs(input.callback, one) && wantedEvents(one, shown).length > 0;
  const isUnseen = (one: Known): boolean => unseen.some(({ owner }) => isSameOwner(owner, ownerOf(one)));
  const uris = new Set(input.existing.map(({ uri }) => uri));
  const disabled = input.existing.filter((one) => one.state !== 'active' && isWanted(one));
  const missing = known.filter((one) => !uris.has(one.uri) && !isUnseen(one) && isWanted(one));
  const before = new Map(known.map((one) => [one.uri, one]));
  const lost = [
    ...disabled.map((one) => ({ subscription: one, since: gapStart(one, before.get(one.uri)) ?? now })),
    ...missing.map((one) => ({ subscription: one, since: one.retry_started_at ?? one.checked_at })),
  ];
  return { disabled, missing, lost };
}

/** Since when deliveries of this one may be missing; undefined when it was well. */
function gapStart(one: WebhookSubscription, before: Known | undefined): string | undefined {
  if (one.state === 'active' && one.retry_started_at == null) return undefined;
  return one.retry_started_at ?? before?.retry_started_at ?? before?.checked_at ?? one.created_at ?? undefined;
}

/** Those of its events that are wanted of its owner now. */
function wantedEvents(one: WebhookSubscription, { steps }: Shown): readonly string[] {
  const owner = ownerOf(one);
  const wanted = steps.flatMap((step): readonly string[] =>
    'wanted' in step && isSameOwner(step.wanted.owner, owner) ? step.wanted.events : [],
  );
  return (one.events ?? []).filter((event) => wanted.includes(event));
}

export function isDelivered(event: string, owner: Owner, by: readonly WebhookSubscription[]): boolean {
  return by.some(
    (one) => one.state === 'active' && isSameOwner(ownerOf(one), owner) && (one.events ?? []).includes(event),
  );
}

export interface Aftermath {
  /** Of what stands again by now; a gap that is still open comes with the round that closes it. */
  readonly gaps: readonly Gap[];
  readonly memory: Parameters<Memory['remember']>[0];
}

/** What is to be repaired, and remembered, after these deeds. */
export function aftermathOf(
  shown: Shown,
  { lost, applied, now }: { readonly lost: readonly Lost[]; readonly applied: Applied; readonly now: string },
): Aftermath {
  const { input, known, unseen } = shown;
  const open = lost.filter((one) => !isSettled(one, shown, applied));
  const closed = [...lost.filter((one) => !open.includes(one)), ...endedWhileFailing(shown, applied)];
  const { existing } = applied;
  const owners = unseen.map(({ owner }) => owner);
  const memory = memoryAfter({ callback: input.callback, known, existing, unseen: owners, now });
  // A lost one is remembered until another stands in its place: it says since when deliveries are missing.
  const kept = new Set(open.map(({ subscription }) => subscription.uri));
  return {
    gaps: closed.map(({ subscription, since }) => {
      const owner = ownerOf(subscription);
      const events = wantedEvents(subscription, shown).filter((event) => isDelivered(event, owner, existing));
      return { owner, events, from: since, to: now };
    }),
    memory: { ...memory, gone: memory.gone.filter((uri) => !kept.has(uri)) },
  };
}

/** What an active one was still retrying went with it. */
function endedWhileFailing(shown: Shown, { deeds }: Applied): readonly Lost[] {
  return deeds.flatMap((deed) => {
    if (deed.kind !== 'deleted') return [];
    const { subscription } = deed;
    const { state, retry_started_at: since } = subscription;
    const isFailing = state === 'active' && since != null && wantedEvents(subscription, shown).length > 0;
    return isFailing ? [{ subscription, since }] : [];
  });
}

/** Something of it is delivered again, and of the rest the service has said that it will not be. */
function isSettled({ subscription }: Lost, shown: Shown, { existing, deeds }: Applied): boolean {
  const owner = ownerOf(subscription);
  const ours = existing.filter((one) => isOurs(shown.input.callback, one));
  const refused = deeds.flatMap((deed): readonly string[] =>
    deed.kind === 'refused' && isSameOwner(deed.refusal.wanted.owner, owner) ? deed.refusal.events : [],
  );
  const events = wantedEvents(subscription, shown);
  const delivered = events.filter((event) => isDelivered(event, owner, ours));
  return delivered.length > 0 && events.every((event) => delivered.includes(event) || refused.includes(event));
}

export interface SettleNeeds {
  readonly memory: Memory;
  /** Deliveries since then may be missing: kept until it is repaired. */
  readonly noteGap: (since: string) => Promise<void>;
}

/** The gap first: what is remembered no longer tells of it, so that a crash between the two must find it noted. */
export async function settle({ memory, noteGap }: SettleNeeds, aftermath: Aftermath): Promise<string | undefined> {
  const [since] = aftermath.gaps.map(({ from }) => from).toSorted();
  if (since !== undefined) await noteGap(since);
  await memory.remember(aftermath.memory);
  return since;
}

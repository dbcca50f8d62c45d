// Outages of our subscriptions: since when deliveries may be missing, and until when. The gap is recorded, so that a reconcile can
// repair it.
import type { WebhookSubscription } from '#schemas/subscription.ts';
import type { ApplyResult } from './apply.ts';
import { isDelivered, isOurs, isSameOwner, ownerOf, type Owner } from './callback.ts';
import type { PlanInput, Step } from './plan.ts';
import type { UnlistedOwner } from './list-existing.ts';

/** `checked_at`: when it was last listed; for a disabled one, when it was last seen active (or created). */
export interface LastObservation extends WebhookSubscription {
  readonly checked_at: string;
}

export interface LastSeenStore {
  read(): Promise<readonly LastObservation[]>;
  /** Subscriptions that are neither `seen` nor `deleted` stay unchanged. */
  update(change: { readonly seen: readonly LastObservation[]; readonly deleted: readonly string[] }): Promise<void>;
}

/** Deliveries of these events may be missing. */
export interface OutageGap {
  readonly owner: Owner;
  readonly events: readonly string[];
  readonly from: string;
  readonly to: string;
}

export interface Outage {
  readonly subscription: WebhookSubscription;
  readonly since: string;
}

export interface Outages {
  readonly disabled: readonly WebhookSubscription[];
  /** Ours when last seen, and no longer listed. */
  readonly missing: readonly LastObservation[];
  readonly outages: readonly Outage[];
}

export interface OutageInput {
  readonly input: PlanInput;
  readonly steps: readonly Step[];
  readonly unlisted: readonly UnlistedOwner[];
  readonly lastSeen: readonly LastObservation[];
}

/** Only subscriptions that are still desired count. */
export function findOutages(inspected: OutageInput, now: string): Outages {
  const { input, lastSeen, unlisted } = inspected;
  const isDesired = (one: WebhookSubscription): boolean =>
    isOurs(input.callback, one) && desiredEvents(one, inspected).length > 0;
  const isUnlisted = (one: LastObservation): boolean => unlisted.some(({ owner }) => isSameOwner(owner, ownerOf(one)));
  const uris = new Set(input.existing.map(({ uri }) => uri));
  const disabled = input.existing.filter((one) => one.state !== 'active' && isDesired(one));
  const missing = lastSeen.filter((one) => !uris.has(one.uri) && !isUnlisted(one) && isDesired(one));
  const before = new Map(lastSeen.map((one) => [one.uri, one]));
  const outages = [
    ...disabled.map((one) => ({ subscription: one, since: gapStart(one, before.get(one.uri)) ?? now })),
    ...missing.map((one) => ({ subscription: one, since: one.retry_started_at ?? one.checked_at })),
  ];
  return { disabled, missing, outages };
}

/** Since when deliveries of this subscription may be missing; undefined when it is healthy. */
function gapStart(one: WebhookSubscription, before: LastObservation | undefined): string | undefined {
  if (one.state === 'active' && one.retry_started_at == null) return undefined;
  return one.retry_started_at ?? before?.retry_started_at ?? before?.checked_at ?? one.created_at ?? undefined;
}

function desiredEvents(one: WebhookSubscription, { steps }: OutageInput): readonly string[] {
  const owner = ownerOf(one);
  const desired = steps.flatMap((step): readonly string[] =>
    'desired' in step && isSameOwner(step.desired.owner, owner) ? step.desired.events : [],
  );
  return (one.events ?? []).filter((event) => desired.includes(event));
}

export interface OutageResult {
  /** Gaps of outages that have ended; an open gap is reported by the run that closes it. */
  readonly gaps: readonly OutageGap[];
  readonly lastSeen: Parameters<LastSeenStore['update']>[0];
}

export function resolveOutages(
  inspected: OutageInput,
  {
    outages,
    applied,
    now,
  }: { readonly outages: readonly Outage[]; readonly applied: ApplyResult; readonly now: string },
): OutageResult {
  const open = outages.filter((one) => !isSettled(one, inspected, applied));
  const closed = [...outages.filter((one) => !open.includes(one)), ...endedWhileFailing(inspected, applied)];
  const { existing } = applied;
  const stored = lastSeenAfter(inspected, applied, now);
  // A subscription with an open outage stays stored until it is replaced: it holds the start of the gap.
  const openUris = new Set(open.map(({ subscription }) => subscription.uri));
  return {
    gaps: closed.map(({ subscription, since }) => {
      const owner = ownerOf(subscription);
      const events = desiredEvents(subscription, inspected).filter((event) => isDelivered(event, owner, existing));
      return { owner, events, from: since, to: now };
    }),
    lastSeen: { ...stored, deleted: stored.deleted.filter((uri) => !openUris.has(uri)) },
  };
}

/** Deliveries that an active subscription was still retrying are lost when it is deleted. */
function endedWhileFailing(inspected: OutageInput, { results }: ApplyResult): readonly Outage[] {
  return results.flatMap((result) => {
    if (result.kind !== 'deleted') return [];
    const { subscription } = result;
    const { state, retry_started_at: since } = subscription;
    const isFailing = state === 'active' && since != null && desiredEvents(subscription, inspected).length > 0;
    return isFailing ? [{ subscription, since }] : [];
  });
}

/** Some of its events are delivered again, and the service has refused the others. */
function isSettled({ subscription }: Outage, inspected: OutageInput, { existing, results }: ApplyResult): boolean {
  const owner = ownerOf(subscription);
  const ours = existing.filter((one) => isOurs(inspected.input.callback, one));
  const refused = results.flatMap((result): readonly string[] =>
    result.kind === 'refused' && isSameOwner(result.refusal.desired.owner, owner) ? result.refusal.desired.events : [],
  );
  const events = desiredEvents(subscription, inspected);
  const delivered = events.filter((event) => isDelivered(event, owner, ours));
  return delivered.length > 0 && events.every((event) => delivered.includes(event) || refused.includes(event));
}

export interface OutageNeeds {
  readonly lastSeen: LastSeenStore;
  /** Deliveries since then may be missing: stored until it is repaired. */
  readonly recordGap: (since: string) => Promise<void>;
}

/** Records the gap first: the update removes its only other trace, so a crash in between must find it recorded. */
export async function recordOutages(
  { lastSeen, recordGap }: OutageNeeds,
  result: OutageResult,
): Promise<string | undefined> {
  const [since] = result.gaps.map(({ from }) => from).toSorted();
  if (since !== undefined) await recordGap(since);
  await lastSeen.update(result.lastSeen);
  return since;
}

/** Stores our subscriptions as they are now; those that were stored and no longer exist are deleted, except of unlisted owners. */
function lastSeenAfter(
  { input, lastSeen, unlisted }: OutageInput,
  { existing }: Pick<ApplyResult, 'existing'>,
  now: string,
): OutageResult['lastSeen'] {
  const before = new Map(lastSeen.map((one) => [one.uri, one]));
  const seen = existing
    .filter((one) => isOurs(input.callback, one))
    .map((one) => ({ ...one, checked_at: checkedAt(one, before.get(one.uri), now) }));
  const uris = new Set(seen.map(({ uri }) => uri));
  const deleted = lastSeen
    .filter((one) => !uris.has(one.uri) && !unlisted.some(({ owner }) => isSameOwner(owner, ownerOf(one))))
    .map(({ uri }) => uri);
  return { seen, deleted };
}

/** A disabled subscription retains the time it was last seen active: its outage gap begins there. */
function checkedAt(one: WebhookSubscription, before: LastObservation | undefined, now: string): string {
  return one.state === 'active' ? now : (before?.checked_at ?? one.created_at ?? now);
}

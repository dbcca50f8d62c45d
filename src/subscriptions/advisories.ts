// Advice for the operator besides the steps: missing recaps, leftover subscriptions, when an old key can be removed.
import { slotstream } from '#src/base/command.ts';
import { counted } from '#src/base/number-text.ts';
import { contractOf } from '#schemas/events.ts';
import { deliveryPolicy } from '#schemas/limits.ts';
import type { WebhookSubscription } from '#schemas/subscription.ts';
import type { Inspection } from './bootstrap.ts';
import { fingerprintIn, fingerprintOf, isOurs, ownerOf } from './callback.ts';
import { describeOwner } from './describe.ts';

export interface AdvisoryInput extends Pick<Inspection, 'input' | 'members' | 'unlisted'> {
  readonly usesOAuth: boolean;
  /** Where the keys are stored: the file, or SIGNING_KEYS. */
  readonly keySource: string;
  readonly nowMs: number;
  /** When the last subscription made with an old key was deleted; undefined where that is not stored. */
  readonly oldKeyEndedMs: number | undefined;
  /** What exists now: before a plan, or after it was applied. */
  readonly existing: readonly WebhookSubscription[];
  readonly leftovers: number;
}

/** Begins a note about what is normal. */
export const noteMark = 'Note: ';

export function adviseOperator(input: AdvisoryInput): readonly string[] {
  return [
    ...recapAdvice(input),
    ...leftoverAdvice(input),
    ...elsewhereAdvice(input),
    ...unlistedAdvice(input),
    ...(input.input.remove === true ? removalAdvice(input) : keyAdvice(input)),
  ];
}

function recapAdvice({ input, members, usesOAuth }: AdvisoryInput): readonly string[] {
  if (!input.events.some((kind) => contractOf(kind).family === 'meeting-recap')) return [];
  const covered = input.recapUsers.length;
  if (members !== undefined && members <= covered) return [];
  const whose =
    members === undefined
      ? `${counted(covered, 'member')} (the token may not count the others)`
      : `${covered} of ${counted(members, 'member')}`;
  const remedy = usesOAuth
    ? `Each of the others runs: ${slotstream} login`
    : 'For the others: docs/configuration.md#oauth';
  return [`${noteMark}recaps arrive for ${whose}. ${remedy}`];
}

function leftoverAdvice({ leftovers }: AdvisoryInput): readonly string[] {
  if (leftovers === 0) return [];
  return [
    `${counted(leftovers, 'subscription')} of ours ${leftovers === 1 ? 'is' : 'are'} no longer needed. To delete: ${slotstream} bootstrap --prune`,
  ];
}

/** Subscriptions made with our key for another address: an earlier PUBLIC_URL, or another installation. They are not changed. */
function elsewhereAdvice({ input, existing }: AdvisoryInput): readonly string[] {
  const elsewhere = existing.filter((one) => !isOurs(input.callback, one) && isMadeWith(one, input.keyIds));
  if (elsewhere.length === 0) return [];
  const addresses = [...new Set(elsewhere.map(({ callback_url: url }) => url?.split('?')[0]))].join(', ');
  return [
    `${counted(elsewhere.length, 'subscription')} made with our key call${elsewhere.length === 1 ? 's' : ''} another address (${addresses}) and will not be changed. If PUBLIC_URL moved, delete them at the service once the new ones deliver.`,
  ];
}

function unlistedAdvice({ unlisted }: AdvisoryInput): readonly string[] {
  const byReason = Map.groupBy(unlisted, ({ error: { message, hint } }) => [message, hint].filter(Boolean).join(' '));
  return [...byReason].map(([reason, all]) => {
    const owners = all.map(({ owner }) => describeOwner(owner)).join(', ');
    return `The existing subscriptions cannot be listed (${owners}). ${reason}`;
  });
}

function removalAdvice({ input, existing }: AdvisoryInput): readonly string[] {
  if (existing.some((one) => isOurs(input.callback, one))) return [];
  return [
    `For this organization, the service does not call ${input.callback} any more. To register again: ${slotstream} bootstrap, then: ${slotstream} backfill`,
  ];
}

/** The service signs retries of old deliveries with the old key, for up to a day after the last one was sent. */
function keyAdvice({ input, existing, nowMs, oldKeyEndedMs, keySource }: AdvisoryInput): readonly string[] {
  const [, ...old] = input.keyIds;
  if (old.length === 0) return [];
  const name = old.length === 1 ? 'The old signing key' : `The ${old.length} old signing keys`;
  const ours = existing.filter((one) => isOurs(input.callback, one) && one.state === 'active');
  if (ours.some((one) => isMadeWith(one, old)))
    return [
      `${name} must stay in ${keySource} while a subscription was made with ${old.length === 1 ? 'it' : 'them'}.`,
    ];
  const newestMs = Math.max(...ours.map(({ created_at: made }) => Date.parse(made ?? '') || nowMs), 0);
  const endedMs = oldKeyEndedMs ?? newestMs;
  if (endedMs === 0) return [];
  const removableMs = endedMs + deliveryPolicy.retryHours * 3_600_000;
  return [
    removableMs <= nowMs
      ? `${name} can be removed now: remove all but the first from ${keySource}.`
      : `${name} can be removed after ${new Date(removableMs).toISOString().slice(0, 19)}Z, when nothing signed with ${old.length === 1 ? 'it' : 'them'} can still arrive: then remove all but the first from ${keySource}.`,
  ];
}

export function isMadeWith(one: WebhookSubscription, keyIds: readonly string[]): boolean {
  const seen = fingerprintIn(one.callback_url ?? '');
  const events = one.events ?? [];
  return keyIds.some((keyId) => fingerprintOf({ owner: ownerOf(one), events, keyId }) === seen);
}

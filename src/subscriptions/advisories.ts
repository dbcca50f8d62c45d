// What an operator should know besides the steps: whose recaps are missing, what is left over, when an old key may go.
import { contractOf } from '#schemas/events.ts';
import { deliveryPolicy } from '#schemas/limits.ts';
import type { WebhookSubscription } from '#schemas/subscription.ts';
import type { Situation } from './bootstrap.ts';
import { fingerprintIn, fingerprintOf, isOurs, ownerOf } from './callback.ts';
import { ownerInWords } from './describe.ts';

export interface NoteInput extends Pick<Situation, 'input' | 'members' | 'unseen'> {
  readonly usesOAuth: boolean;
  /** Where the keys are kept, in words: the file, or SIGNING_KEYS. */
  readonly keyPlace: string;
  readonly nowMs: number;
  /** What exists now: before a plan, or after it was carried out. */
  readonly existing: readonly WebhookSubscription[];
  readonly leftovers: number;
}

export function notesOn(note: NoteInput): readonly string[] {
  return [
    ...recapNotes(note),
    ...leftoverNotes(note),
    ...elsewhereNotes(note),
    ...unseenNotes(note),
    ...keyNotes(note),
  ];
}

function recapNotes({ input, members, usesOAuth }: NoteInput): readonly string[] {
  if (!input.events.some((kind) => contractOf(kind).family === 'meeting-recap')) return [];
  const had = input.recapUsers.length;
  if (members !== undefined && members <= had) return [];
  const missing =
    members === undefined
      ? `Recaps come for ${people(had)} only; the token may not count the members of the organization.`
      : `Recaps of ${members - had} of ${people(members)} will be missing: a user's recaps can be had by that user alone.`;
  const remedy = usesOAuth
    ? 'Each of them runs: npx slotstream login'
    : 'Set OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET and AUTH_URL; then each of them runs: npx slotstream login';
  return [`${missing} ${remedy}`];
}

const people = (count: number): string => `${count} member${count === 1 ? '' : 's'}`;
const many = (count: number): string => `${count} subscription${count === 1 ? '' : 's'}`;

function leftoverNotes({ leftovers }: NoteInput): readonly string[] {
  if (leftovers === 0) return [];
  return [
    `${many(leftovers)} of ours ${leftovers === 1 ? 'is' : 'are'} not wanted any more. To delete: npx slotstream bootstrap --prune`,
  ];
}

/** Made with our key, but calling another address: an earlier PUBLIC_URL, or another installation. Not ours to touch. */
function elsewhereNotes({ input, existing }: NoteInput): readonly string[] {
  const elsewhere = existing.filter((one) => !isOurs(input.callback, one) && keyOf(one, input.keyIds) !== undefined);
  if (elsewhere.length === 0) return [];
  const places = [...new Set(elsewhere.map(({ callback_url: url }) => url?.split('?')[0]))].join(', ');
  return [
    `${many(elsewhere.length)} made with our key call${elsewhere.length === 1 ? 's' : ''} another address (${places}) and will be left alone. If PUBLIC_URL moved, delete them at the service once the new ones deliver.`,
  ];
}

function unseenNotes({ unseen }: NoteInput): readonly string[] {
  const byReason = Map.groupBy(unseen, ({ error: { message, hint } }) => [message, hint].filter(Boolean).join(' '));
  return [...byReason].map(([reason, all]) => {
    const owners = all.map(({ owner }) => ownerInWords(owner)).join(', ');
    return `What subscriptions there are cannot be seen (${owners}). ${reason}`;
  });
}

/** A retry of an old delivery is signed with the old key, and goes on for a day after the last one was sent. */
function keyNotes({ input, existing, nowMs, keyPlace }: NoteInput): readonly string[] {
  const [, ...old] = input.keyIds;
  if (old.length === 0) return [];
  const name = old.length === 1 ? 'The old signing key' : `The ${old.length} old signing keys`;
  const ours = existing.filter((one) => isOurs(input.callback, one) && one.state === 'active');
  if (ours.some((one) => keyOf(one, old) !== undefined))
    return [`${name} must stay in ${keyPlace} while a subscription was made with ${old.length === 1 ? 'it' : 'them'}.`];
  const newest = Math.max(...ours.map(({ created_at: made }) => Date.parse(made ?? '') || nowMs), 0);
  if (newest === 0) return [];
  const mayGoMs = newest + deliveryPolicy.retryHours * 3_600_000;
  return [
    mayGoMs <= nowMs
      ? `${name} may go now: take all but the first out of ${keyPlace}.`
      : `${name} may go after ${new Date(mayGoMs).toISOString().slice(0, 19)}Z, when nothing signed with ${old.length === 1 ? 'it' : 'them'} can still arrive: take all but the first out of ${keyPlace} then.`,
  ];
}

function keyOf(one: WebhookSubscription, keyIds: readonly string[]): string | undefined {
  const seen = fingerprintIn(one.callback_url ?? '');
  const events = one.events ?? [];
  return keyIds.find((keyId) => fingerprintOf({ owner: ownerOf(one), events, keyId }) === seen);
}

// Which alerts stand: the difference between what rules find to be so and what was said already, as changes to the outbox.
//
//            found                due, still so
//   (none) ─────────▶ pending ───────────────────▶ sent
//                        │ over                      │ over: a follow-up says so
//                        ▼                           ▼
//                    retracted ◀─────────────────────┘
//   retracted ──so again──▶ sent, where the follow-up has not left yet; pending otherwise
//   pending ──tried too often──▶ failed ──sent again by hand──▶ pending
//
// It depends on what is so at the end, not on the order in which that was learned.
import { followUpOf, type Alert } from '#src/store/alerts/alert-rows.ts';

/** One message to one channel. */
export type Standing = Pick<Alert, 'id' | 'state' | 'claimedAt' | 'sentAt' | 'createdAt' | 'follows'>;

/** What ought to be said, by the identity of its fact. */
export interface Wanted {
  readonly id: string;
  readonly rule: string;
  readonly channel: string;
  readonly fact: string;
  readonly occurredAt: string;
}

export type Change =
  | { readonly kind: 'add'; readonly wanted: Wanted }
  /** Say it (again): it is so, and nobody was told, or was told otherwise since. */
  | { readonly kind: 'renew'; readonly id: string }
  /** It was never said. */
  | { readonly kind: 'silence'; readonly id: string }
  /** It was said: take it back. */
  | { readonly kind: 'retract'; readonly id: string; readonly followUp: string }
  /** The follow-up has not left: it need not. */
  | { readonly kind: 'uphold'; readonly id: string; readonly followUp: string };

export interface Age {
  readonly nowMs: number;
  readonly maxAgeMs: number;
}

/** `known`: every alert of the subject, follow-ups too. */
export function settle(wanted: readonly Wanted[], known: readonly Standing[], age: Age): readonly Change[] {
  const byId = new Map(known.map((one) => [one.id, one]));
  const so = wanted.filter((one) => isTold(one, byId.get(one.id), age));
  const isSo = new Set(so.map(({ id }) => id));
  return [
    ...so.flatMap((one) => standUp(one, byId, age)),
    ...known.filter(({ id, follows }) => follows === null && !isSo.has(id)).flatMap((one) => standDown(one)),
  ];
}

/** Recent when it was learned of: what is told stays so as time passes, and does not when it turns out to be older than it seemed. */
function isTold({ occurredAt }: Wanted, before: Standing | undefined, { nowMs, maxAgeMs }: Age): boolean {
  const learnedMs = before === undefined ? nowMs : Date.parse(before.createdAt);
  return learnedMs - Date.parse(occurredAt) <= maxAgeMs;
}

function standUp(wanted: Wanted, byId: ReadonlyMap<string, Standing>, { nowMs, maxAgeMs }: Age): readonly Change[] {
  const before = byId.get(wanted.id);
  if (before === undefined) return [{ kind: 'add', wanted }];
  if (before.state !== 'retracted') return [];
  const followUp = byId.get(followUpOf(before.id));
  // Neither sent nor on its way: nobody was told otherwise.
  const isHeard = followUp === undefined || followUp.state === 'sent' || followUp.claimedAt !== null;
  if (before.sentAt !== null && !isHeard) return [{ kind: 'uphold', id: before.id, followUp: followUp.id }];
  return nowMs - Date.parse(wanted.occurredAt) <= maxAgeMs ? [{ kind: 'renew', id: before.id }] : [];
}

function standDown({ id, state }: Standing): readonly Change[] {
  if (state === 'retracted') return [];
  return state === 'sent' ? [{ kind: 'retract', id, followUp: followUpOf(id) }] : [{ kind: 'silence', id }];
}

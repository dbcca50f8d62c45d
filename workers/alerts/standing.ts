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
import { followUpOf, type Alert } from '#src/store/alerts.ts';

/** One message to one channel. */
export type Standing = Pick<Alert, 'id' | 'state' | 'sentAt' | 'follows'>;

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
  const isSo = new Set(wanted.map(({ id }) => id));
  return [
    ...wanted.flatMap((one) => standUp(one, byId, age)),
    ...known.filter(({ id, follows }) => follows === null && !isSo.has(id)).flatMap((one) => standDown(one)),
  ];
}

function standUp(wanted: Wanted, byId: ReadonlyMap<string, Standing>, { nowMs, maxAgeMs }: Age): readonly Change[] {
  const before = byId.get(wanted.id);
  const isFresh = nowMs - Date.parse(wanted.occurredAt) <= maxAgeMs;
  if (before === undefined) return isFresh ? [{ kind: 'add', wanted }] : [];
  if (before.state !== 'retracted') return [];
  const followUp = followUpOf(before.id);
  const left = byId.get(followUp)?.state ?? 'sent';
  // Not sent, and also given up: nobody was told otherwise.
  if (before.sentAt !== null && left !== 'sent') return [{ kind: 'uphold', id: before.id, followUp }];
  return isFresh ? [{ kind: 'renew', id: before.id }] : [];
}

function standDown({ id, state }: Standing): readonly Change[] {
  if (state === 'retracted') return [];
  return state === 'sent' ? [{ kind: 'retract', id, followUp: followUpOf(id) }] : [{ kind: 'silence', id }];
}

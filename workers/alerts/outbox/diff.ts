// The difference between the alerts that rules call for and those in the outbox, as changes to the outbox. Pure.
//
//            found                 due, still true
//   (none) ─────────▶ pending ──────────────────────▶ sent
//                        │ no longer true               │ no longer true: a retraction is sent
//                        ▼                              ▼
//                    retracted ◀────────────────────────┘
//   retracted ──true again──▶ sent if the retraction was not sent yet, otherwise pending
//   pending ──too many attempts──▶ failed ──resent by an operator──▶ pending
//
// The result depends on what is true now, not on the order in which it was learned.
import { retractionIdOf, type Alert } from '#src/store/alerts/alert-rows.ts';

/** What the comparison needs of an alert in the outbox. */
export type ExistingAlert = Pick<Alert, 'id' | 'state' | 'claimed_at' | 'sent_at' | 'created_at' | 'follows'>;

/** A fact that is true now and should be reported to one channel. */
export interface DesiredAlert {
  readonly id: string;
  readonly occurred_at: string;
}

export type Change =
  | { readonly kind: 'add'; readonly id: string }
  /** It is true, and was never sent or has been retracted since: send it (again). */
  | { readonly kind: 'reopen'; readonly id: string }
  /** It is no longer true and was never sent. */
  | { readonly kind: 'close'; readonly id: string }
  /** It is no longer true and was sent: send a retraction. */
  | { readonly kind: 'retract'; readonly id: string }
  /** It is true again and the retraction was not sent: drop the retraction. */
  | { readonly kind: 'cancelRetraction'; readonly id: string };

export interface Age {
  readonly nowMs: number;
  readonly maxAgeMs: number;
}

/** `existing`: every alert about the subjects, including retractions. */
export function diffAlerts(
  desired: readonly DesiredAlert[],
  existing: readonly ExistingAlert[],
  age: Age,
): readonly Change[] {
  const byId = new Map(existing.map((one) => [one.id, one]));
  const current = desired.filter((one) => isRecent(one, byId.get(one.id), age));
  const isCurrent = new Set(current.map(({ id }) => id));
  return [
    ...current.flatMap((one) => whenTrue(one, byId, age)),
    ...existing.filter(({ id, follows }) => follows === null && !isCurrent.has(id)).flatMap(whenOver),
  ];
}

/**
 * Age is measured at the time the fact was learned, so an alert does not end because time passes. It ends when the fact turns out
 * to have been too old already.
 */
function isRecent({ occurred_at }: DesiredAlert, before: ExistingAlert | undefined, { nowMs, maxAgeMs }: Age): boolean {
  const learnedMs = before === undefined ? nowMs : Date.parse(before.created_at);
  return learnedMs - Date.parse(occurred_at) <= maxAgeMs;
}

function whenTrue(
  { id, occurred_at }: DesiredAlert,
  byId: ReadonlyMap<string, ExistingAlert>,
  { nowMs, maxAgeMs }: Age,
): readonly Change[] {
  const before = byId.get(id);
  if (before === undefined) return [{ kind: 'add', id }];
  if (before.state !== 'retracted') return [];
  const retraction = byId.get(retractionIdOf(id));
  const isRetractionUnsent = retraction !== undefined && retraction.state !== 'sent' && retraction.claimed_at === null;
  if (before.sent_at !== null && isRetractionUnsent) return [{ kind: 'cancelRetraction', id }];
  return nowMs - Date.parse(occurred_at) <= maxAgeMs ? [{ kind: 'reopen', id }] : [];
}

function whenOver({ id, state }: ExistingAlert): readonly Change[] {
  if (state === 'retracted') return [];
  return [{ kind: state === 'sent' ? 'retract' : 'close', id }];
}

// The difference between the alerts that rules call for and those in the outbox, as changes to the outbox. Pure.
//
//            found                 due, still true
//   (none) ─────────▶ pending ──────────────────────▶ sent
//                        │ no longer true               │ no longer true
//                        ▼                              ▼
//                    retracted ◀──retraction sent── retracting
//   retracting ──true again──▶ sent if the retraction was not sent yet, otherwise pending
//   retracted ──true again──▶ pending
//   pending, being sent ──no longer true──▶ retracting, once the outcome is known
//   pending, retracting ──too many attempts──▶ failed ──resent by an operator──▶ pending, retracting
//
// The result depends on what is true now, not on the order in which it was learned.
import type { Alert } from '#src/store/alerts/alert-rows.ts';

/** What the comparison needs of an alert in the outbox. */
export type ExistingAlert = Pick<Alert, 'id' | 'state' | 'claimed_at' | 'sent_at' | 'created_at'>;

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
  /** It is no longer true and was sent, or may have been: send a retraction. */
  | { readonly kind: 'retract'; readonly id: string }
  /** It is true again and the retraction was not sent: drop the retraction. */
  | { readonly kind: 'cancelRetraction'; readonly id: string };

export interface Age {
  readonly nowMs: number;
  readonly maxAgeMs: number;
}

/** `existing`: every alert about the subjects. */
export function diffAlerts(
  desired: readonly DesiredAlert[],
  existing: readonly ExistingAlert[],
  age: Age,
): readonly Change[] {
  const byId = new Map(existing.map((one) => [one.id, one]));
  const current = desired.filter((one) => isRecent(one, byId.get(one.id), age));
  const isCurrent = new Set(current.map(({ id }) => id));
  return [
    ...current.flatMap((one) => whenTrue(one, byId.get(one.id), age)),
    ...existing.filter(({ id }) => !isCurrent.has(id)).flatMap(whenOver),
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
  before: ExistingAlert | undefined,
  { nowMs, maxAgeMs }: Age,
): readonly Change[] {
  if (before === undefined) return [{ kind: 'add', id }];
  if (!isEnding(before) && before.state !== 'retracted') return [];
  const isRetractionUnsent = before.state !== 'retracted' && before.sent_at !== null && before.claimed_at === null;
  if (isRetractionUnsent) return [{ kind: 'cancelRetraction', id }];
  return nowMs - Date.parse(occurred_at) <= maxAgeMs ? [{ kind: 'reopen', id }] : [];
}

function whenOver(before: ExistingAlert): readonly Change[] {
  const { id, state, claimed_at } = before;
  if (isEnding(before) || state === 'retracted') return [];
  return [{ kind: state === 'sent' || claimed_at !== null ? 'retract' : 'close', id }];
}

/** Its retraction is to be sent, or was given up. */
const isEnding = ({ state, sent_at }: ExistingAlert): boolean =>
  state === 'retracting' || (state === 'failed' && sent_at !== null);

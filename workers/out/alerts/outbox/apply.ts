// Brings the outbox in line with the facts that are true now, within the caller's transaction. The rows are locked meanwhile, so a sender
// records its outcome before or after, never in between.
import { createHash } from 'node:crypto';
import { instantOf } from '#src/base/time.ts';
import {
  cancelRetractions,
  closeAlerts,
  insertAlerts,
  lockAlerts,
  lockAlertsAbout,
  reopenAlerts,
  retractAlerts,
  type NewAlert,
} from '#src/store/alerts/alert-rows.ts';
import type { Unit } from '#src/store/contract.ts';
import { diffAlerts, type Change } from './diff.ts';

export interface DesiredAlert extends Omit<NewAlert, 'due_at'> {
  /** How long the fact must be true before it is reported. */
  readonly graceMs: number;
}

export interface ApplyInput {
  readonly subjects: readonly string[];
  /** Every alert that should exist about these subjects; all others are closed or retracted. */
  readonly desired: readonly DesiredAlert[];
  /** Current rules and their channels: alerts of a rule or channel that was removed from the file stay as they are. */
  readonly rules: readonly { readonly name: string; readonly channels: readonly string[] }[];
  readonly nowMs: number;
  readonly maxAgeMs: number;
}

/** A hash of what the alert is about: finding the same fact again finds the same alert. */
export function alertId({
  rule,
  channel,
  subject_uri,
  fact,
}: Pick<NewAlert, 'rule' | 'channel' | 'subject_uri' | 'fact'>): string {
  return createHash('sha256')
    .update(JSON.stringify([rule, channel, subject_uri, fact]))
    .digest('hex')
    .slice(0, 32);
}

/** Adds the reports that do not exist yet. A report says what was true at its time: it is not retracted. Returns how many were added. */
export async function addReports(
  unit: Unit,
  reports: readonly DesiredAlert[],
  { nowMs, maxAgeMs }: Pick<ApplyInput, 'nowMs' | 'maxAgeMs'>,
): Promise<number> {
  const known = new Set(
    (
      await lockAlerts(
        unit,
        reports.map(({ id }) => id),
      )
    ).map(({ id }) => id),
  );
  const byId = new Map(reports.filter(({ id }) => !known.has(id)).map((one) => [one.id, one]));
  const recent = [...byId.values()].filter(({ occurred_at: at }) => nowMs - Date.parse(at) <= maxAgeMs);
  const now = instantOf(nowMs);
  await insertAlerts(
    unit,
    recent.map(({ graceMs: _none, ...report }) => ({ ...report, due_at: now })),
    now,
  );
  return recent.length;
}

/** Returns how many alerts changed. */
export async function applyDesiredAlerts(unit: Unit, input: ApplyInput): Promise<number> {
  const { subjects, rules, nowMs, maxAgeMs } = input;
  const now = instantOf(nowMs);
  const isActive = new Set(rules.flatMap(({ name, channels }) => channels.map((channel) => `${name} ${channel}`)));
  const locked = await lockAlertsAbout(unit, subjects);
  const existing = locked.filter(({ rule, channel }) => isActive.has(`${rule} ${channel}`));
  const byId = new Map(existing.map((alert) => [alert.id, alert]));
  const desired = new Map(input.desired.map((one) => [one.id, one]));
  const changes = diffAlerts([...desired.values()], existing, { nowMs, maxAgeMs });
  const idsOf = (kind: Change['kind']) => changes.filter((change) => change.kind === kind).map(({ id }) => id);
  const rowsOf = (kind: Change['kind']) => idsOf(kind).flatMap((id) => byId.get(id) ?? []);
  const dueAt = (id: string): string => instantOf(nowMs + (desired.get(id)?.graceMs ?? 0));

  const added = idsOf('add').flatMap((id) => desired.get(id) ?? []);
  await insertAlerts(
    unit,
    added.map((alert) => ({ ...alert, due_at: dueAt(alert.id) })),
    now,
  );
  const reopened = rowsOf('reopen').map((alert) => ({ ...alert, due_at: dueAt(alert.id) }));
  await reopenAlerts(unit, reopened, now);
  await closeAlerts(unit, idsOf('close'), now);
  await retractAlerts(unit, rowsOf('retract'), now);
  await cancelRetractions(unit, idsOf('cancelRetraction'), now);
  return changes.length;
}

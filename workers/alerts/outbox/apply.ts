// Brings the outbox to what is so now, in its caller's transaction. The rows are held meanwhile: whoever sends marks them before or
// after, never in between.
import { createHash } from 'node:crypto';
import {
  addAlerts,
  holdAlertsAbout,
  renewAlerts,
  retractAlerts,
  silenceAlerts,
  upholdAlerts,
  type Alert,
} from '#src/store/alerts/alert-rows.ts';
import type { Unit } from '#src/store/contract.ts';
import { settle, type Change, type Wanted } from './diff.ts';

export interface WantedAlert extends Wanted {
  readonly subjectUri: string;
  /** How long it has to be so before anybody is told. */
  readonly graceMs: number;
  /** Of a condition: what it found. */
  readonly detail?: string | null;
}

export interface SettleInput {
  /** What ought to stand about these subjects; of what is not here the contrary. */
  readonly subjects: readonly string[];
  readonly wanted: readonly WantedAlert[];
  /** Rules and the channels they speak through: what another one said, from before the rules were changed, stays as it is. */
  readonly rules: readonly { readonly name: string; readonly channels: readonly string[] }[];
  readonly nowMs: number;
  readonly maxAgeMs: number;
}

/** Made of what it is about: whoever finds the same fact again finds the same alert. */
export function alertId({
  rule,
  channel,
  subjectUri,
  fact,
}: Omit<WantedAlert, 'id' | 'occurredAt' | 'graceMs'>): string {
  return createHash('sha256')
    .update(JSON.stringify([rule, channel, subjectUri, fact]))
    .digest('hex')
    .slice(0, 32);
}

/** Answers how many rows changed. */
export async function settleAlerts(unit: Unit, input: SettleInput): Promise<number> {
  const { subjects, wanted, rules, nowMs, maxAgeMs } = input;
  const now = timeOf(nowMs);
  const spoken = new Set(rules.flatMap(({ name, channels }) => channels.map((channel) => `${name} ${channel}`)));
  const held = await holdAlertsAbout(unit, subjects);
  const known = held.filter(({ rule, channel }) => spoken.has(`${rule} ${channel}`));
  const byId = new Map(known.map((alert) => [alert.id, alert]));
  const wantedById = new Map(wanted.map((one) => [one.id, one]));
  const changes = settle([...wantedById.values()], known, { nowMs, maxAgeMs });
  const of = <Kind extends Change['kind']>(kind: Kind) =>
    changes.filter((change): change is Extract<Change, { kind: Kind }> => change.kind === kind);
  const rowsOf = (ids: readonly { readonly id: string }[]): readonly Alert[] =>
    ids.flatMap(({ id }) => byId.get(id) ?? []);
  const dueAt = (id: string): string => timeOf(nowMs + (wantedById.get(id)?.graceMs ?? 0));

  await addAlerts(
    unit,
    of('add').flatMap(({ wanted: { id } }) => {
      const found = wantedById.get(id);
      return found ? [{ ...found, detail: found.detail ?? null, dueAt: dueAt(id) }] : [];
    }),
    now,
  );
  await renewAlerts(
    unit,
    rowsOf(of('renew')).map((alert) => ({ ...alert, dueAt: dueAt(alert.id) })),
    now,
  );
  await silenceAlerts(
    unit,
    of('silence').map(({ id }) => id),
    now,
  );
  await retractAlerts(unit, rowsOf(of('retract')), now);
  await upholdAlerts(
    unit,
    of('uphold').map(({ id }) => id),
    now,
  );
  return changes.length;
}

export const timeOf = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

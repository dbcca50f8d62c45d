// Who sends an alert: whoever moves the time of its next look out of everybody's sight. A claim ends by itself, so that what a killed
// process had taken is taken again.
//
//   waiting ──claim──▶ claimed ──outcome──▶ sent, failed, waiting (alert-marks.ts)
//      ▲                  │ over before anybody said what became of it
//      └──────────────────┘ still so: once more, under the same key; silenced meanwhile: perhaps said, so it is taken back
import { sql } from 'kysely';
import { instantOf } from '#src/base/time.ts';
import { alertOf, holdAlerts, type Alert } from './alert-rows.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { writeColumns } from '#src/store/rows.ts';

/** Longer than a send and its mark take; shorter than anybody wants to wait for what a killed process had in hand. */
export const claimMs = 20_000;

export interface ClaimInput {
  readonly ids: readonly string[];
  /** When they were to be looked at: others have been taken since. */
  readonly at: string;
}

/** Those of them that still wait for that moment, held to the end of the transaction. */
export async function holdWaiting(unit: Unit, { ids, at }: ClaimInput): Promise<readonly Alert[]> {
  const held = await holdAlerts(unit, ids);
  return held.filter(({ state, nextAt }) => state === 'pending' && nextAt === at);
}

export function claimAlerts(
  unit: Unit,
  alerts: readonly Alert[],
  { now, until }: { readonly now: string; readonly until: string },
): Promise<void> {
  const rows = alerts.map(({ id }) => ({ id, next_at: until, claimed_at: now }));
  return writeColumns(unit, 'alerts', { columns: ['next_at', 'claimed_at'], rows });
}

/** `alerts`: as they were read before they were claimed. Not sent after all: they wait again. */
export async function releaseAlerts(unit: Unit, alerts: readonly Alert[], nextAt: string): Promise<void> {
  const held = await holdAlerts(
    unit,
    alerts.map(({ id }) => id),
  );
  const before = new Map(alerts.map(({ id, claimedAt }) => [id, claimedAt]));
  const rows = held.map(({ id }) => ({ id, next_at: nextAt, claimed_at: before.get(id) ?? null }));
  await writeColumns(unit, 'alerts', { columns: ['next_at', 'claimed_at'], rows });
}

/** Messages that are on their way at the moment, by channel. What a killed process had taken may be put off till the morning: its claim is over. */
export async function claimsByChannel(from: Store | Unit, now: string): Promise<ReadonlyMap<string, number>> {
  const rows = await from.db
    .selectFrom('alerts')
    .select(['channel', sql<number | string>`count(distinct coalesce(digest, id))`.as('messages')])
    .where('claimed_at', 'is not', null)
    .where('next_at', '>', from.engine.encode('time', now))
    .where('claimed_at', '>', from.engine.encode('time', overBefore(now)))
    .groupBy('channel')
    .execute();
  return new Map(rows.map(({ channel, messages }) => [channel, Number(messages)]));
}

/** Silenced, and nobody ever said what became of a send. */
export async function perhapsSaid(from: Store | Unit, now: string): Promise<readonly Alert[]> {
  const rows = await from.db
    .selectFrom('alerts')
    .selectAll()
    .where('claimed_at', 'is not', null)
    .where('state', '=', 'retracted')
    .where('claimed_at', '<=', from.engine.encode('time', overBefore(now)))
    .limit(100)
    .execute();
  return rows.map((row) => alertOf(from, row));
}

/** Claims of this moment or earlier are over. */
function overBefore(now: string): string {
  return instantOf(Date.parse(now) - claimMs);
}

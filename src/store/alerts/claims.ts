// Claims: a worker claims a due alert by moving its `next_at` into the future, so that no other worker sees it as due. A claim expires by
// itself, so the alerts of a killed process are sent by another one.
//
//   due ──claim──▶ claimed ──outcome──▶ sent, failed or pending (send-results.ts)
//    ▲                │ expires without an outcome
//    └────────────────┘ still pending: sent again with the same key; closed meanwhile: outcome unknown, so it is retracted
import { sql } from 'kysely';
import { instantOf } from '#src/base/time.ts';
import { alertOf, lockAlerts, type Alert } from './alert-rows.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { runPrepared } from '#src/store/prepared-sql.ts';
import { decodeRow, writeColumns } from '#src/store/rows.ts';

/** Longer than one send and the recording of its outcome; short enough that a killed process delays its alerts only briefly. */
export const claimMs = 20_000;

/** The caller has locked these rows and found them due. */
export function claimAlerts(unit: Unit, alerts: readonly Pick<Alert, 'id'>[], nowMs: number): Promise<void> {
  const [now, until] = [instantOf(nowMs), instantOf(nowMs + claimMs)];
  const rows = alerts.map(({ id }) => ({ id, next_at: until, claimed_at: now }));
  return writeColumns(unit, 'alerts', { columns: ['next_at', 'claimed_at'], rows });
}

export interface Claim {
  /** The row as it is now. */
  readonly row: Alert;
  /** The row as it was before it was claimed. */
  readonly before: Alert;
}

/**
 * Locks the rows, and leaves out what was sent or reopened since it was claimed: the claim has expired then, and another process has
 * recorded an outcome, which must stay.
 */
export async function lockClaims(unit: Unit, alerts: readonly Alert[]): Promise<readonly Claim[]> {
  const locked = await lockAlerts(
    unit,
    alerts.map(({ id }) => id),
  );
  const rows = new Map(locked.map((row) => [row.id, row]));
  return alerts.flatMap((before) => {
    const row = rows.get(before.id);
    return row?.episode === before.episode && row.sent_at === null ? [{ row, before }] : [];
  });
}

/** Gives back claims of alerts that were not sent. `alerts`: the rows as they were before they were claimed. */
export async function releaseAlerts(unit: Unit, alerts: readonly Alert[], next_at: string): Promise<void> {
  const claims = await lockClaims(unit, alerts);
  const rows = claims.map(({ before: { id, claimed_at } }) => ({ id, next_at, claimed_at }));
  await writeColumns(unit, 'alerts', { columns: ['next_at', 'claimed_at'], rows });
}

/**
 * How many messages are being sent at the moment, by channel, in all processes. The condition on `claimed_at` matters: an expired claim
 * of a killed process may have a `next_at` far in the future because of quiet hours.
 */
export async function claimsByChannel(from: Store | Unit, now: string): Promise<ReadonlyMap<string, number>> {
  const rows = await from.db
    .selectFrom('alerts')
    .select(['channel', sql<number | string>`count(distinct coalesce(digest, id))`.as('messages')])
    .where('claimed_at', 'is not', null)
    .where('next_at', '>', now)
    .where('claimed_at', '>', expiryOf(now))
    .groupBy('channel')
    .execute();
  return new Map(rows.map(({ channel, messages }) => [channel, Number(messages)]));
}

/** Whether an alert is due, or the outcome of one is unknown. */
export async function hasDueWork(from: Store | Unit, now: string): Promise<boolean> {
  const found = await runPrepared(from, {
    id: 'due alerts',
    values: { now, expired: expiryOf(now) },
    build: (given) => sql`select 1 from alerts where state = 'pending' and next_at <= ${given.now}
      union all select 1 from alerts where claimed_at is not null and state = 'retracted' and claimed_at <= ${given.expired} limit 1`,
  });
  return found.length > 0;
}

/** Closed alerts with an expired claim: they may have been sent, and the outcome was never recorded. */
export async function unresolvedSends(from: Store | Unit, now: string): Promise<readonly Alert[]> {
  const rows = await from.db
    .selectFrom('alerts')
    .selectAll()
    .where('claimed_at', 'is not', null)
    .where('state', '=', 'retracted')
    .where('claimed_at', '<=', expiryOf(now))
    .limit(100)
    .execute();
  return rows.map((row) => alertOf(decodeRow(from.engine, 'alerts', row)));
}

/** Claims made at this time or earlier have expired. */
function expiryOf(now: string): string {
  return instantOf(Date.parse(now) - claimMs);
}

// Claims: a worker claims a due alert by moving its `next_at` into the future, so that no other worker sees it as due. A claim expires by
// itself, so the alerts of a killed process are sent by another one.
//
//   due ──claim──▶ claimed ──outcome──▶ sent, retracted, failed or waiting again (send-results.ts)
//    ▲                │ expires without an outcome: the same message is sent again with the same key
//    └────────────────┘ over meanwhile: the alert may have arrived, so its retraction is sent
import { sql } from 'kysely';
import { dayMs, instantOf } from '#src/base/time.ts';
import { claimMs, isRetraction, isWaiting, type Alert } from './alert-rows.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { runPrepared } from '#src/store/prepared-sql.ts';
import { writeColumns } from '#src/store/rows.ts';

export type ClaimedAlert = Alert & {
  /** The claim before this one, if the message of that one may have arrived. */
  readonly earlierClaim?: string | null;
};

/** The caller has locked these rows and found them due. */
export async function claimAlerts(
  unit: Unit,
  alerts: readonly Alert[],
  nowMs: number,
): Promise<readonly ClaimedAlert[]> {
  const [now, next_at] = [instantOf(nowMs), instantOf(nowMs + claimMs)];
  const claimed = alerts.map((alert) => ({
    ...alert,
    next_at,
    claimed_at: now,
    // Whether it was sent is not known any more: it counts as sent.
    sent_at: isRetraction(alert) ? (alert.sent_at ?? now) : alert.sent_at,
    earlierClaim: alert.claimed_at,
  }));
  const rows = claimed.map(({ id, claimed_at, sent_at }) => ({ id, next_at, claimed_at, sent_at }));
  await writeColumns(unit, 'alerts', { columns: ['next_at', 'claimed_at', 'sent_at'], rows });
  return claimed;
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
    .where('claimed_at', '>', instantOf(Date.parse(now) - claimMs))
    .groupBy('channel')
    .execute();
  return new Map(rows.map(({ channel, messages }) => [channel, Number(messages)]));
}

export interface RecentMessages {
  readonly messages: number;
  /** When the last of them that has several alerts was claimed or sent. */
  readonly digestAt: string | undefined;
}

/** The messages of rules to a channel since then, in all processes. An alert whose fact is much older than a day is not counted. */
export async function recentMessages(
  { db, engine }: Unit,
  { channel, rules, since }: { readonly channel: string; readonly rules: readonly string[]; readonly since: string },
): Promise<ReadonlyMap<string, RecentMessages>> {
  const rows = await db
    .selectFrom('alerts')
    .select(['rule', 'digest', 'id', sql<string>`coalesce(claimed_at, updated_at)`.as('at')])
    .where('rule', 'in', [...new Set(rules)])
    .where('occurred_at', '>=', instantOf(Date.parse(since) - countedMs))
    .where('channel', '=', channel)
    .where(
      sql<boolean>`(claimed_at > ${since} or (state in ('sent', 'retracted') and sent_at is not null and updated_at > ${since}))`,
    )
    .execute();
  const byRule = Map.groupBy(rows, ({ rule }) => rule);
  return new Map(
    [...byRule].map(([rule, found]) => {
      const digests = found.flatMap(({ digest, at }) => (digest === null ? [] : [engine.decode('time', at)]));
      const messages = new Set(found.map(({ digest, id }) => digest ?? id)).size;
      return [rule, { messages, digestAt: digests.toSorted().at(-1) }];
    }),
  );
}

const countedMs = 2 * dayMs;

/** Whether an alert has a message that is due. */
export async function hasDueWork(from: Store | Unit, now: string): Promise<boolean> {
  const found = await runPrepared(from, {
    id: 'due alerts',
    values: { now },
    build: (given) => sql`select 1 from ${sql.table('alerts')} where ${isWaiting} and next_at <= ${given.now} limit 1`,
  });
  return found.length > 0;
}

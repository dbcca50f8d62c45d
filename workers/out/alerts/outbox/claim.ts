// Claims due messages: checks that their facts are still true, while the rows are locked, and closes those that are over.
//
//   due ──plan──▶ postponed (quiet hours, digest period, paused channel)
//          ├────▶ closed without a message: the fact is no longer true
//          └────▶ claimed ──▶ send.ts
import { instantOf } from '#src/base/time.ts';
import {
  closeAlerts,
  dueAlerts,
  dueDigestAlerts,
  isRetraction,
  lockAlerts,
  retractAlerts,
  type Alert,
} from '#src/store/alerts/alert-rows.ts';
import { takeTurn } from '#src/store/alerts/channel-pace.ts';
import { claimAlerts, recentMessages, type ClaimedAlert } from '#src/store/alerts/claims.ts';
import { postpone } from '#src/store/alerts/send-results.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import type { AlertRule } from '#workers/out/alerts/rules/ruleset.ts';
import { checkAlerts, type CheckedAlert } from './check.ts';
import { isCollapsible, isCollected, planSends, recentMs } from './plan.ts';

export interface ClaimNeeds {
  readonly store: Store;
  readonly rules: ReadonlyMap<string, AlertRule>;
  readonly nowMs: () => number;
}

interface ClaimInput {
  readonly channel: string;
  /** How many messages may be claimed. */
  readonly room: number;
  /** How many are being sent. */
  readonly busy: number;
  /** How many alerts to read: thousands may be waiting behind a slow channel. */
  readonly limit: number;
  readonly pausedUntilMs: (rule: string) => number;
}

/** One alert of a message, and what the message says about it; undefined where its rule is unknown. */
export type ClaimedPart = ClaimedAlert & { readonly checked: CheckedAlert | undefined };

/** The largest digest. */
export const alertsPerDigest = 500;

/** Claims messages for this process. `isMore`: nothing was claimed, and there may be more. */
export async function claimDue(
  { store, rules, nowMs }: ClaimNeeds,
  { channel, room, busy, limit, pausedUntilMs }: ClaimInput,
): Promise<{ readonly messages: readonly (readonly ClaimedPart[])[]; readonly isMore: boolean }> {
  const atMs = nowMs();
  const now = instantOf(atMs);
  const first = await dueAlerts(store, { now, limit, channel });
  const isMany = first.length === limit && first.some((alert) => isCollapsible(alert, rules.get(alert.rule)));
  const hasDigest = first.some((alert) => isCollected(alert, rules.get(alert.rule)));
  const seen =
    (isMany || hasDigest) && limit < alertsPerDigest
      ? await dueAlerts(store, { now, limit: alertsPerDigest, channel })
      : first;
  if (seen.length === 0) return { messages: [], isMore: false };
  const due = await withWholeDigests(store, seen, now);
  const messages = await store.transaction(async (unit) => {
    const turns = await takeTurn(unit, channel, { nowMs: atMs, room, busy });
    if (turns === 0) return undefined;
    const locked = await lockAlerts(
      unit,
      due.map(({ id }) => id),
    );
    // Another process may have claimed or postponed some of them since they were read.
    const still = locked.filter(
      ({ state, next_at }) => (state === 'pending' || state === 'retracting') && next_at <= now,
    );
    const since = instantOf(atMs - recentMs);
    const collapsible = still.filter((alert) => isCollapsible(alert, rules.get(alert.rule))).map(({ rule }) => rule);
    const recent =
      collapsible.length > 0 ? await recentMessages(unit, { channel, rules: collapsible, since }) : undefined;
    const plan = planSends(still, { rules, nowMs: atMs, pausedUntilMs, ...(recent && { recent }) });
    await postpone(unit, plan.postponed);
    return claimMessages(unit, plan.messages.slice(0, turns), { rules, nowMs: atMs });
  });
  return { messages: messages ?? [], isMore: messages?.length === 0 };
}

/** Claims the messages whose facts are true, and closes the alerts of the others. The caller has locked the rows. */
export async function claimMessages(
  unit: Unit,
  messages: readonly (readonly Alert[])[],
  { rules, nowMs }: Pick<ClaimNeeds, 'rules'> & { readonly nowMs: number },
): Promise<readonly (readonly ClaimedPart[])[]> {
  const checked = new Map<string, CheckedAlert>();
  for (const [name, alerts] of Map.groupBy(messages.flat(), ({ rule }) => rule)) {
    const rule = rules.get(name);
    for (const one of rule === undefined ? [] : await checkAlerts(unit, rule, alerts)) checked.set(one.id, one);
  }
  const isOver = ({ id }: Alert): boolean => checked.get(id)?.isCurrent === false;
  const over = messages.flat().filter(isOver);
  const now = instantOf(nowMs);
  // An earlier attempt may have arrived.
  const maybeSent = over.filter((alert) => alert.claimed_at !== null && !isRetraction(alert));
  await retractAlerts(unit, maybeSent, now);
  await closeAlerts(
    unit,
    over.filter((alert) => !maybeSent.includes(alert)).map(({ id }) => id),
    now,
  );
  const current = messages.map((alerts) => alerts.filter((alert) => !isOver(alert))).filter(({ length }) => length > 0);
  const claimed = new Map((await claimAlerts(unit, current.flat(), nowMs)).map((alert) => [alert.id, alert]));
  return current.map((alerts) =>
    alerts.flatMap(({ id }) => {
      const alert = claimed.get(id);
      return alert === undefined ? [] : [{ ...alert, checked: checked.get(id) }];
    }),
  );
}

/** A digest is sent whole at every attempt: cut by a limit, it would differ under the same idempotency key. */
async function withWholeDigests(store: Store, due: readonly Alert[], now: string): Promise<readonly Alert[]> {
  const digests = due.flatMap(({ digest }) => digest ?? []);
  if (digests.length === 0) return due;
  return [...due.filter(({ digest }) => digest === null), ...(await dueDigestAlerts(store, { now, digests }))];
}

// Plans what happens to due alerts: which are sent now, which wait for the end of quiet hours, of a digest period or of a channel's pause,
// and which are sent together. Pure.
import { createHash } from 'node:crypto';
import { instantOf, minuteMs } from '#src/base/time.ts';
import { messageIdOf, type Alert } from '#src/store/alerts/alert-rows.ts';
import type { RecentMessages } from '#src/store/alerts/claims.ts';
import type { Postponement } from '#src/store/alerts/send-results.ts';
import { earliestSend, type DigestTime, type QuietHours } from './quiet-hours.ts';

/** When a rule's alerts may be sent. */
export interface SendTimes {
  readonly name: string;
  readonly quiet: QuietHours | undefined;
  readonly digest: DigestTime | undefined;
  /** Alerts that are due at the same time are sent as one message. */
  readonly isGrouped?: boolean | undefined;
  /** Its messages are for single hosts, who must not read those of others. */
  readonly hostsOf?: unknown;
  readonly isReport?: boolean;
}

/** More messages of a rule within a minute are one. */
const mostMessages = 10;
/** The minute. */
export const recentMs = minuteMs;
/** How long the alerts of a burst are collected before the next message. */
const collectMs = 30_000;
/** A program counts on one message per alert. */
const isReadByPeople = (channel: string): boolean => ['slack', 'teams', 'discord', 'ntfy', 'email'].includes(channel);

/** Whether the alert can be collected with others of a burst. A message that may have arrived is sent again as it was. */
export const isCollapsible = ({ channel, attempts, claimed_at }: Alert, rule: SendTimes | undefined): boolean =>
  isReadByPeople(channel) &&
  rule !== undefined &&
  rule.hostsOf === undefined &&
  !rule.isReport &&
  attempts === 0 &&
  claimed_at === null;

/** Whether the alert can be one message with others of its rule. An incident is resolved by the retraction of its own alert. */
export const isCollected = ({ channel }: Pick<Alert, 'channel'>, rule: SendTimes | undefined): boolean =>
  channel !== 'pagerduty' && (rule?.digest !== undefined || rule?.isGrouped === true);

export interface PlanInput {
  readonly rules: ReadonlyMap<string, SendTimes>;
  readonly nowMs: number;
  /** Until when the circuit breaker pauses the channel of a rule; in the past when it does not. */
  readonly pausedUntilMs?: (rule: string) => number;
  /** What was sent to this channel lately, by rule. */
  readonly recent?: ReadonlyMap<string, RecentMessages>;
}

export interface SendPlan {
  /** New times of alerts that wait, and the digests that alerts were put into. */
  readonly postponed: readonly Postponement[];
  /** What to send now, longest due first: each message is one alert, or all alerts of one digest. */
  readonly messages: readonly (readonly Alert[])[];
}

/** `due`: the due alerts of one channel; digests that were formed before are complete. */
export function planSends(due: readonly Alert[], { rules, nowMs, pausedUntilMs, recent }: PlanInput): SendPlan {
  const postponed: Postponement[] = [];
  const messages: (readonly Alert[])[] = [];
  const newDigests = new Map<string, Alert[]>();
  const formedDigests = new Map<string, Alert[]>();
  const crowds = new Map<string, Alert[]>();
  for (const alert of due) {
    // A rule that is not in the file any more has no quiet hours; the sender reports that it is missing.
    const rule = rules.get(alert.rule);
    const sendMs = Math.max(
      pausedUntilMs?.(alert.rule) ?? 0,
      rule === undefined ? nowMs : sendTimeOf(alert, rule, nowMs),
    );
    if (sendMs > nowMs) postponed.push({ id: alert.id, next_at: instantOf(sendMs) });
    else if (alert.digest !== null) addTo(formedDigests, alert.digest, alert);
    else if (isCollected(alert, rule)) addTo(newDigests, alert.rule, alert);
    else if (isCollapsible(alert, rule)) addTo(crowds, alert.rule, alert);
    else messages.push([alert]);
  }
  for (const [name, alerts] of crowds) {
    const { messages: sent = 0, digestAt } = recent?.get(name) ?? {};
    const nextMs = digestAt === undefined ? 0 : Date.parse(digestAt) + collectMs;
    const isBurst = alerts.length + sent > mostMessages;
    const isTogether = (alert: Alert) => isBurst || isHeldByQuietHours(alert, rules.get(name));
    const together = alerts.filter(isTogether);
    messages.push(...alerts.filter((alert) => !isTogether(alert)).map((alert) => [alert]));
    if (isBurst && nextMs > nowMs) postponed.push(...together.map(({ id }) => ({ id, next_at: instantOf(nextMs) })));
    else if (together.length === 1) messages.push(together);
    else if (together.length > 1) newDigests.set(name, together);
  }
  const now = instantOf(nowMs);
  for (const [name, alerts] of newDigests) {
    if (alerts.length === 1 && rules.get(name)?.digest === undefined) {
      messages.push(alerts);
      continue;
    }
    const digest = digestIdOf(alerts);
    postponed.push(...alerts.map(({ id }) => ({ id, next_at: now, digest })));
    messages.push(alerts.map((alert) => ({ ...alert, digest, next_at: now })));
  }
  messages.push(...formedDigests.values());
  return { postponed, messages: messages.toSorted((a, b) => (dueSince(a) < dueSince(b) ? -1 : 1)) };
}

function sendTimeOf({ due_at }: Alert, { quiet, digest }: SendTimes, nowMs: number): number {
  const planned = earliestSend(Date.parse(due_at), { quiet, digest });
  // Quiet hours may have begun since, while the alert was late or being retried.
  return planned > nowMs ? planned : earliestSend(nowMs, { quiet });
}

/** The quiet hours of a rule end with one message about all that waited. */
const isHeldByQuietHours = ({ due_at }: Alert, rule: SendTimes | undefined): boolean =>
  rule?.quiet !== undefined && earliestSend(Date.parse(due_at), { quiet: rule.quiet }) > Date.parse(due_at);

/** A hash of the alerts in it: a digest with other alerts has another id. */
function digestIdOf(alerts: readonly Alert[]): string {
  const ids = alerts.map((alert) => messageIdOf(alert)).sort();
  return `digest-${createHash('sha256').update(ids.join('\n')).digest('hex').slice(0, 32)}`;
}

const dueSince = (alerts: readonly Alert[]): string =>
  alerts.map(({ next_at }) => next_at).reduce((a, b) => (a < b ? a : b), '~');

function addTo(groups: Map<string, Alert[]>, name: string, alert: Alert): void {
  const group = groups.get(name);
  if (group === undefined) groups.set(name, [alert]);
  else group.push(alert);
}

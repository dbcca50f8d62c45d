// Plans what happens to due alerts: which are sent now, which wait for the end of quiet hours, of a digest period or of a channel's pause,
// and which are sent together. Pure.
import { createHash } from 'node:crypto';
import { instantOf } from '#src/base/time.ts';
import { messageIdOf, type Alert } from '#src/store/alerts/alert-rows.ts';
import type { Postponement } from '#src/store/alerts/send-results.ts';
import { earliestSend, type QuietHours } from './quiet-hours.ts';

/** When a rule's alerts may be sent. */
export interface SendTimes {
  readonly name: string;
  readonly quiet: QuietHours | undefined;
  readonly digestMs: number | undefined;
  /** Alerts that are due at the same time are sent as one message. */
  readonly isGrouped?: boolean | undefined;
}

/** Whether the alert can be one message with others of its rule. An incident is resolved by the retraction of its own alert. */
export const isCollected = ({ channel }: Pick<Alert, 'channel'>, rule: SendTimes | undefined): boolean =>
  channel !== 'pagerduty' && (rule?.digestMs !== undefined || rule?.isGrouped === true);

export interface PlanInput {
  readonly rules: ReadonlyMap<string, SendTimes>;
  readonly nowMs: number;
  /** Until when the circuit breaker pauses the channel; in the past when it does not. */
  readonly pausedUntilMs?: number;
}

export interface SendPlan {
  /** New times of alerts that wait, and the digests that alerts were put into. */
  readonly postponed: readonly Postponement[];
  /** What to send now, longest due first: each message is one alert, or all alerts of one digest. */
  readonly messages: readonly (readonly Alert[])[];
}

/** `due`: the due alerts of one channel; digests that were formed before are complete. */
export function planSends(due: readonly Alert[], { rules, nowMs, pausedUntilMs = 0 }: PlanInput): SendPlan {
  const postponed: Postponement[] = [];
  const messages: (readonly Alert[])[] = [];
  const newDigests = new Map<string, Alert[]>();
  const formedDigests = new Map<string, Alert[]>();
  for (const alert of due) {
    // A rule that is not in the file any more has no quiet hours; the sender reports that it is missing.
    const rule = rules.get(alert.rule);
    const sendMs = Math.max(pausedUntilMs, rule === undefined ? nowMs : sendTimeOf(alert, rule, nowMs));
    if (sendMs > nowMs) postponed.push({ id: alert.id, next_at: instantOf(sendMs) });
    else if (alert.digest !== null) addTo(formedDigests, alert.digest, alert);
    else if (isCollected(alert, rule)) addTo(newDigests, alert.rule, alert);
    else messages.push([alert]);
  }
  const now = instantOf(nowMs);
  for (const [name, alerts] of newDigests) {
    if (alerts.length === 1 && rules.get(name)?.digestMs === undefined) {
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

function sendTimeOf({ due_at }: Alert, { quiet, digestMs }: SendTimes, nowMs: number): number {
  const planned = earliestSend(Date.parse(due_at), { quiet, digestMs });
  // Quiet hours may have begun since, while the alert was late or being retried.
  return planned > nowMs ? planned : earliestSend(nowMs, { quiet });
}

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

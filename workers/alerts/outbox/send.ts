// Sends one claimed message: checks again that its facts are true, builds the text, hands it to the channel and records the outcome.
//
//   claimed ──facts still true──▶ channel ──▶ sent
//      │                             └──────▶ not sent: pending again with a back-off, or failed
//      ├──facts no longer true──▶ closed without a message
//      └──circuit breaker open──▶ pending again, no attempt counted
//
// If the process is killed in between, the claim expires and the same message is sent again with the same key.
import { slotstream } from '#src/base/command.ts';
import { codeOf, isTransient } from '#src/base/errors.ts';
import type { CircuitBreaker } from '#src/base/retry-policy.ts';
import { instantOf, secondMs } from '#src/base/time.ts';
import { withTimeout } from '#src/base/timeout.ts';
import type { Log } from '#src/observability/log.ts';
import { releaseAlerts } from '#src/store/alerts/claims.ts';
import { closeUnsent, markFailed, markSent } from '#src/store/alerts/send-results.ts';
import { lockAlerts, messageIdOf, type Alert } from '#src/store/alerts/alert-rows.ts';
import { catchUpBookings } from '#src/store/bookings/booking-follower.ts';
import type { Store } from '#src/store/contract.ts';
import type { Channel, SendResult } from '#workers/alerts/channels/channel.ts';
import { buildDigest, buildReport } from '#workers/alerts/message/digest.ts';
import { buildMessage, type Message, type MessageNeeds } from '#workers/alerts/message/message.ts';
import type { AlertRule } from '#workers/alerts/rules/ruleset.ts';
import { recheck, type CheckedAlert } from './recheck.ts';
import { retryDelayMs } from './retry.ts';

export interface SendNeeds extends MessageNeeds {
  readonly store: Store;
  readonly rules: ReadonlyMap<string, AlertRule>;
  readonly channels: ReadonlyMap<string, Channel>;
  breakerOf(channel: string): CircuitBreaker;
  readonly nowMs: () => number;
  /** 0 ≤ random < 1. */
  readonly random: () => number;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Aborts sends that are under way; their outcome is then unknown. */
  readonly stopping: AbortSignal;
}

const sendTimeoutMs = 15_000;
/** How long an alert with an unknown rule or channel is left to other processes. */
const unknownRetryMs = 120_000;
/** How long to wait when the store fails before anything was sent: no attempt is counted. */
const transientRetryMs = secondMs;
const maxErrorLength = 300;

type SendFailure = Extract<SendResult, { ok: false }>;

/** `alerts`: the rows as they were before they were claimed; all of one rule and one channel. */
export async function sendClaimed(needs: SendNeeds, alerts: readonly Alert[]): Promise<void> {
  const rule = needs.rules.get(alerts[0]?.rule ?? '');
  const channel = needs.channels.get(alerts[0]?.channel ?? '');
  if (rule === undefined || channel === undefined) {
    // During a deployment another process, started before or after it, may have the rule or the channel.
    const answer = rule === undefined ? 'its rule is not in ALERTS_FILE any more' : 'its channel is not configured';
    return recordFailure(needs, alerts, { ok: false, answer, retry: true, retryAfterMs: unknownRetryMs });
  }
  let ready: ReadyMessage | undefined;
  try {
    ready = await prepare(needs, rule, alerts);
  } catch (error) {
    if (isTransient(error)) {
      await release(needs, alerts, needs.nowMs() + transientRetryMs);
      throw error;
    }
    // The message could not be built. That is no failure of the channel.
    return recordFailure(needs, alerts, { ok: false, answer: codeOf(error), retry: true });
  }
  if (ready !== undefined) await deliver(needs, channel, ready);
}

interface ReadyMessage {
  readonly alerts: readonly Alert[];
  readonly message: Message;
}

/** Undefined when none of the facts is true any more. */
async function prepare(needs: SendNeeds, rule: AlertRule, alerts: readonly Alert[]): Promise<ReadyMessage | undefined> {
  await catchUpBookings(needs.store);
  const checked = await recheck(needs.store, rule, alerts);
  const over = checked.filter(({ isCurrent }) => !isCurrent).map(({ alert }) => alert);
  if (over.length > 0 && !(await closeOver(needs, rule, { alerts, over }))) return undefined;
  const current = checked.filter(({ isCurrent }) => isCurrent);
  if (current.length === 0) return undefined;
  const messages = await Promise.all(current.map((one) => buildFor(needs, rule, one)));
  const digest = current[0]?.alert.digest ?? null;
  const [only] = messages;
  const message = digest === null && only ? only : buildDigest(needs, { id: digest ?? '', rule, messages });
  return { alerts: current.map(({ alert }) => alert), message };
}

/** False when a fact has become true again meanwhile: then all alerts of the message are released and polled again. */
function closeOver(
  { store, nowMs }: SendNeeds,
  rule: AlertRule,
  { alerts, over }: { readonly alerts: readonly Alert[]; readonly over: readonly Alert[] },
): Promise<boolean> {
  return store.transaction(async (unit) => {
    // Check once more while the rows are locked: the watcher may have seen the fact become true again.
    await lockAlerts(
      unit,
      alerts.map(({ id }) => id),
    );
    const now = instantOf(nowMs());
    const isOver = (await recheck(unit, rule, over)).every(({ isCurrent }) => !isCurrent);
    await (isOver ? closeUnsent(unit, over, now) : releaseAlerts(unit, alerts, now));
    return isOver;
  });
}

async function buildFor(needs: MessageNeeds, rule: AlertRule, { alert, about, hosts }: CheckedAlert): Promise<Message> {
  const { occurred_at, follows, episode } = alert;
  if ('bookings' in about) {
    const report = await buildReport(needs, { id: messageIdOf(alert), rule, about, occurredAt: occurred_at });
    return { ...report, hosts };
  }
  const message = await buildMessage(needs, {
    id: messageIdOf(alert),
    rule,
    kind: follows === null ? 'alert' : 'retraction',
    about,
    occurredAt: occurred_at,
    follows: follows === null ? undefined : messageIdOf({ id: follows, episode }),
  });
  return { ...message, hosts };
}

async function deliver(needs: SendNeeds, channel: Channel, { alerts, message }: ReadyMessage): Promise<void> {
  const { store, nowMs, stopping, log } = needs;
  const breaker = needs.breakerOf(channel.name);
  // Not sent: the next process can send it at once.
  if (stopping.aborted) return release(needs, alerts, nowMs());
  const admitted = breaker.admit(nowMs());
  if (admitted !== true) return release(needs, alerts, admitted.retryAtMs);
  const sent = await send(channel, message, stopping);
  // The process stops and the outcome is unknown: the claim stays, and another process sends the message again.
  if (!sent.ok && stopping.aborted) return;
  // A final refusal is an answer as well: the recipient is reachable.
  if (sent.ok || !sent.retry) breaker.succeeded();
  else breaker.failed(nowMs(), sent.retryAfterMs);
  if (!sent.ok) return recordFailure(needs, alerts, sent);
  await store.transaction((unit) => markSent(unit, alerts, instantOf(nowMs())));
  log.info(summaryOf(alerts), 'alert sent');
}

async function send(channel: Channel, message: Message, stopping: AbortSignal): Promise<SendResult> {
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(sendTimeoutMs), stopping]);
    // A channel that ignores the signal is abandoned.
    return await withTimeout(channel.send(message, signal), sendTimeoutMs + 1_000);
  } catch (error) {
    return { ok: false, answer: codeOf(error), retry: true, outcomeUnknown: true };
  }
}

const release = ({ store }: SendNeeds, alerts: readonly Alert[], nextMs: number): Promise<void> =>
  store.transaction((unit) => releaseAlerts(unit, alerts, instantOf(nextMs)));

/** Makes the alerts pending again with a back-off, or gives them up. */
async function recordFailure(needs: SendNeeds, alerts: readonly Alert[], sent: SendFailure): Promise<void> {
  const { store, nowMs, random, log } = needs;
  const atMs = nowMs();
  const summary = summaryOf(alerts);
  const { retry, retryAfterMs: requestedMs, outcomeUnknown = false } = sent;
  const pauseMs = retryDelayMs({ attempts: summary.attempt, retry, requestedMs, random: random() });
  const error = sent.answer.slice(0, maxErrorLength);
  const next_at = pauseMs === undefined ? undefined : instantOf(atMs + pauseMs);
  await store.transaction((unit) => markFailed(unit, alerts, { now: instantOf(atMs), error, next_at, outcomeUnknown }));
  if (pauseMs === undefined)
    log.error(
      { ...summary, error, hint: `Fix the cause, then run: ${slotstream} alerts resend --failed` },
      'an alert was given up',
    );
  else log.warn({ ...summary, error, retryMs: pauseMs }, 'an alert could not be sent; it is retried');
}

function summaryOf(alerts: readonly Alert[]) {
  const { rule = '', channel = '', attempts = 0 } = alerts[0] ?? {};
  return { rule, channel, alerts: alerts.length, attempt: attempts + 1 };
}

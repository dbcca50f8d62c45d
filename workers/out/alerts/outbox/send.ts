// Sends one claimed message: builds the text, hands it to the channel and records the outcome.
//
//   claimed ──▶ channel ──▶ sent, or retracted
//      │           └──────▶ not sent: waits again with a back-off, or failed
//      └──circuit breaker open, or the recipient limits messages──▶ waits again, no attempt counted
//
// If the process is killed in between, the claim expires and the same message is sent again with the same key.
import { slotstream } from '#src/base/command.ts';
import { codeOf } from '#src/base/errors.ts';
import type { CircuitBreaker } from '#src/base/retry-policy.ts';
import { instantOf } from '#src/base/time.ts';
import { withTimeout } from '#src/base/timeout.ts';
import type { Log } from '#src/observability/log.ts';
import { slowDown } from '#src/store/alerts/channel-pace.ts';
import { isRetraction, messageIdOf, retractedIdOf, type Alert } from '#src/store/alerts/alert-rows.ts';
import { markSent, markFailed } from '#src/store/alerts/send-results.ts';
import type { Store } from '#src/store/contract.ts';
import type { Channel, SendResult } from '#workers/out/alerts/channels/channel.ts';
import { openNameOf } from '#workers/out/alerts/channels/own-address.ts';
import { buildDigest, buildReport } from '#workers/out/alerts/message/digest.ts';
import { buildMessage, type Message, type MessageNeeds } from '#workers/out/alerts/message/message.ts';
import type { AlertRule } from '#workers/out/alerts/rules/ruleset.ts';
import type { ClaimedPart } from './claim.ts';
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
const maxErrorLength = 300;

type SendFailure = Extract<SendResult, { ok: false }>;

/** `alerts`: all of one rule and one channel. */
export async function sendClaimed(needs: SendNeeds, alerts: readonly ClaimedPart[]): Promise<void> {
  const rule = needs.rules.get(alerts[0]?.rule ?? '');
  const name = openNameOf(needs.channels, alerts[0]?.channel ?? '', rule?.name ?? '');
  const channel = needs.channels.get(name);
  if (rule === undefined || channel === undefined) {
    // During a deployment another process, started before or after it, may have the rule or the channel.
    const answer = rule === undefined ? 'its rule is not in ALERTS_FILE any more' : 'its channel is not configured';
    return recordFailure(needs, alerts, { ok: false, answer, retry: true, retryAfterMs: unknownRetryMs });
  }
  const problem = alerts.flatMap(({ checked }) => checked?.problem ?? [])[0];
  const built = problem === undefined ? await build(needs, rule, alerts) : { problem };
  // That is no failure of the channel.
  if ('problem' in built) return recordFailure(needs, alerts, { ok: false, answer: built.problem, retry: true });
  await deliver(needs, channel, { alerts, message: built, breaker: needs.breakerOf(name) });
}

async function build(needs: MessageNeeds, rule: AlertRule, alerts: readonly ClaimedPart[]) {
  try {
    const messages = await Promise.all(alerts.map((alert) => buildFor(needs, rule, alert)));
    const digest = alerts[0]?.digest ?? null;
    const [only] = messages;
    return digest === null && only ? only : buildDigest(needs, { id: digest ?? '', rule, messages });
  } catch (error) {
    return { problem: codeOf(error) };
  }
}

/** The message of one alert, as it is now. */
export async function buildFor(
  needs: MessageNeeds,
  rule: AlertRule,
  alert: Alert & Pick<ClaimedPart, 'checked'>,
): Promise<Message> {
  const { about, hosts } = alert.checked ?? { about: { subject: alert.subject_uri, problem: alert.detail } };
  const id = messageIdOf(alert);
  if ('bookings' in about) {
    const report = await buildReport(needs, { id, rule, about, occurredAt: alert.occurred_at });
    return { ...report, hosts };
  }
  const isOver = isRetraction(alert);
  const message = await buildMessage(needs, {
    id,
    rule,
    kind: isOver ? 'retraction' : 'alert',
    about,
    occurredAt: isOver ? alert.due_at : alert.occurred_at,
    follows: retractedIdOf(alert),
  });
  return { ...message, hosts };
}

interface ReadyMessage {
  readonly alerts: readonly ClaimedPart[];
  readonly message: Message;
  readonly breaker: CircuitBreaker;
}

async function deliver(needs: SendNeeds, channel: Channel, { alerts, message, breaker }: ReadyMessage): Promise<void> {
  const { store, nowMs, stopping, log } = needs;
  // Not sent: the next process can send it at once.
  if (stopping.aborted) return release(needs, alerts, nowMs());
  const admitted = breaker.admit(nowMs());
  if (admitted !== true) return release(needs, alerts, admitted.retryAtMs);
  const sent = await send(channel, message, stopping);
  // The process stops and the outcome is unknown: the claim stays, and another process sends the message again.
  if (!sent.ok && stopping.aborted) return;
  if (!sent.ok && sent.isLimited) {
    breaker.succeeded();
    const nextMs = await slowDown(store, channel.name, { nowMs: nowMs(), requestedMs: sent.retryAfterMs ?? 0 });
    log.info(
      { channel: channel.name, pauseMs: nextMs - nowMs() },
      'the recipient limits messages; they are sent one at a time',
    );
    return release(needs, alerts, nextMs);
  }
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

/** Nothing was sent. */
const release = ({ store, nowMs }: SendNeeds, alerts: readonly ClaimedPart[], nextMs: number): Promise<void> =>
  store.transaction((unit) => markFailed(unit, alerts, { now: instantOf(nowMs()), next_at: instantOf(nextMs) }));

/** Lets the alerts wait for another attempt, or gives them up. */
async function recordFailure(needs: SendNeeds, alerts: readonly ClaimedPart[], sent: SendFailure): Promise<void> {
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

function summaryOf(alerts: readonly ClaimedPart[]) {
  const { rule = '', channel = '', attempts = 0 } = alerts[0] ?? {};
  return { rule, channel, alerts: alerts.length, attempt: attempts + 1 };
}

// Sends one message: looks at its rows again, claims them, hands the message to its channel, and writes down what became of it.
//
//   job ──rows still wait, still so──▶ claimed ──channel──▶ sent
//                                         │                └▶ failed: waiting again, or given up
//                                         └─ circuit open ──▶ waiting again, no attempt counted
// Killed in between, the claim ends by itself and the same message leaves again under the same key.
import { z } from 'zod';
import { withTimeout } from '#src/base/timeout.ts';
import { codeOf, isTransient } from '#src/base/errors.ts';
import type { Log } from '#src/observability/log.ts';
import { claimAlerts, claimMs, holdWaiting, releaseAlerts, type ClaimInput } from '#src/store/alerts/claims.ts';
import { markFailed, markSent } from '#src/store/alerts/send-results.ts';
import { followUpOf, readAlerts, silenceAlerts, type Alert } from '#src/store/alerts/alert-rows.ts';
import type { Store } from '#src/store/contract.ts';
import type { Channel, Sent } from '#workers/alerts/channels/channel.ts';
import type { Circuit } from './channel-circuit-breaker.ts';
import type { Desk } from './write-batcher.ts';
import type { Message } from '#workers/alerts/message/message.ts';
import type { MessageNeeds } from '#workers/alerts/message/messages.ts';
import { timeOf } from './apply.ts';
import { examine, messageFor, type AnyRule } from './build-message.ts';
import { pauseAfter } from './retry.ts';

export interface SenderNeeds extends MessageNeeds {
  readonly store: Store;
  /** Where sends write together. */
  readonly write: Desk;
  readonly rules: ReadonlyMap<string, AnyRule>;
  readonly channels: ReadonlyMap<string, Channel>;
  circuitOf(channel: string): Circuit;
  readonly nowMs: () => number;
  /** 0 ≤ random < 1. */
  readonly random: () => number;
  readonly log: Log;
  /** Ends what is under way; what became of it is then unknown. */
  readonly stopping: AbortSignal;
}

/** As it stands in the queue, which others can write to. */
const job = z.object({ v: z.literal(1), alerts: z.array(z.string()).min(1).max(1_000), at: z.string().max(40) });

const sendMs = 15_000;
/** So long at least until another process may have it. */
const unknownMs = 120_000;
const longestError = 300;

export async function sendJob(needs: SenderNeeds, data: unknown): Promise<void> {
  const read = job.safeParse(data);
  if (!read.success) {
    needs.log.warn('a job in the queue of sends makes no sense and is left alone');
    return;
  }
  const asked = { ids: read.data.alerts, at: read.data.at };
  // Rows that change while they are looked at are looked at again; where nothing waits any more, there is nothing to do.
  while (!(await attempt(needs, asked)));
}

/** False when the rows have changed under its hands. */
async function attempt(needs: SenderNeeds, asked: ClaimInput): Promise<boolean> {
  const rows = await readAlerts(needs.store, asked.ids);
  const waiting = rows.filter(({ state, nextAt }) => state === 'pending' && nextAt === asked.at);
  const [first] = waiting;
  if (first === undefined) return true;
  const rule = needs.rules.get(first.rule);
  const channel = needs.channels.get(first.channel);
  if (rule === undefined || channel === undefined) {
    // Of several processes another one may know them: one that was started before a deployment, or after it.
    const answer = rule === undefined ? 'its rule is not in ALERTS_FILE any more' : 'its channel is not configured';
    await setBack(needs, { alerts: waiting, asked, sent: { ok: false, answer, retry: true, retryAfterMs: unknownMs } });
    return true;
  }
  let ready: Ready;
  try {
    ready = await prepare(needs, rule, { waiting, asked });
  } catch (error) {
    if (isTransient(error)) throw error;
    // What cannot be put into words makes way for others. The other side has no part in that.
    await setBack(needs, { alerts: waiting, asked, sent: { ok: false, answer: codeOf(error), retry: true } });
    return true;
  }
  const { so, message } = ready;
  if (message === undefined) return true;
  if (!(await claim(needs, so, asked))) return false;
  await deliver(needs, so, { channel, message });
  return true;
}

interface Ready {
  readonly so: readonly Alert[];
  /** Undefined when nothing is so any more. */
  readonly message: Message | undefined;
}

/** Before it is claimed: what cannot be put into words has not been sent. */
async function prepare(
  needs: SenderNeeds,
  rule: AnyRule,
  { waiting, asked }: { readonly waiting: readonly Alert[]; readonly asked: ClaimInput },
): Promise<Ready> {
  const examined = await examine(needs.store, rule, waiting);
  const { so, over } = examined;
  if (over.length > 0) await silence(needs, rule, asked);
  return { so, message: so.length === 0 ? undefined : await messageFor(needs, rule, examined) };
}

/** All or none: of others than these the message would not be true. */
function claim({ write, nowMs }: SenderNeeds, alerts: readonly Alert[], { at }: ClaimInput): Promise<boolean> {
  const ids = idsOf(alerts);
  return write(ids, async (unit) => {
    const waiting = await holdWaiting(unit, { ids, at });
    if (waiting.length < alerts.length) return false;
    const atMs = nowMs();
    await claimAlerts(unit, waiting, { now: timeOf(atMs), until: timeOf(atMs + claimMs) });
    return true;
  });
}

/** Asked once more while the rows are held: whoever settles what is so may have been quicker. */
async function silence({ write, nowMs }: SenderNeeds, rule: AnyRule, asked: ClaimInput): Promise<void> {
  await write(asked.ids, async (unit) => {
    const { over } = await examine(unit, rule, await holdWaiting(unit, asked));
    await silenceAlerts(
      unit,
      over.map(({ id }) => id),
      timeOf(nowMs()),
    );
  });
}

async function deliver(
  needs: SenderNeeds,
  alerts: readonly Alert[],
  { channel, message }: { readonly channel: Channel; readonly message: Message },
): Promise<void> {
  const { write, nowMs } = needs;
  const admitted = needs.circuitOf(channel.name).admit(nowMs());
  if (admitted !== true) {
    await write(idsOf(alerts), (unit) => releaseAlerts(unit, alerts, timeOf(admitted.untilMs)));
    return;
  }
  const sent = await send(channel, message, needs.stopping);
  // Nobody knows whether it arrived: the claim stays, and whoever comes next sends it again.
  if (!sent.ok && needs.stopping.aborted) return;
  await outcome(needs, alerts, sent);
}

async function send(channel: Channel, message: Message, stopping: AbortSignal): Promise<Sent> {
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(sendMs), stopping]);
    // A channel that does not heed the signal is not waited for either.
    return await withTimeout(channel.send(message, signal), sendMs + 1_000);
  } catch (error) {
    return { ok: false, answer: codeOf(error), retry: true, unsure: true };
  }
}

async function outcome(needs: SenderNeeds, alerts: readonly Alert[], sent: Sent): Promise<void> {
  const { write, nowMs, log } = needs;
  const atMs = nowMs();
  const circuit = needs.circuitOf(alerts[0]?.channel ?? '');
  // A refusal for good is an answer as well: somebody is there.
  if (sent.ok || !sent.retry) circuit.sent();
  else circuit.failed(atMs, sent.retryAfterMs);
  if (!sent.ok) return setBack(needs, { alerts, sent });
  await write(touchedBy(alerts), (unit) => markSent(unit, alerts, timeOf(atMs)));
  log.info(toldOf(alerts), 'alert sent');
}

interface SetBack {
  readonly alerts: readonly Alert[];
  /** Where they were not claimed: what another process has taken meanwhile is left to it. */
  readonly asked?: ClaimInput;
  readonly sent: Extract<Sent, { ok: false }>;
}

/** Waiting again, or given up. */
async function setBack({ write, nowMs, random, log }: SenderNeeds, { alerts, asked, sent }: SetBack): Promise<void> {
  const atMs = nowMs();
  const told = toldOf(alerts);
  const { retry, retryAfterMs: askedMs } = sent;
  const pauseMs = pauseAfter({ attempts: told.attempt, retry, askedMs, random: random() });
  const error = sent.answer.slice(0, longestError);
  const nextAt = pauseMs === undefined ? undefined : timeOf(atMs + pauseMs);
  await write(asked?.ids ?? idsOf(alerts), async (unit) => {
    const tried = asked === undefined ? alerts : await holdWaiting(unit, asked);
    await markFailed(unit, tried, { now: timeOf(atMs), error, nextAt, unsure: sent.unsure ?? false });
  });
  if (pauseMs === undefined)
    log.error(
      { ...told, error, hint: 'Mend the cause, then: slotstream alerts resend --failed' },
      'an alert was given up',
    );
  else log.warn({ ...told, error, retryMs: pauseMs }, 'an alert could not be sent; it is tried again');
}

const idsOf = (alerts: readonly Alert[]): readonly string[] => alerts.map(({ id }) => id);

/** Marked as sent, an alert may get a follow-up at once, and a follow-up that nobody wanted any more brings back what it followed. */
const touchedBy = (alerts: readonly Alert[]): readonly string[] =>
  alerts.flatMap(({ id, follows }) => [id, follows ?? followUpOf(id)]);

function toldOf(alerts: readonly Alert[]) {
  const { rule = '', channel = '', attempts = 0 } = alerts[0] ?? {};
  return { rule, channel, alerts: alerts.length, attempt: attempts + 1 };
}

// Polls the outbox: claims the alerts that are due and sends them, a bounded number per channel at a time. The poller is woken when an
// alert changes in this process and polls by itself as well, because time passes and other processes write into the outbox.
//
//   due ──plan──▶ postponed (quiet hours, digest period, paused channel)
//          └────▶ claimed ──send.ts──▶ sent, pending again, or failed
//
// Several processes may poll one outbox: the rows are locked while they are claimed, so each message is sent by one process.
import { createCircuitBreaker, type CircuitBreaker, type CircuitState } from '#src/base/retry-policy.ts';
import { hourMs, instantOf, minuteMs, sleepUntilNext } from '#src/base/time.ts';
import { throttled, type Log } from '#src/observability/log.ts';
import { claimAlerts, claimsByChannel, hasDueWork, unresolvedSends } from '#src/store/alerts/claims.ts';
import { markSent, postpone } from '#src/store/alerts/send-results.ts';
import { dueAlerts, dueDigestAlerts, lockAlerts, type Alert } from '#src/store/alerts/alert-rows.ts';
import type { Store } from '#src/store/contract.ts';
import { channelNames } from '#src/store/alerts/channel-names.ts';
import { isCollected, planSends, type SendTimes } from './plan.ts';
import { sendClaimed, type SendNeeds } from './send.ts';

export interface PollerNeeds extends Omit<SendNeeds, 'breakerOf' | 'stopping'> {
  readonly log: Log;
  readonly pollEveryMs?: number;
}

export interface OutboxPoller {
  /** Polls now: something may be due. */
  wake(): void;
  /** The circuit breakers of the channels in this process. */
  channelStates(): Readonly<Record<string, ChannelState>>;
  close(): Promise<void>;
}

export interface ChannelState {
  readonly state: CircuitState;
  /** Failures in a row. */
  readonly failures: number;
  /** Until when nothing is sent; null while the circuit is not open. */
  readonly until: string | null;
}

/** Messages per channel at a time, so that a channel that hangs cannot delay the others. */
const sendsPerChannel = 8;
/** The largest digest. */
const alertsPerDigest = 500;
const defaultPollEveryMs = 1_000;
/** A channel that fails repeatedly is paused, and then tried with one message. */
const breakerOptions = {
  failuresToOpen: 5,
  backoff: { firstMs: 5_000, longestMs: 300_000 },
  longestRequestedMs: hourMs,
};
/** How long a message that is being sent may take to arrive once the process is asked to stop. */
const stopGraceMs = 3_000;

export function startOutboxPoller(needs: PollerNeeds): OutboxPoller {
  const { store, log, nowMs, pollEveryMs = defaultPollEveryMs } = needs;
  const warn = throttled(log, minuteMs);
  const breakers = new Map<string, CircuitBreaker>();
  const breakerOf = (channel: string): CircuitBreaker => {
    const breaker = breakers.get(channel) ?? createCircuitBreaker(breakerOptions);
    breakers.set(channel, breaker);
    return breaker;
  };
  const closing = new AbortController();
  const stopping = new AbortController();
  const sender: SendNeeds = { ...needs, breakerOf, stopping: stopping.signal };
  const inFlight = new Map<Promise<void>, string>();
  let woken = new AbortController();

  function startSend(channel: string, alerts: readonly Alert[]): void {
    const sending = sendClaimed(sender, alerts)
      .catch((err: unknown) => warn('warn', 'an alert could not be sent or recorded; it is retried', { err }))
      .finally(() => {
        inFlight.delete(sending);
        woken.abort();
      });
    inFlight.set(sending, channel);
  }

  async function poll(): Promise<void> {
    const now = instantOf(nowMs());
    // Most polls find nothing.
    if (!(await hasDueWork(store, now))) return;
    await resolveUnknownOutcomes(store, now);
    const claims = await claimsByChannel(store, now);
    const roomIn = (channel: string): number => {
      const own = [...inFlight.values()].filter((one) => one === channel).length;
      return sendsPerChannel - Math.max(own, claims.get(channel) ?? 0);
    };
    let open: readonly string[] = channelNames.filter((channel) => roomIn(channel) > 0);
    // Round robin: thousands of postponed alerts in one channel must not delay another.
    for (let round = 0; open.length > 0; round += 1) {
      const again: string[] = [];
      for (const channel of open) {
        if (closing.signal.aborted) return;
        const room = roomIn(channel);
        const { messages, postponed } = await claimDue(needs, {
          channel,
          room,
          limit: round === 0 ? room : alertsPerDigest,
          pausedUntilMs: breakerOf(channel).openUntilMs,
        });
        for (const alerts of messages) startSend(channel, alerts);
        if (postponed > 0 && messages.length === 0) again.push(channel);
      }
      open = again;
    }
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      woken = new AbortController();
      await poll().catch((err: unknown) =>
        warn('warn', 'the outbox of alerts could not be polled; it is retried', { err }),
      );
      const signal = AbortSignal.any([woken.signal, closing.signal]);
      await sleepUntilNext(pollEveryMs, signal);
    }
  }
  const running = run();

  return {
    wake: () => woken.abort(),
    channelStates: () =>
      Object.fromEntries([...needs.channels.keys()].map((channel) => [channel, stateOf(breakerOf(channel), nowMs())])),
    async close() {
      closing.abort();
      await running;
      const timer = setTimeout(() => stopping.abort(), stopGraceMs);
      await Promise.all(inFlight.keys());
      clearTimeout(timer);
    },
  };
}

function stateOf(breaker: CircuitBreaker, nowMs: number): ChannelState {
  const state = breaker.state(nowMs);
  const until = state === 'open' ? new Date(breaker.openUntilMs).toISOString() : null;
  return { state, failures: breaker.failures, until };
}

interface ClaimInput {
  readonly channel: string;
  /** How many messages may be claimed. */
  readonly room: number;
  /** How many alerts to read: thousands may be waiting behind a slow channel. */
  readonly limit: number;
  readonly pausedUntilMs: number;
}

interface ClaimedAlerts {
  readonly messages: readonly (readonly Alert[])[];
  readonly postponed: number;
}

/** Claims messages for this process. They hold the rows as they were before the claim. */
async function claimDue(
  { store, rules, nowMs }: Pick<PollerNeeds, 'store' | 'nowMs'> & { readonly rules: ReadonlyMap<string, SendTimes> },
  { channel, room, limit, pausedUntilMs }: ClaimInput,
): Promise<ClaimedAlerts> {
  const atMs = nowMs();
  const now = instantOf(atMs);
  const first = await dueAlerts(store, { now, limit, channel });
  const hasDigest = first.some((alert) => isCollected(alert, rules.get(alert.rule)));
  const seen =
    hasDigest && limit < alertsPerDigest ? await dueAlerts(store, { now, limit: alertsPerDigest, channel }) : first;
  if (seen.length === 0) return { messages: [], postponed: 0 };
  const due = await withWholeDigests(store, seen, now);
  return store.transaction(async (unit) => {
    const locked = await lockAlerts(
      unit,
      due.map(({ id }) => id),
    );
    // Another process may have claimed or postponed some of them since they were read.
    const still = locked.filter(({ state, next_at }) => state === 'pending' && next_at <= now);
    const plan = planSends(still, { rules, nowMs: atMs, pausedUntilMs });
    await postpone(unit, plan.postponed);
    const messages = plan.messages.slice(0, room);
    await claimAlerts(unit, messages.flat(), atMs);
    return { messages, postponed: plan.postponed.length };
  });
}

/** A digest is sent whole at every attempt: cut by a limit, it would differ under the same idempotency key. */
async function withWholeDigests(store: Store, due: readonly Alert[], now: string): Promise<readonly Alert[]> {
  const digests = due.flatMap(({ digest }) => digest ?? []);
  if (digests.length === 0) return due;
  return [...due.filter(({ digest }) => digest === null), ...(await dueDigestAlerts(store, { now, digests }))];
}

/** Retracts closed alerts that may have been sent by a process that was killed before it recorded the outcome. */
async function resolveUnknownOutcomes(store: Store, now: string): Promise<void> {
  const found = await unresolvedSends(store, now);
  if (found.length === 0) return;
  await store.transaction(async (unit) => {
    const locked = await lockAlerts(
      unit,
      found.map(({ id }) => id),
    );
    // An alert that was reopened meanwhile is sent anyway.
    const unresolved = locked.filter(({ state, claimed_at }) => state === 'retracted' && claimed_at !== null);
    await markSent(unit, unresolved, now);
  });
}

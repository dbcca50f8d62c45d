// Polls the outbox: claims the alerts that are due and sends them, a bounded number per channel at a time. The poller is woken when an
// alert changes in this process and polls by itself as well, because time passes and other processes write into the outbox.
//
//   due ──claim.ts──▶ claimed ──send.ts──▶ sent, retracted, waiting again, or failed
//
// Several processes may poll one outbox: the rows are locked while they are claimed, so each message is sent by one process.
import { createCircuitBreaker, type CircuitBreaker, type CircuitState } from '#src/base/retry-policy.ts';
import { hourMs, instantOf, minuteMs, sleepUntilNext } from '#src/base/time.ts';
import { throttled, type Log } from '#src/observability/log.ts';
import { claimsByChannel, hasDueWork } from '#src/store/alerts/claims.ts';
import { channelNames } from '#src/store/alerts/channel-names.ts';
import { openNameOf } from '#workers/out/alerts/channels/own-address.ts';
import { alertsPerDigest, claimDue, type ClaimedPart } from './claim.ts';
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

  function startSend(channel: string, alerts: readonly ClaimedPart[]): void {
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
    const claims = await claimsByChannel(store, now);
    const busyIn = (channel: string): number => {
      const own = [...inFlight.values()].filter((one) => one === channel).length;
      return Math.max(own, claims.get(channel) ?? 0);
    };
    let open: readonly string[] = channelNames.filter((channel) => busyIn(channel) < sendsPerChannel);
    // Round robin: thousands of postponed alerts in one channel must not delay another.
    for (let round = 0; open.length > 0; round += 1) {
      const again: string[] = [];
      for (const channel of open) {
        if (closing.signal.aborted) return;
        const busy = busyIn(channel);
        const room = sendsPerChannel - busy;
        const { messages, isMore } = await claimDue(needs, {
          channel,
          room,
          busy,
          limit: round === 0 ? room : alertsPerDigest,
          pausedUntilMs: (rule) => breakerOf(openNameOf(needs.channels, channel, rule)).openUntilMs,
        });
        for (const alerts of messages) startSend(channel, alerts);
        if (isMore) again.push(channel);
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

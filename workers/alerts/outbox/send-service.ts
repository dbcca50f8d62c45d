// The sending half of alerts: the dispatcher, the worker on the queue of sends, and one circuit a channel.
import { throttled, type Log } from '#src/observability/log.ts';
import type { SendQueue } from '#src/queue/contract.ts';
import type { Store } from '#src/store/contract.ts';
import type { Channel } from '#workers/alerts/channels/channel.ts';
import { createCircuit, type Circuit, type CircuitStanding } from './channel-circuit-breaker.ts';
import { openDesk } from './write-batcher.ts';
import { startDispatcher } from './poll.ts';
import { openHandover, sendsAChannel } from './handover.ts';
import type { MessageNeeds } from '#workers/alerts/message/messages.ts';
import { rulesByName } from './build-message.ts';
import type { Ruleset } from '#workers/alerts/rules/ruleset.ts';
import { sendJob } from './send.ts';

export interface SendingNeeds extends MessageNeeds {
  readonly store: Store;
  readonly sends: Pick<SendQueue, 'add' | 'work'>;
  readonly rules: Ruleset;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly log: Log;
}

export interface Sending {
  /** Something may be due. */
  poke(): void;
  /** How the channels stand, as this process knows them. */
  standing(): Readonly<Record<string, CircuitStanding>>;
  close(): Promise<void>;
}

/** A message that is under way when the process ends gets so long to arrive. */
const patienceMs = 3_000;

export function startSending(needs: SendingNeeds): Sending {
  const { sends, channels, nowMs } = needs;
  const rules = rulesByName(needs.rules);
  const circuits = new Map<string, Circuit>();
  const circuitOf = (channel: string): Circuit => {
    const known = circuits.get(channel) ?? createCircuit();
    circuits.set(channel, known);
    return known;
  };
  for (const channel of channels.keys()) circuitOf(channel);
  const stopping = new AbortController();
  const sender = { ...needs, write: openDesk(needs.store), rules, circuitOf, stopping: stopping.signal };
  const say = throttled(needs.log, 10_000);
  const send = async (data: unknown): Promise<void> => {
    try {
      await sendJob(sender, data);
    } catch (err) {
      // Whoever brought it brings it again.
      say('warn', 'a message could not be sent or marked; it is tried again', { err });
      throw err;
    } finally {
      dispatcher.poke();
    }
  };
  const handover = openHandover({ ...needs, send });
  const dispatcher = startDispatcher({ ...needs, rules, handover });
  const worker = sends.work(send, {
    // Every channel can have all its places taken without taking one of another's.
    concurrency: sendsAChannel * Math.max(1, channels.size),
  });
  return {
    poke: () => dispatcher.poke(),
    standing: () => Object.fromEntries([...circuits].map(([channel, circuit]) => [channel, circuit.standing(nowMs())])),
    async close() {
      await dispatcher.close();
      const timer = setTimeout(() => stopping.abort(), patienceMs);
      await Promise.all([worker.close(), handover.done()]);
      clearTimeout(timer);
    },
  };
}

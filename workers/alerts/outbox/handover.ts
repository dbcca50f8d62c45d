// Hands what leaves now to the queue of sends, and to the sender itself while the queue is away: who sends is decided by the rows, so
// a job that comes out of the queue after all finds nothing to do.
import { withTimeout } from '#src/base/timeout.ts';
import { throttled, type Log } from '#src/observability/log.ts';
import type { SendJob, SendQueue } from '#src/queue/contract.ts';

export interface HandoverNeeds {
  readonly sends: Pick<SendQueue, 'add'>;
  /** Sends in this process. */
  send(data: SendJob['data']): Promise<void>;
  readonly nowMs: () => number;
  readonly log: Log;
}

export interface Handover {
  /** `jobs`: of one channel. */
  hand(channel: string, jobs: readonly SendJob[]): Promise<void>;
  /** When what this process sends by itself is over. */
  done(): Promise<void>;
}

/** Of one channel at once, over all processes: one that hangs cannot take the places of the others. */
export const sendsAChannel = 8;
/** How long a job may lie in the queue before it is added once more, lest the queue has lost it. */
const addAgainMs = 10_000;
/** An engine that is down in the wrong way never answers. */
const queuePatienceMs = 2_000;

export function openHandover({ sends, send, nowMs, log }: HandoverNeeds): Handover {
  const say = throttled(log, 10_000);
  const added = new Map<string, number>();
  const direct = new Map<string, { readonly channel: string; readonly sending: Promise<void> }>();

  function sendDirectly(channel: string, { id, data }: SendJob): boolean {
    const beside = [...direct.values()].filter((one) => one.channel === channel).length;
    if (direct.has(id) || beside >= sendsAChannel) return false;
    // Whoever sends tells what went wrong.
    const sending = send(data)
      .catch(() => undefined)
      .finally(() => direct.delete(id));
    direct.set(id, { channel, sending });
    return true;
  }

  return {
    async hand(channel, jobs) {
      const atMs = nowMs();
      for (const [id, ms] of added) if (atMs - ms >= addAgainMs || ms > atMs) added.delete(id);
      const fresh = jobs.filter(({ id }) => !added.has(id));
      if (fresh.length === 0) return;
      let handed = fresh;
      try {
        await withTimeout(sends.add(fresh), queuePatienceMs);
      } catch (err) {
        say('warn', 'the queue is away: alerts are sent without it', { err });
        handed = fresh.filter((job) => sendDirectly(channel, job));
      }
      for (const { id } of handed) added.set(id, atMs);
    },
    async done() {
      await Promise.all([...direct.values()].map(({ sending }) => sending));
    },
  };
}

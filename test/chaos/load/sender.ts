// Sends deliveries as the scheduling service does: signed, at a steady rate, out of order, some twice, and again until they get 2xx.
import { Agent } from 'node:http';
import { isAccepted, post } from '../../harness/mirror/sender.ts';
import { randomOf } from './random.ts';

export interface Answer {
  /** The HTTP status, or the code of what broke the connection. */
  readonly status: number | string;
  readonly atMs: number;
  readonly tookMs: number;
}

/** One body, however often it was sent. */
export interface Offered {
  readonly body: string;
  readonly answers: readonly Answer[];
}

export type Load = ReturnType<typeof startLoad>;

interface LoadOptions {
  readonly seed: number;
  readonly key: string;
  /** Complete URLs of the webhook. */
  readonly targets: readonly string[];
  readonly perSecond: number;
  readonly bodies: readonly string[];
}

const duplicateShare = 0.05;
const shuffledShare = 0.3;
const shuffledWithinMs = 2_000;
const backOffMs = { first: 250, most: 4_000 };
/** It says that repeating is of no use: the subscription is gone, or the body is too large. */
const permanent: readonly (number | string)[] = [410, 413];

type Recorded = Offered & { readonly answers: Answer[] };

export function startLoad({ seed, key, targets, perSecond, bodies }: LoadOptions) {
  const random = randomOf(seed);
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const offered: Recorded[] = [];
  const accepted = new Set<string>();
  const timers = new Set<NodeJS.Timeout>();
  let turn = 0;
  let taken = 0;
  let due = 0;
  let lastMs = performance.now();
  let unfinished = 0;
  let isClosed = false;
  let onIdle = (): void => {};

  const ticker = setInterval(() => {
    const nowMs = performance.now();
    due += ((nowMs - lastMs) * perSecond) / 1000;
    lastMs = nowMs;
    for (; due >= 1; due -= 1) offerNext();
  }, 20);

  function after(ms: number, action: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      action();
    }, ms);
    timers.add(timer);
  }

  function next(): Recorded | undefined {
    const body = bodies[taken++];
    return body === undefined ? undefined : recordOf(body);
  }

  function recordOf(body: string): Recorded {
    const record: Recorded = { body, answers: [] };
    offered.push(record);
    return record;
  }

  function offerNext(): void {
    const record = next();
    if (record === undefined) return;
    const shuffled = (share: number): number => (random.chance(share) ? random.below(shuffledWithinMs) : 0);
    deliverAfter(record, shuffled(shuffledShare));
    if (random.chance(duplicateShare)) deliverAfter(record, shuffled(1));
  }

  function deliverAfter(record: Recorded, ms: number): void {
    unfinished += 1;
    after(ms, () => void deliver(record, agent));
  }

  /** One copy, until it gets 2xx. Resolves with its first answer. */
  async function deliver(record: Recorded, through: Agent, attempt = 0): Promise<void> {
    const url = targets[(turn += 1) % targets.length] ?? '';
    const startMs = performance.now();
    const status = await post(through, url, { key, body: record.body });
    record.answers.push({ status, atMs: Date.now(), tookMs: performance.now() - startMs });
    if (isClosed) return;
    if (isAccepted(status)) accepted.add(record.body);
    if (isAccepted(status) || permanent.includes(status)) {
      unfinished -= 1;
      if (unfinished === 0) onIdle();
      return;
    }
    const pauseMs = Math.min(backOffMs.first * 2 ** attempt, backOffMs.most) * (0.5 + random.next());
    after(pauseMs, () => void deliver(record, agent, attempt + 1));
  }

  return {
    offered: offered as readonly Offered[],
    accepted: (): number => accepted.size,
    acceptedBodies: (): ReadonlySet<string> => accepted,
    /** Every body was offered and answered with 2xx or a permanent refusal, so no more are accepted. */
    isSpent: () => taken >= bodies.length && unfinished === 0,
    offer: (body: string): void => deliverAfter(recordOf(body), 0),
    /** Sends the next bodies at once, over so many connections. Resolves when each of them was answered, however. */
    async burst(count: number, connections: number): Promise<void> {
      const lanes = new Agent({ keepAlive: true, maxSockets: connections });
      let left = count;
      const lane = async (): Promise<void> => {
        while (left > 0 && !isClosed) {
          left -= 1;
          const record = next();
          if (record === undefined) return;
          unfinished += 1;
          await deliver(record, lanes);
        }
      };
      await Promise.all(Array.from({ length: connections }, lane));
      lanes.destroy();
    },
    /** No new deliveries; resolves when everything offered has got 2xx, or a permanent refusal, or the time is up. */
    async finish(deadlineMs: number): Promise<void> {
      clearInterval(ticker);
      if (unfinished === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      onIdle = resolve;
      after(deadlineMs, resolve);
      await promise;
    },
    close(): void {
      isClosed = true;
      clearInterval(ticker);
      for (const timer of timers) clearTimeout(timer);
      agent.destroy();
    },
  };
}

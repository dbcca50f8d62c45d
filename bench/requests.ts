// Sends prepared requests from a process of its own and answers when each was due and how long its response took.
import { fork } from 'node:child_process';
import { once } from 'node:events';

export interface Sending {
  readonly port: number;
  readonly requests: readonly Uint8Array[];
  readonly connections: number;
  /** Without it, each connection sends its next request after the response. */
  readonly perSecond?: number | undefined;
}

/** Times in milliseconds since 1970, with fractions. */
export interface Sent {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly dueAt: readonly number[];
  readonly latencies: readonly number[];
}

/** Fails unless every response is a success. */
export async function sendRequests(sending: Sending): Promise<Sent> {
  const child = fork('bench/request-sender.ts', { serialization: 'advanced' });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the sender ended (${code})`)));
  child.send(sending);
  const [sent] = (await Promise.race([once(child, 'message'), ended])) as [Sent];
  ended.catch(() => {});
  const refused = Object.keys(sent.statuses).filter((status) => !status.startsWith('2'));
  if (refused.length > 0) throw new Error(`not every request was accepted: ${JSON.stringify(sent.statuses)}`);
  return sent;
}

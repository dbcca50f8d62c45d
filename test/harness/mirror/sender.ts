// A sender as the scheduling service is one: signs, keeps connections alive, sends some at a time, and comes again when
// it does not get 2xx. It signs by itself, so that it does not share a mistake with the code that verifies.
import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Sent {
  readonly body: string;
  /** Every answer in order: a status, or the code of what broke the connection. */
  readonly answers: (number | string)[];
}

export interface SenderOptions {
  readonly url: string;
  readonly key: string;
  /** Requests at a time. */
  readonly lanes?: number;
  /** Repeats a delivery until it gets 2xx. */
  readonly retries?: boolean;
}

export type Sender = ReturnType<typeof openSender>;

/** The service gives up on an answer after some seconds; so a receiver that waits for a dead queue shows here. */
const answerWithinMs = 8_000;

export function openSender({ url, key, lanes = 8, retries = false }: SenderOptions) {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  const sent: Sent[] = [];
  let accepted = 0;
  let closed = false;

  async function deliver(body: string): Promise<void> {
    const record: Sent = { body, answers: [] };
    sent.push(record);
    for (;;) {
      const answer = await post(agent, url, { key, body });
      record.answers.push(answer);
      if (isAccepted(answer)) return void (accepted += 1);
      await sleep(50);
      if (!retries || closed) return;
    }
  }

  return {
    sent,
    accepted: () => accepted,
    async send(bodies: Iterable<string>): Promise<void> {
      const queue = bodies[Symbol.iterator]();
      const lane = async (): Promise<void> => {
        for (let next = queue.next(); !next.done && !closed; next = queue.next()) await deliver(next.value);
      };
      await Promise.all(Array.from({ length: lanes }, lane));
    },
    close(): void {
      closed = true;
      agent.destroy();
    },
  };
}

export const isAccepted = (answer: number | string | undefined): boolean =>
  typeof answer === 'number' && answer >= 200 && answer < 300;

export function signed(key: string, body: string, atSeconds = Math.floor(Date.now() / 1000)): Record<string, string> {
  const mac = createHmac('sha256', key).update(`${atSeconds}.`).update(body).digest('hex');
  return { 'content-type': 'application/json', 'calendly-webhook-signature': `t=${atSeconds},v1=${mac}` };
}

/** Answers the status, or the code of what broke the connection. */
export function post(
  agent: Agent,
  url: string,
  { key, body }: { readonly key: string; readonly body: string },
): Promise<number | string> {
  const headers = { ...signed(key, body), 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve) => {
    const outgoing = request(url, { agent, method: 'POST', headers }, (incoming) => {
      incoming.resume();
      incoming.once('close', () => resolve(incoming.complete ? (incoming.statusCode ?? 0) : 'INCOMPLETE'));
    });
    const timer = setTimeout(() => {
      resolve('TIMEOUT');
      outgoing.destroy();
    }, answerWithinMs);
    outgoing.once('close', () => clearTimeout(timer));
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.name));
    outgoing.end(body);
  });
}

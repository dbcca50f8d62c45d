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
  /** How long to wait after an answer that is not 2xx. */
  readonly pauseMs?: number;
}

export interface Sender {
  /** Every delivery handed over so far, in order. */
  readonly sent: readonly Sent[];
  send(bodies: Iterable<string>): Promise<void>;
  /** How many got 2xx so far. */
  accepted(): number;
  close(): void;
}

/** The service gives up on an answer after some seconds; so a receiver that waits for a dead queue shows here. */
const answerDeadlineMs = 8_000;

export function openSender({ url, key, lanes = 8, retries = false, pauseMs = 50 }: SenderOptions): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  const sent: Sent[] = [];
  let accepted = 0;
  let closed = false;

  async function deliver(body: string): Promise<void> {
    const record: Sent = { body, answers: [] };
    sent.push(record);
    for (;;) {
      const answer = await post(agent, { url, headers: signed(key, body), body });
      record.answers.push(answer);
      if (isAccepted(answer)) accepted += 1;
      if (isAccepted(answer)) return;
      if (pauseMs > 0) await sleep(pauseMs);
      if (!retries || closed) return;
    }
  }

  return {
    sent,
    accepted: () => accepted,
    async send(bodies) {
      const queue = bodies[Symbol.iterator]();
      const lane = async (): Promise<void> => {
        for (let next = queue.next(); !next.done && !closed; next = queue.next()) await deliver(next.value);
      };
      await Promise.all(Array.from({ length: lanes }, lane));
    },
    close() {
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

function post(
  agent: Agent,
  { url, headers, body }: { url: string; headers: Record<string, string>; body: string },
): Promise<number | string> {
  return new Promise((resolve) => {
    const outgoing = request(url, { agent, method: 'POST', headers, timeout: answerDeadlineMs }, (incoming) => {
      incoming.resume();
      incoming.once('close', () => resolve(incoming.statusCode ?? 0));
    });
    outgoing.once('timeout', () => outgoing.destroy(Object.assign(new Error('no answer'), { code: 'NO_ANSWER' })));
    outgoing.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.name));
    outgoing.end(body);
  });
}

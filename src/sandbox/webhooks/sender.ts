// Sends deliveries by HTTP over kept connections. Every attempt ends, one way or another, within the time-outs (A3); redirects
// are not followed.
import { urlToHttpOptions } from 'node:url';
import { deliveryPolicy } from '#schemas/limits.ts';
import { secondMs } from '#src/sandbox/clock.ts';
import { hangUp, openConnection } from './connection.ts';
import type { Connection, Origin, Outcome, Patience } from './connection.ts';

export interface Letter {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Sender extends Disposable {
  /** Never rejects. */
  post(letter: Letter): Promise<Outcome>;
}

interface Target extends Origin {
  /** Connections waiting for a delivery. */
  readonly free: Connection[];
  readonly requestLine: string;
}

const defaultPatience: Patience = {
  connectMs: deliveryPolicy.connectSeconds * secondMs,
  readMs: deliveryPolicy.readSeconds * secondMs,
  // Below the five seconds after which many servers close a quiet connection.
  idleMs: 4 * secondMs,
};
const lookEveryMs = 250;

export function createSender(patience: Patience = defaultPatience): Sender {
  const connections = new Set<Connection>();
  const targetOf = createTargets();
  let isClosed = false;

  // One timer for all: a timer for each would cost more than it guards.
  const looking = setInterval(
    () => {
      const nowMs = performance.now();
      for (const connection of connections) connection.look(nowMs);
    },
    Math.min(lookEveryMs, patience.connectMs, patience.readMs),
  ).unref();

  function open(origin: Origin): Connection {
    const connection = openConnection(origin, patience, () => connections.delete(connection));
    connections.add(connection);
    return connection;
  }
  function freeOf({ free }: Target): Connection | undefined {
    for (let connection = free.pop(); connection !== undefined; connection = free.pop())
      if (connection.isFree) return connection;
    return undefined;
  }
  async function exchange(target: Target, head: string, body: Uint8Array): Promise<Outcome> {
    const connection = freeOf(target) ?? open(target);
    const outcome = await connection.exchange(head, body);
    if (connection.isFree) target.free.push(connection);
    // The other side closed a kept connection just then: that says nothing about the delivery.
    const isMishap = connection.isUsed && outcome.error !== undefined && mishaps.has(outcome.error);
    return isMishap && !isClosed ? exchange(target, head, body) : outcome;
  }

  return {
    async post({ url, headers, body }) {
      if (isClosed) return { status: null, error: 'closed' };
      const target = targetOf(url);
      let head = target.requestLine;
      for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`;
      return exchange(target, `${head}\r\n`, body);
    },
    [Symbol.dispose]() {
      isClosed = true;
      clearInterval(looking);
      for (const connection of connections) connection.close('closed');
    },
  };
}

const mishaps: ReadonlySet<string> = new Set([hangUp, 'ECONNRESET', 'EPIPE']);
const mostTargets = 1000;

/** Reading an address costs more than using it, so it is read once. */
function createTargets(): (url: string) => Target {
  const known = new Map<string, Target>();
  return (url) => {
    const found = known.get(url);
    if (found !== undefined) return found;
    if (known.size >= mostTargets) known.clear();
    const target = readTarget(url);
    known.set(url, target);
    return target;
  };
}

function readTarget(url: string): Target {
  const parsed = new URL(url);
  const { path = '/', auth } = urlToHttpOptions(parsed);
  const isSecure = parsed.protocol === 'https:';
  const authorization = auth ? `authorization: Basic ${Buffer.from(auth).toString('base64')}\r\n` : '';
  return {
    isSecure,
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: Number(parsed.port) || (isSecure ? 443 : 80),
    free: [],
    requestLine: `POST ${path} HTTP/1.1\r\nhost: ${parsed.host}\r\n${authorization}`,
  };
}

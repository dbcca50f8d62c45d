// Sends one delivery by HTTP over kept connections. A 2xx is decided elsewhere; here every attempt ends, one way or another,
// within the time-outs (A3). Redirects are not followed.
import http from 'node:http';
import https from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { deliveryPolicy } from '#schemas/limits.ts';
import { secondMs } from '../clock.ts';

export interface Outcome {
  /** The answer's status; null when there was none. */
  readonly status: number | null;
  readonly error?: string;
}

export interface Letter {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Sender extends Disposable {
  /** Never rejects. */
  post(letter: Letter): Promise<Outcome>;
}

export interface Patience {
  readonly connectMs: number;
  readonly readMs: number;
}

interface Flight {
  readonly request: http.ClientRequest;
  readonly startedMs: number;
  connectedMs: number | undefined;
}

const defaultPatience: Patience = {
  connectMs: deliveryPolicy.connectSeconds * secondMs,
  readMs: deliveryPolicy.readSeconds * secondMs,
};
/** Longer answers are cut: only the status counts. */
const mostAnswerBytes = 64 * 1024;
const lookEveryMs = 250;
/** Below the five seconds after which many servers close a quiet connection. */
const keptIdleMs = 4 * secondMs;

export function createSender(patience: Patience = defaultPatience): Sender {
  const flights = new Set<Flight>();
  const targets = createTargets();
  let isClosed = false;

  // One timer for all: a timer for each would cost more than it guards.
  const looking = setInterval(
    () => {
      const nowMs = performance.now();
      for (const flight of flights) {
        const late = lateness(flight, nowMs, patience);
        if (late !== undefined) flight.request.destroy(new Error(late));
      }
    },
    Math.min(lookEveryMs, patience.connectMs, patience.readMs),
  ).unref();

  function post({ url, headers, body }: Letter, isSecondTry = false): Promise<Outcome> {
    return new Promise((resolve) => {
      const { options, request: open } = targets.of(url);
      const request = open({ ...options, headers });
      const flight: Flight = { request, startedMs: performance.now(), connectedMs: undefined };
      let status: number | null = null;
      let failure: NodeJS.ErrnoException | undefined;
      flights.add(flight);
      request.once('socket', (socket) => {
        if (socket.connecting) socket.once('connect', () => (flight.connectedMs = performance.now()));
        else flight.connectedMs = performance.now();
      });
      request.once('response', (response) => {
        status = response.statusCode ?? null;
        drain(response);
      });
      request.on('error', (error) => (failure ??= error));
      request.once('close', () => {
        flights.delete(flight);
        if (status !== null) resolve({ status });
        // The other side closed a kept connection just then: that says nothing about the delivery.
        else if (request.reusedSocket && !isSecondTry && !isClosed && isHangUp(failure))
          resolve(post({ url, headers, body }, true));
        else resolve({ status, error: failure?.code ?? failure?.message ?? 'no answer' });
      });
      request.end(body);
    });
  }

  return {
    post: (letter) =>
      post(letter).catch((error: NodeJS.ErrnoException) => ({ status: null, error: error.code ?? error.message })),
    [Symbol.dispose]() {
      isClosed = true;
      clearInterval(looking);
      for (const { request } of flights) request.destroy(new Error('closed'));
      targets[Symbol.dispose]();
    },
  };
}

function lateness({ startedMs, connectedMs }: Flight, nowMs: number, patience: Patience): string | undefined {
  if (connectedMs === undefined) return nowMs - startedMs > patience.connectMs ? 'connect time-out' : undefined;
  return nowMs - connectedMs > patience.readMs ? 'read time-out' : undefined;
}

function drain(response: http.IncomingMessage): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > mostAnswerBytes) response.destroy();
  });
  response.on('error', () => undefined);
}

const isHangUp = (error: NodeJS.ErrnoException | undefined): boolean =>
  error?.code === 'ECONNRESET' || error?.code === 'EPIPE';

interface Target {
  readonly options: http.RequestOptions;
  readonly request: (options: http.RequestOptions) => http.ClientRequest;
}

const mostTargets = 1000;

interface Targets extends Disposable {
  of(url: string): Target;
}

/** Reading an address costs as much as a small request, so it is read once. */
function createTargets(): Targets {
  const httpAgent = new http.Agent({ keepAlive: true, timeout: keptIdleMs });
  const httpsAgent = new https.Agent({ keepAlive: true, timeout: keptIdleMs });
  const known = new Map<string, Target>();
  return {
    of(url) {
      const found = known.get(url);
      if (found !== undefined) return found;
      const parsed = new URL(url);
      const isSecure = parsed.protocol === 'https:';
      const { hostname, port, path, auth } = urlToHttpOptions(parsed);
      const agent = isSecure ? httpsAgent : httpAgent;
      const options = { hostname, port, path, method: 'POST', agent, ...(auth && { auth }) };
      const target = { options, request: isSecure ? https.request : http.request };
      if (known.size >= mostTargets) known.clear();
      known.set(url, target);
      return target;
    },
    [Symbol.dispose]() {
      httpAgent.destroy();
      httpsAgent.destroy();
    },
  };
}

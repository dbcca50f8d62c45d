// Sends deliveries over HTTP with kept-alive connections. Every attempt ends within the time-outs (A3); redirects are not followed.
import { Agent, buildConnector, errors, type Dispatcher } from 'undici';
import { deliveryPolicy } from '#schemas/limits.ts';
import { secondMs } from '#src/sandbox/clock.ts';

export interface SendRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface SendResult {
  readonly status: number | null;
  readonly error?: string;
}

const defaultTimeouts = {
  connectMs: deliveryPolicy.connectSeconds * secondMs,
  readMs: deliveryPolicy.readSeconds * secondMs,
  // An idle connection is closed before many servers close it, after five seconds.
  idleMs: 4 * secondMs,
};
/** Per origin. Fewer requests than that are in flight in all, so no request waits for a connection. */
const mostConnections = 512;
/** Longer response bodies are cut off: only the status matters. */
const mostBodyBytes = 64 * 1024;

export function createSender({ connectMs, readMs, idleMs } = defaultTimeouts) {
  const failedAfterUse = new WeakSet<Error>();
  const connect = buildConnector({ timeout: connectMs, allowH2: false });
  const agent = new Agent({
    connections: mostConnections,
    headersTimeout: readMs,
    bodyTimeout: readMs,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    connect: (options, callback) =>
      connect(options, (...result) => {
        const socket = result[1];
        socket?.prependListener('error', (failure) => {
          if (socket.bytesRead > 0) failedAfterUse.add(failure);
        });
        callback(...result);
      }),
  });
  // Parsed once for all deliveries to the same URL.
  const targets = new Map<string, Target>();
  let isClosed = false;

  /** The server closed a kept-alive connection just as the request was sent: this says nothing about the delivery. */
  function isStaleConnection(error: NodeJS.ErrnoException): boolean {
    if (error instanceof errors.SocketError) return (error.socket?.bytesRead ?? 0) > 0;
    return failedAfterUse.has(error) && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
  }

  function send(options: Dispatcher.DispatchOptions, mayResend = true): Promise<SendResult> {
    return new Promise((resolve) => {
      let status: number | null = null;
      let bytes = 0;
      agent.dispatch(options, {
        onRequestStart: () => undefined,
        onResponseStart: (_, code) => void (status = code < 200 ? null : code),
        onResponseData(controller, chunk) {
          bytes += chunk.length;
          if (bytes > mostBodyBytes) controller.abort(new Error('the response is too long'));
          resolve({ status });
        },
        onResponseEnd: () => resolve({ status }),
        onResponseError(_, error) {
          if (status !== null) resolve({ status });
          else if (mayResend && !isClosed && isStaleConnection(error)) resolve(send(options, false));
          else resolve({ status, error: isClosed ? 'closed' : describe(error) });
        },
      });
    });
  }

  return {
    /** Never rejects. */
    post({ url, headers, body }: SendRequest): Promise<SendResult> {
      if (isClosed) return Promise.resolve({ status: null, error: 'closed' });
      if (targets.size > mostTargets) targets.clear();
      const target = targets.get(url) ?? targetOf(url);
      targets.set(url, target);
      const { origin, path, authorization } = target;
      const sent = authorization === undefined ? headers : { ...headers, authorization };
      return send({ origin, path, method: 'POST', headers: sent, body });
    },
    [Symbol.dispose](): void {
      isClosed = true;
      void agent.destroy();
    },
  };
}

interface Target {
  readonly origin: string;
  readonly path: string;
  readonly authorization?: string;
}

const mostTargets = 1000;

function targetOf(url: string): Target {
  const { origin, pathname, search, username, password } = new URL(url);
  const target = { origin, path: pathname + search };
  if (username === '' && password === '') return target;
  const credentials = [username, password].map(decodeURIComponent).join(':');
  return { ...target, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

function describe(error: Error & { readonly code?: string }): string {
  if (error instanceof errors.ConnectTimeoutError) return 'connect time-out';
  if (error instanceof errors.HeadersTimeoutError) return 'read time-out';
  if (error instanceof errors.SocketError) return 'hang-up';
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError)
    return 'not an HTTP response';
  return error.code ?? error.message;
}

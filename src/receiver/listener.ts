// An HTTP listener: bound before anything else is opened, so that a port in use is found at once; timeouts and limits against slow and
// abusive clients; and a graceful shutdown that loses nothing:
// not ready ─▶ grace period (load balancers stop sending) ─▶ no new connections ─▶ responses in flight, `Connection: close` ─▶ closed.
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { HttpBindings } from '@hono/node-server';
import { sleepUnlessAborted } from '#src/base/time.ts';
import { withTimeout } from '#src/base/timeout.ts';
import { memoize } from '#src/base/memoize.ts';
import { ownCode, SlotstreamError } from '#src/base/errors.ts';
import { limitConnections, type ConnectionEviction } from './connections.ts';
import { responses, toResponse } from './responses.ts';

export interface ListenerNeeds {
  fetch(request: Request, env: HttpBindings): Response | Promise<Response>;
  /** Called first when the listener shuts down. */
  onClosing(): void;
  onEvicted?(reason: ConnectionEviction): void;
}

export interface ListenerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  readonly maxConnections?: number;
  /** A connection without a request for this long may be closed near the limit. */
  readonly idleAfterMs?: number;
  /** A sender that asks before it sends a larger body (`Expect: 100-continue`) gets no `100 Continue`. */
  readonly maxBodyBytes?: number;
  /** Between "not ready" and the end of new connections, where requests were served. */
  readonly graceMs?: number;
  /** How long requests in flight may take before their connections are closed. */
  readonly closeTimeoutMs?: number;
}

export interface Listener {
  readonly port: number;
  /** Answers requests from now on. Until then they get 503: the process is starting. */
  serve(needs: ListenerNeeds): void;
  /** How many connections had a request within the last second. */
  activeConnections(): number;
  close(): Promise<void>;
}

const maxHeaders = 100;

export async function openListener(options: ListenerOptions): Promise<Listener> {
  const { headersTimeoutMs = 5000, requestTimeoutMs = 10_000, maxConnections = 4096 } = options;
  const { maxBodyBytes = 1024 * 1024 } = options;
  const { graceMs = 0, closeTimeoutMs = 10_000 } = options;
  let closing = false;
  let needs: ListenerNeeds | undefined;
  const answer = (request: Request, env: HttpBindings): Response | Promise<Response> => {
    if (needs) return needs.fetch(request, env);
    return toResponse(URL.parse(request.url)?.pathname === '/healthz' ? responses.alive : responses.starting);
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the adapter passes HttpBindings for an HTTP/1 server; its type includes HTTP/2
  const respond = getRequestListener((request, env) => answer(request, env as HttpBindings), {
    // For a request without a host, which HTTP/1.0 allows: a name that nothing trusts.
    hostname: 'host.invalid',
    errorHandler: () => toResponse(responses.badRequest),
  });
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    connections.started(outgoing);
    if (closing) outgoing.shouldKeepAlive = false;
    const answered = (): void => connections.answered(outgoing);
    respond(incoming, outgoing).then(answered, answered);
  };
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: headersTimeoutMs / 2,
    },
    serve,
  );
  server.on('checkContinue', (incoming, outgoing) => {
    if (Number(incoming.headers['content-length'] ?? 0) <= maxBodyBytes) outgoing.writeContinue();
    serve(incoming, outgoing);
  });
  const onEvicted = (reason: ConnectionEviction): void => needs?.onEvicted?.(reason);
  const connections = limitConnections(server, { maxConnections, idleAfterMs: options.idleAfterMs, onEvicted });
  server.maxHeadersCount = maxHeaders;

  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(notListening(options, cause)));
    server.listen(options.port, options.host, resolve);
  });

  // A failing accept (no file descriptors left) concerns no request; without a listener it would end the process.
  server.on('error', () => {});

  async function close(): Promise<void> {
    needs?.onClosing();
    closing = true;
    if (needs && graceMs > 0) await sleepUnlessAborted(graceMs);
    connections.endAfterResponses();
    const ended = new Promise<void>((resolve) => server.close(() => resolve()));
    await withTimeout(ended, closeTimeoutMs).catch(() => server.closeAllConnections());
    await ended;
  }

  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    serve: (given) => void (needs = given),
    activeConnections: () => connections.active(),
    close: memoize(close),
  };
}

/** True for the error of `openListener` when another program listens on the port. */
export const isPortInUse = (error: unknown): boolean =>
  error instanceof SlotstreamError && error.code === 'port_in_use';

function notListening({ host, port }: ListenerOptions, cause: Error): SlotstreamError {
  const reasons: Record<string, string> = {
    EADDRINUSE: ': it is in use',
    EACCES: ': this user may not use the port',
    EADDRNOTAVAIL: ': this machine does not have the address',
    ENOTFOUND: ': the host is not known',
  };
  const code = ownCode(cause) === 'EADDRINUSE' ? 'port_in_use' : 'config';
  return new SlotstreamError(code, `Cannot listen on ${host}:${port}${reasons[ownCode(cause)] ?? ''}.`, {
    hint: 'Stop the other program, or choose another HOST and PORT, and a PUBLIC_URL that leads there (ADMIN_HOST and ADMIN_PORT for the admin listener).',
    cause,
  });
}

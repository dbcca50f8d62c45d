// The socket side of a listener: time-outs and limits against slow and greedy peers, and a way out that loses nothing:
// not ready ─▶ grace (load balancers look away) ─▶ no new connections ─▶ in-flight answers, `Connection: close` ─▶ closed.
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import type { HttpBindings } from '@hono/node-server';
import { withTimeout } from '#src/base/timeout.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { answers, toResponse } from './responses.ts';

export interface ListenerNeeds {
  fetch(request: Request, env: HttpBindings): Response | Promise<Response>;
  /** Told first when the listener goes away. */
  onClosing(): void;
}

export interface ListenerOptions {
  readonly host: string;
  /** 0 = any free one. */
  readonly port: number;
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  readonly maxConnections?: number;
  /** Between "not ready" and the closed door. */
  readonly graceMs?: number;
  /** How long in-flight requests may take before they are cut. */
  readonly closeDeadlineMs?: number;
}

export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

/** Longer than the idle time-out of usual load balancers, or they would reuse a connection just as we close it. */
const keepAliveMs = 65_000;
const maxHeaders = 100;

export async function openListener(needs: ListenerNeeds, options: ListenerOptions): Promise<Listener> {
  const { headersTimeoutMs = 5000, requestTimeoutMs = 10_000, maxConnections = 4096 } = options;
  const { graceMs = 0, closeDeadlineMs = 10_000 } = options;
  const inFlight = new Set<ServerResponse>();
  let closing = false;
  const handle = getRequestListener((request, env) => needs.fetch(request, env as HttpBindings), {
    errorHandler: () => toResponse(answers.badRequest),
  });
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: Math.min(1000, headersTimeoutMs / 2),
    },
    (incoming, outgoing) => {
      inFlight.add(outgoing);
      if (closing) outgoing.shouldKeepAlive = false;
      const answered = (): boolean => inFlight.delete(outgoing);
      handle(incoming, outgoing).then(answered, answered);
    },
  );
  server.maxConnections = maxConnections;
  server.maxHeadersCount = maxHeaders;

  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(notListening(options, cause)));
    server.listen(options.port, options.host, resolve);
  });

  // A failing accept (no descriptors left) concerns no request of ours; without a listener it would end the process.
  server.on('error', () => {});

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    needs.onClosing();
    closing = true;
    if (graceMs > 0) await pause(graceMs);
    for (const outgoing of inFlight) outgoing.shouldKeepAlive = false;
    const ended = new Promise<void>((resolve) => server.close(() => resolve()));
    await withTimeout(ended, closeDeadlineMs).catch(() => server.closeAllConnections());
    await ended;
  }

  return {
    port: (server.address() as AddressInfo).port,
    close: () => (closed ??= close()),
  };
}

function notListening({ host, port }: ListenerOptions, cause: Error): SlotstreamError {
  const inUse = 'code' in cause && cause.code === 'EADDRINUSE';
  return new SlotstreamError('config', `${host}:${port} cannot be listened on${inUse ? ': it is in use' : ''}.`, {
    hint: 'Stop the other program, or choose another HOST and PORT (ADMIN_HOST and ADMIN_PORT for the admin listener).',
    cause,
  });
}

// Limits the open connections of a server. Near the limit, those that wait for their next request are closed, the longest idle
// first, so that a new connection is always accepted: otherwise anyone could lock senders out by opening many.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** `connection_limit`: a new connection was refused, because every other one had a complete request in progress. */
export type ConnectionEviction = 'idle_connection' | 'slow_connection' | 'connection_limit';

export interface Connections {
  /** Requests without a complete response, oldest first. */
  readonly inFlight: ReadonlySet<ServerResponse>;
  started(outgoing: ServerResponse): void;
  answered(outgoing: ServerResponse): void;
}

export interface ConnectionOptions {
  readonly maxConnections: number;
  /** How long a connection is left alone before it counts as idle: a new one needs time to send its request. */
  readonly idleAfterMs?: number | undefined;
  onEvicted(reason: ConnectionEviction): void;
}

/** Longer than the idle timeout of common load balancers, which otherwise reuse a connection just as it is closed. */
const keepAliveMs = 65_000;
const shortKeepAliveMs = 5_000;
const nearLimitShare = 0.75;

export function limitConnections(server: Server, options: ConnectionOptions): Connections {
  const { maxConnections, idleAfterMs = 1000, onEvicted } = options;
  const nearLimit = Math.floor(maxConnections * nearLimitShare);
  /** Each with its number of requests in progress: a sender may send the next one before it has the response. */
  const connections = new Map<Socket, number>();
  /** Each with the time since which it waits for a request, oldest first. Also those that have sent a part of their headers. */
  const waiting = new Map<Socket, number>();
  const inFlight = new Set<ServerResponse>();

  function remove(socket: Socket): void {
    connections.delete(socket);
    waiting.delete(socket);
    if (connections.size <= nearLimit) server.keepAliveTimeout = keepAliveMs;
  }

  function evict(socket: Socket, reason: ConnectionEviction): void {
    remove(socket);
    socket.destroy();
    onEvicted(reason);
  }

  function closeIdle(): void {
    const idleBefore = performance.now() - idleAfterMs;
    for (const [socket, since] of waiting) {
      if (connections.size <= nearLimit || since > idleBefore) return;
      evict(socket, 'idle_connection');
    }
  }

  /** At the limit and none is idle: one that has not sent its whole request makes room for the next connection. */
  function closeSlowest(newest: Socket): void {
    for (const { req } of inFlight) if (!req.complete) return evict(req.socket, 'slow_connection');
    for (const socket of waiting.keys()) if (socket !== newest) return evict(socket, 'slow_connection');
  }

  server.maxConnections = maxConnections;
  server.keepAliveTimeout = keepAliveMs;
  server.on('connection', (socket) => {
    connections.set(socket, 0);
    waiting.set(socket, performance.now());
    socket.once('close', () => remove(socket));
    if (connections.size <= nearLimit) return;
    server.keepAliveTimeout = shortKeepAliveMs;
    closeIdle();
    if (connections.size >= maxConnections) closeSlowest(socket);
  });
  server.on('drop', () => onEvicted('connection_limit'));

  return {
    inFlight,
    started(outgoing) {
      const { socket } = outgoing.req;
      inFlight.add(outgoing);
      waiting.delete(socket);
      connections.set(socket, (connections.get(socket) ?? 0) + 1);
    },
    answered(outgoing) {
      const { socket } = outgoing.req;
      inFlight.delete(outgoing);
      const requests = connections.get(socket);
      if (requests === undefined) return;
      connections.set(socket, requests - 1);
      if (requests === 1) waiting.set(socket, performance.now());
    },
  };
}

// Limits the open connections of a server. Near the limit, those that wait for their next request are closed, the longest idle
// first, so that a new connection is always accepted: otherwise anyone could lock senders out by opening many.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** `connection_limit`: a new connection was refused, because every other one had a complete request in progress. */
export type ConnectionEviction = 'idle_connection' | 'slow_connection' | 'connection_limit';

export interface Connections {
  started(outgoing: ServerResponse): void;
  answered(outgoing: ServerResponse): void;
  /** How many had a request within the last second. */
  active(): number;
  /** Responses in progress are the last ones of their connections. */
  endAfterResponses(): void;
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
const activeWithinMs = 1_000;

export function limitConnections(server: Server, options: ConnectionOptions): Connections {
  const { maxConnections, idleAfterMs = 1000, onEvicted } = options;
  const nearLimit = Math.floor(maxConnections * nearLimitShare);
  const connections = new Map<Socket, Connection>();
  /** The earliest time at which a connection can be idle: before it, none is searched. */
  let noneIdleBefore = 0;

  function remove(socket: Socket): void {
    connections.delete(socket);
    if (connections.size <= nearLimit) server.keepAliveTimeout = keepAliveMs;
  }

  function evict({ socket }: Connection, reason: ConnectionEviction): void {
    remove(socket);
    socket.destroy();
    onEvicted(reason);
  }

  function findOldest(isCandidate: (connection: Connection) => boolean): Connection | undefined {
    let oldest: Connection | undefined;
    for (const connection of connections.values())
      if ((!oldest || connection.sinceMs < oldest.sinceMs) && isCandidate(connection)) oldest = connection;
    return oldest;
  }

  function closeIdle(): void {
    const nowMs = performance.now();
    while (connections.size > nearLimit && nowMs >= noneIdleBefore) {
      const oldest = findOldest(isWaiting);
      noneIdleBefore = (oldest?.sinceMs ?? nowMs) + idleAfterMs;
      if (oldest && nowMs >= noneIdleBefore) evict(oldest, 'idle_connection');
    }
  }

  /** At the limit and none is idle: one that has not sent its whole request makes room for the next connection. */
  function closeSlowest(newest: Socket): void {
    const slowest = findOldest(isReceiving) ?? findOldest((each) => isWaiting(each) && each.socket !== newest);
    if (slowest) evict(slowest, 'slow_connection');
  }

  server.maxConnections = maxConnections;
  server.keepAliveTimeout = keepAliveMs;
  server.on('connection', (socket) => {
    connections.set(socket, { socket, responses: [], sinceMs: performance.now() });
    socket.once('close', () => remove(socket));
    if (connections.size <= nearLimit) return;
    server.keepAliveTimeout = shortKeepAliveMs;
    closeIdle();
    if (connections.size >= maxConnections) closeSlowest(socket);
  });
  server.on('drop', () => onEvicted('connection_limit'));

  return {
    started(outgoing) {
      const connection = connections.get(outgoing.req.socket);
      if (connection?.responses.push(outgoing) === 1) connection.sinceMs = performance.now();
    },
    answered(outgoing) {
      const connection = connections.get(outgoing.req.socket);
      if (!connection) return;
      const { responses } = connection;
      if (responses.length === 1) responses.pop();
      else responses.splice(responses.indexOf(outgoing), 1);
      if (responses.length === 0) connection.sinceMs = performance.now();
    },
    active() {
      const fromMs = performance.now() - activeWithinMs;
      let count = 0;
      for (const { responses, sinceMs } of connections.values())
        if (responses.length > 0 || sinceMs > fromMs) count += 1;
      return count;
    },
    endAfterResponses() {
      for (const { responses } of connections.values())
        for (const outgoing of responses) outgoing.shouldKeepAlive = false;
    },
  };
}

/**
 * One object per connection, changed in place by its requests. A map or set of requests costs more than it seems: each time it is
 * full of deleted ones it is copied, and the copies keep finished requests alive through several garbage collections.
 */
interface Connection {
  readonly socket: Socket;
  /** In progress: a sender may send the next request before it has the response. */
  readonly responses: ServerResponse[];
  /** Since when it has had requests in progress or, without any, has waited for one: also while it sends headers. */
  sinceMs: number;
}

const isWaiting = ({ responses }: Connection): boolean => responses.length === 0;
const isReceiving = ({ responses }: Connection): boolean => responses.some(({ req }) => !req.complete);

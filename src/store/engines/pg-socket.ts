// The socket of a pg client, which ends a connection whose server is silent.
// Tested with pg 8.23.1, whose published interface has no socket and no such limit: https://github.com/brianc/node-postgres/issues/3124
import { Socket } from 'node:net';
import type pg from 'pg';

/** A server that sends nothing for this long loses the connection, and the statement fails. */
export function limitSilence(client: pg.ClientBase, ms: number): void {
  const socket = socketOf(client);
  socket?.setTimeout(ms, () => socket.destroy(new SilentServer(ms)));
}

/** For a statement that may take long, or a consumer that may read slowly. */
export function neverSilent(client: pg.ClientBase): void {
  socketOf(client)?.setTimeout(0).removeAllListeners('timeout');
}

function socketOf(client: pg.ClientBase): Socket | undefined {
  const stream: unknown = Reflect.get(Object(Reflect.get(client, 'connection')), 'stream');
  return stream instanceof Socket ? stream : undefined;
}

/** The message marks it as transient, like every other connection that ends. */
class SilentServer extends Error {
  constructor(ms: number) {
    super(`Connection terminated: the server was silent for ${ms / 1000} s`);
  }
}

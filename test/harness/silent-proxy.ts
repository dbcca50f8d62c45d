// A TCP proxy before PostgreSQL or Redis that fails the way networks and poolers do: connections that pass nothing any more, and a
// start-up message of PostgreSQL without its `options`.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

export type TestProxy = Awaited<ReturnType<typeof openProxy>>;

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

export async function openProxy(
  target: string,
  {
    dropsOptions = false,
    answers,
  }: {
    readonly dropsOptions?: boolean;
    /** Is silent after so many: the first one lets the client in. */ readonly answers?: number;
  } = {},
) {
  let to = new URL(target);
  const pairs = new Set<Pair>();
  const sockets = new Set<Socket>();
  let isBlackHole = false;
  let inVain = 0;

  function track(socket: Socket): Socket {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => void sockets.delete(socket));
  }

  /** Reads and drops what arrives, and does not answer a FIN. */
  function swallow(socket: Socket): void {
    socket.allowHalfOpen = true;
    socket.unpipe().resume();
  }

  /** The open connections stay open and pass nothing any more, not even their end; new ones work. Answers how many. */
  function silence(): number {
    const { size } = pairs;
    for (const { client, server } of pairs) for (const socket of [client, server]) swallow(socket);
    // What happens at one end is not seen at the other any more.
    pairs.clear();
    return size;
  }

  const proxy = createServer((accepted) => {
    const client = track(accepted);
    if (isBlackHole) {
      inVain += 1;
      return swallow(client);
    }
    const server = track(connect(Number(to.port), to.hostname));
    const pair = { client, server };
    pairs.add(pair);
    for (const socket of [client, server])
      socket.on('close', () => {
        if (pairs.delete(pair)) for (const other of [client, server]) other.destroy();
      });
    client.once('data', (startup: Buffer) => {
      server.write(dropsOptions ? withoutOptions(startup) : startup);
      client.pipe(server);
    });
    let left = answers ?? Infinity;
    if (answers === undefined) server.pipe(client);
    else
      server.on('data', (chunk: Buffer) => {
        client.write(chunk);
        if (chunk.includes(readyForQuery)) left -= 1;
        if (left === 0) client.unpipe(server).resume();
      });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = new URL(target);
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    silence,
    /** New connections go to another server from now on. */
    leadTo(other: string): void {
      to = new URL(other);
    },
    /** As `silence`, and new connections are accepted and never pass anything either, until `end` is called. */
    blackHole() {
      isBlackHole = true;
      inVain = 0;
      return {
        silenced: silence(),
        /** Connections that are opened from now on work. Answers how many were opened in vain. */
        end(): number {
          isBlackHole = false;
          return inVain;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

/** Its type, its length, and that no transaction is open. */
const readyForQuery = Buffer.from('Z\0\0\0\u0005I', 'latin1');

/** A start-up message: its length, the protocol version, then names and values that end with NUL, and a NUL. */
function withoutOptions(message: Buffer): Buffer {
  const words = message
    .subarray(8, message.readInt32BE(0) - 1)
    .toString('latin1')
    .split('\0');
  const kept: string[] = [];
  for (let at = 0; at + 1 < words.length; at += 2)
    if (words[at] !== 'options') kept.push(`${words[at]}\0${words[at + 1]}\0`);
  const body = Buffer.from(`${kept.join('')}\0`, 'latin1');
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8, 0);
  message.copy(head, 4, 4, 8);
  return Buffer.concat([head, body]);
}

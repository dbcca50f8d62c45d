// A TCP proxy before PostgreSQL that fails the way networks and poolers do: connections that pass nothing any more, and a start-up
// message without its `options`.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

export interface PostgresProxy extends AsyncDisposable {
  readonly url: string;
  /** The open connections stay open and pass nothing any more; new ones work. */
  silence(): number;
}

export async function openPostgresProxy(
  target: string,
  {
    dropsOptions = false,
    silentOnceReady = false,
  }: { readonly dropsOptions?: boolean; readonly silentOnceReady?: boolean } = {},
): Promise<PostgresProxy> {
  const to = new URL(target);
  const open = new Set<{ readonly client: Socket; readonly server: Socket }>();
  const proxy = createServer((client) => {
    const server = connect(Number(to.port), to.hostname);
    const pair = { client, server };
    open.add(pair);
    for (const socket of [client, server])
      socket
        .on('error', () => undefined)
        .on('close', () => {
          open.delete(pair);
          for (const other of [client, server]) other.destroy();
        });
    client.once('data', (startup: Buffer) => {
      server.write(dropsOptions ? withoutOptions(startup) : startup);
      client.pipe(server);
    });
    if (!silentOnceReady) server.pipe(client);
    else
      server.on('data', (chunk: Buffer) => {
        client.write(chunk);
        if (chunk.includes(readyForQuery)) client.unpipe(server).resume();
      });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = new URL(target);
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    silence() {
      for (const { client, server } of open) {
        client.unpipe(server).resume();
        server.unpipe(client).resume();
      }
      return open.size;
    },
    async [Symbol.asyncDispose]() {
      for (const { client, server } of open) for (const socket of [client, server]) socket.destroy();
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

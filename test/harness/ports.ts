// What every real engine in tests needs: a free loopback port, and to be waited for; and an HTTP server that answers as a test says.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { nextMoment } from './moments.ts';

/** Below the ports from which systems open connections: one of those would take it before the program listens on it. */
const [firstPort, portCount] = [20_000, 12_000];

/** A loopback port that is free, and that no other test run or worker gets as long as this process lives. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + Math.floor(Math.random() * portCount);
    if ((await claim(port)) && (await isFree(port))) return port;
  }
}

/** Its UDP port is what this process holds: the programs under test listen on TCP. */
async function claim(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref();
  socket.bind(port, '127.0.0.1');
  return once(socket, 'listening').then(
    () => true,
    () => {
      socket.close();
      return false;
    },
  );
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  return once(server, 'listening').then(
    async () => {
      server.close();
      await once(server, 'close');
      return true;
    },
    () => false,
  );
}

/** An HTTP server on a free loopback port. Its connections end with it. */
export async function openServer(listener: RequestListener) {
  const server = createHttpServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    server,
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Whether it resolves. */
export const succeeds = (attempt: Promise<unknown>): Promise<boolean> =>
  attempt.then(
    () => true,
    () => false,
  );

/** Resolves once `holds` is true; looks at each moment (moments.ts). Fails after `timeoutMs`, naming what was waited for. */
export async function until(holds: () => boolean | Promise<boolean>, what: string, timeoutMs = 120_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (let mostMs = 10; !(await holds()); mostMs = Math.min(mostMs * 1.25, 250)) {
    if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain until ${what}.`);
    await nextMoment(mostMs);
  }
}

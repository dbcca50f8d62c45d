// The two things every real engine in tests needs: a free loopback port, and to be waited for.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
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

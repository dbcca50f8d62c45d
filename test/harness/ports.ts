// The two things every real engine in tests needs: a free loopback port, and to be waited for.

import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

/** Resolves once `holds` is true; fails after `timeoutMs`, naming what was waited for. */
export async function until(holds: () => boolean | Promise<boolean>, what: string, timeoutMs = 120_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (let pauseMs = 10; !(await holds()); pauseMs = Math.min(pauseMs * 1.25, 250)) {
    if (Date.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain until ${what}.`);
    await sleep(pauseMs);
  }
}

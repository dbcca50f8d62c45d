// Bodies that arrive in pieces are assembled, and limited together.
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createBodyBudget } from '#src/receiver/body-budget.ts';
import { readBody } from '#src/receiver/read-body.ts';
import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';

async function readOnce(send: (port: number) => void, budget = createBodyBudget({ maxBytes: 1e6 })): Promise<unknown> {
  const server = createServer();
  const read = once(server, 'request').then(([incoming]: IncomingMessage[]) =>
    readBody(incoming as IncomingMessage, { maxBytes: 100_000, budget, declared: undefined }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  send((server.address() as AddressInfo).port);
  const body = await read;
  server.closeAllConnections();
  server.close();
  return body;
}

function sendInBytes(text: string): (port: number) => void {
  return (port) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
    socket.write(
      `${text
        .split('')
        .map((letter) => `1\r\n${letter}\r\n`)
        .join('')}0\r\n\r\n`,
    );
  };
}

describe('a body sent byte by byte', () => {
  it('is assembled', async () => {
    const text = Array.from({ length: 5_000 }, (_, n) => String.fromCharCode(97 + (n % 26))).join('');
    expect(String(await readOnce(sendInBytes(text)))).toBe(text);
  });

  it('is given up when it exceeds the budget, and releases its share', async () => {
    const budget = createBodyBudget({ maxBytes: 1_000, reservedBytes: 0 });
    expect(await readOnce(sendInBytes('x'.repeat(2_000)), budget)).toBe('body_budget');
    let evicted = false;
    budget.join(undefined, () => (evicted = true)).add(1_000);
    expect(evicted).toBe(false);
  });

  it('releases its share when it is complete', async () => {
    const budget = createBodyBudget({ maxBytes: 1_000, reservedBytes: 0 });
    for (let round = 0; round < 3; round += 1)
      expect(String(await readOnce(sendInBytes('x'.repeat(900)), budget))).toHaveLength(900);
  });
});

// Sending deliveries over kept connections.
import { createServer, type RequestListener } from 'node:http';
import { createServer as createPlain, type AddressInfo, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSender } from '#src/sandbox/webhooks/sender.ts';
import { until } from '../../../harness/ports.ts';

const body = Buffer.from('{"event":"contact.created"}');
const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };

async function listen(server: Server): Promise<{ url: string; connections: Set<Socket>; opened(): number }> {
  const connections = new Set<Socket>();
  let opened = 0;
  server.on('connection', (socket: Socket) => {
    opened += 1;
    connections.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of connections) socket.destroy();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, connections, opened: () => opened };
}
const answering = (listener: RequestListener) => listen(createServer(listener));
const saying = (words: string) => listen(createPlain((socket) => void socket.once('data', () => socket.write(words))));

/** A connection serves its next request one turn of the event loop after a response. */
const connectionFree = () => new Promise((resolve) => void setTimeout(resolve, 5));

function openSender(more = {}) {
  const sender = createSender({ connectMs: 10_000, readMs: 10_000, idleMs: 60_000, ...more });
  onTestFinished(() => sender[Symbol.dispose]());
  return sender;
}

describe('the sender', () => {
  it('uses one connection for deliveries that follow each other, and more for those at once', async () => {
    const { url, opened } = await answering((request, response) => {
      request.resume().on('end', () => response.writeHead(202).end());
    });
    const sender = openSender();
    for (let count = 0; count < 5; count += 1) {
      expect(await sender.post({ url, headers, body })).toEqual({ status: 202 });
      await connectionFree();
    }
    expect(opened()).toBe(1);
    await Promise.all(Array.from({ length: 4 }, () => sender.post({ url, headers, body })));
    expect(opened()).toBe(4);
  });

  it('sends path, query, credentials and body as they are', async () => {
    const seen: unknown[] = [];
    const { url } = await answering(async (request, response) => {
      seen.push(request.method, request.url, request.headers, await text(request));
      response.end('ok');
    });
    const address = url.replace('//', '//ada:s%C3%A9same@').replace('/hook', '/a%20b/?x=1&y=ä#z');
    await openSender().post({ url: address, headers, body });
    const authorization = `Basic ${Buffer.from('ada:sésame').toString('base64')}`;
    const sent = { ...headers, host: new URL(url).host, connection: 'keep-alive', authorization };
    expect(seen).toEqual(['POST', '/a%20b/?x=1&y=%C3%A4', sent, body.toString()]);
  });

  it('takes the status of an answer that is too long, or streams on, and opens another connection for the next', async () => {
    const long = await saying(`HTTP/1.1 200 OK\r\ncontent-length: 9999999\r\n\r\n${'x'.repeat(70_000)}`);
    const endless = await answering((_, response) => void response.writeHead(200).write('on and '));
    const sender = openSender();
    for (const { url, opened } of [long, endless]) {
      for (let time = 0; time < 2; time += 1)
        expect(await sender.post({ url, headers, body })).toEqual({ status: 200 });
      expect(opened()).toBe(2);
    }
  });

  it('sends again when a kept connection was closed by the other side', async () => {
    let deliveries = 0;
    const { url, opened } = await answering((request, response) => {
      deliveries += 1;
      // The second on a connection is cut off unread.
      if (deliveries === 2) request.socket.destroy();
      else response.writeHead(202, { 'content-length': 0 }).end();
    });
    const sender = openSender();
    await sender.post({ url, headers, body });
    await connectionFree();
    expect(await sender.post({ url, headers, body })).toEqual({ status: 202 });
    expect(opened()).toBe(2);
  });

  it('gives up on an answer that does not come, or never ends', async () => {
    const silent = await answering(() => undefined);
    const trickling = await saying('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nnever');
    const endless = await saying('HTTP/1.1 200 OK\r\nx: ');
    const sender = openSender({ readMs: 1_000 });
    const sent = [silent, endless, trickling].map(({ url }) => sender.post({ url, headers, body }));
    const late = { status: null, error: 'read time-out' };
    // The status was there: that is the answer, whatever became of the rest.
    expect(await Promise.all(sent)).toEqual([late, late, { status: 200 }]);
  });

  it('ends what is under way when it closes', async () => {
    const { url, opened } = await answering(() => undefined);
    const sender = openSender();
    const sent = sender.post({ url, headers, body });
    await until(() => opened() === 1, 'the delivery is under way');
    sender[Symbol.dispose]();
    expect(await sent).toEqual({ status: null, error: 'closed' });
    expect(await sender.post({ url, headers, body })).toEqual({ status: null, error: 'closed' });
  });
});

// The other end of a webhook: an HTTP server that records each request and answers as the test says.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { happened } from '../moments.ts';

export interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly raw: Buffer;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface Callback extends AsyncDisposable {
  readonly url: string;
  readonly received: Received[];
  /** The status of the next answers; 202 at first. A function sees each delivery; null never answers. */
  answer: number | 'cut' | null | ((delivery: Received) => number);
  /** What stands beside the status of the next answers. */
  words: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string };
}

export async function openCallback(): Promise<Callback> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      const delivery = { headers: request.headers, raw, body: JSON.parse(raw.toString()) as unknown };
      received.push(delivery);
      happened();
      const status = typeof callback.answer === 'function' ? callback.answer(delivery) : callback.answer;
      if (status === 'cut') request.socket.destroy();
      else if (status !== null) response.writeHead(status, callback.words.headers).end(callback.words.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const callback: Callback = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: 202,
    words: {},
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return callback;
}

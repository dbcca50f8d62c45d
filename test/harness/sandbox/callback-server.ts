// The other end of a webhook: an HTTP server that records each request and answers as the test says.
import { buffer } from 'node:stream/consumers';
import { happened } from '../moments.ts';
import { openServer } from '../ports.ts';

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
  const server = await openServer(async (request, response) => {
    const raw = await buffer(request);
    const delivery = { headers: request.headers, raw, body: JSON.parse(raw.toString()) as unknown };
    received.push(delivery);
    happened();
    const status = typeof callback.answer === 'function' ? callback.answer(delivery) : callback.answer;
    if (status === 'cut') request.socket.destroy();
    else if (status !== null) response.writeHead(status, callback.words.headers).end(callback.words.body);
  });
  const callback: Callback = { ...server, url: `${server.url}/hook`, received, answer: 202, words: {} };
  return callback;
}

// Listens on this machine for the browser that the authorization server sends back (RFC 8252).
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { slotstream } from '#src/base/command.ts';
import { ownCode, SlotstreamError } from '#src/base/errors.ts';

/** What an address means to the login that was started: `elsewhere` is not its redirect URI, `foreign` has another state or issuer. */
export type ReadRedirect = (
  address: string,
) =>
  | { readonly kind: 'code'; readonly parameters: URLSearchParams }
  | { readonly kind: 'denied'; readonly error: SlotstreamError }
  | { readonly kind: 'foreign' | 'elsewhere' };

/** Browsers take `localhost` for either; a machine may lack one. */
const hosts = ['127.0.0.1', '::1'];

export async function listenForRedirect(redirectUri: string) {
  let port = Number(new URL(redirectUri).port || 80);
  await using opened = new AsyncDisposableStack();
  const servers: Server[] = [];
  for (const host of hosts) {
    const server = createServer({ requestTimeout: 10_000 }).listen(port, host);
    const failure = await once(server, 'listening').then(() => '', ownCode);
    if (failure === 'EADDRNOTAVAIL' || failure === 'EAFNOSUPPORT') continue;
    if (failure !== '')
      throw new SlotstreamError('config', `Cannot listen on port ${port} of ${host} (${failure}).`, {
        hint: 'Choose another port with --port (0: any free one).',
      });
    servers.push(opened.adopt(server, close));
    const address = server.address();
    if (typeof address === 'object' && address !== null) ({ port } = address);
  }
  const owned = opened.move();
  return {
    /** With the port that was chosen. */
    redirectUri: redirectUri.replace(/^(http:\/\/[^/]+:)0(?=\/|$)/, `$1${port}`),
    /** Resolves with the first redirect that has a code; responds to others with 400 or 404 and goes on waiting. */
    receive: (read: ReadRedirect, signal: AbortSignal) =>
      new Promise<URLSearchParams>((resolve, reject) => {
        const stop = (): void => reject(stopped());
        if (signal.aborted) stop();
        signal.addEventListener('abort', stop, { once: true });
        const handle = ({ method, url = '' }: IncomingMessage, response: ServerResponse): void => {
          const result = method === 'GET' ? read(url) : ({ kind: 'elsewhere' } as const);
          // The page is sent first: the next step may close the listener.
          respond(response, result.kind).on('close', () => {
            if (result.kind === 'code') resolve(result.parameters);
            if (result.kind === 'denied') reject(result.error);
          });
        };
        for (const server of servers) server.on('request', handle);
      }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

export const stopped = (): SlotstreamError =>
  new SlotstreamError('refused', 'The login was not completed in time, or it was stopped.', {
    hint: `Log in again: ${slotstream} login`,
  });

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

const foreignText = 'This request does not belong to the login that was started.';
const pages = {
  code: [200, 'You are logged in. You can close this page and go back to the terminal.'],
  denied: [200, 'The login was not granted. You can close this page; the terminal shows the reason.'],
  foreign: [400, foreignText],
  elsewhere: [404, foreignText],
} as const;

function respond(response: ServerResponse, kind: keyof typeof pages): ServerResponse {
  const [status, text] = pages[kind];
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', connection: 'close' };
  return response.writeHead(status, { ...headers, 'referrer-policy': 'no-referrer' }).end(`${text}\n`);
}

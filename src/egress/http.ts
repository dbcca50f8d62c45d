// Calls the addresses that operators configure for alerts and the feed. It guards against SSRF: the resolved address is checked, and it is the one
// connected to. No redirects; time and response size are limited.
//
// Uses node:http, not undici: undici costs a worker 30 MB, and this is one POST.
import { lookup as systemLookup } from 'node:dns';
import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { codeOf } from '#src/base/errors.ts';
import { userAgent } from '#src/base/user-agent.ts';
import { isPublicAddress, isPublicHost } from './public-address.ts';

export interface OutgoingNeeds {
  /** For tests. */
  readonly lookup?: LookupFunction;
}

export interface OutgoingCall {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type OutgoingAnswer =
  | { readonly ok: true; readonly status: number; readonly headers: Headers; readonly text: string }
  | OutgoingFailure;

export interface OutgoingFailure {
  readonly ok: false;
  /** The address is not allowed, so there was no call. */
  readonly refused: boolean;
  /** The whole request was sent, but no response arrived. */
  readonly unsure?: true;
  /** For programs: `private_address`, `invalid_address`, or the code of the connection's error, such as `ECONNREFUSED`. */
  readonly code: string;
  /** For people. */
  readonly reason: string;
}

export interface HttpSender {
  post(url: string, call: OutgoingCall): Promise<OutgoingAnswer>;
  /** Opens a connection for protocols other than HTTP, with the same checks. */
  connect(to: { readonly host: string; readonly port: number; readonly timeoutMs: number }): Promise<Socket>;
  close(): void;
}

const maxResponseBytes = 4_096;

export function createOutgoing(
  needs: OutgoingNeeds,
  { allowPrivate, setting = 'ALERT_ALLOW_PRIVATE' }: Partial<GuardOptions> & Pick<GuardOptions, 'allowPrivate'>,
): HttpSender {
  const { lookup, refusalOf } = guardAddresses(needs, { allowPrivate, setting });
  const shared = { keepAlive: true, maxSockets: 8, maxFreeSockets: 2, timeout: 30_000, lookup } as const;
  const agents = { 'http:': new HttpAgent(shared), 'https:': new HttpsAgent(shared) } as const;
  return {
    async post(url, call) {
      const target = readTarget(url);
      if ('reason' in target) return { ok: false, refused: true, code: 'invalid_address', reason: target.reason };
      // URL has already normalized forms such as 0x7f.1, 0177.0.0.1 and 2130706433.
      const refusal = refusalOf(target.url.hostname);
      if (refusal !== undefined) return failureOf(refusal);
      const { protocol } = target.url;
      const send = protocol === 'https:' ? httpsRequest : httpRequest;
      const signal = AbortSignal.any([call.signal, AbortSignal.timeout(call.timeoutMs)]);
      let isSent = false;
      const attempt = async (isSecond: boolean): Promise<OutgoingAnswer> => {
        const request = send(target.url, {
          method: 'POST',
          agent: protocol === 'https:' ? agents['https:'] : agents['http:'],
          headers: { 'user-agent': userAgent, ...call.headers, 'content-length': Buffer.byteLength(call.body) },
          signal,
        });
        request.once('finish', () => (isSent = true));
        try {
          return await responseOf(request, call.body);
        } catch (error) {
          // The other side may just have closed a kept-alive connection.
          if (request.reusedSocket && !isSecond && codeOf(error) === 'ECONNRESET') return attempt(true);
          return { ...failureOf(error, signal), ...(isSent && { unsure: true }) };
        }
      };
      return attempt(false);
    },
    connect: ({ host, port, timeoutMs }) =>
      new Promise((resolve, reject) => {
        const refusal = refusalOf(host);
        if (refusal !== undefined) return reject(refusal);
        const socket = connect({ host: bareHost(host), port, lookup, timeout: timeoutMs });
        socket.once('timeout', () => socket.destroy(new ConnectTimeout()));
        socket.on('error', reject);
        socket.once('connect', () => {
          socket.setTimeout(0).removeAllListeners('timeout');
          resolve(socket);
        });
      }),
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

interface GuardOptions {
  readonly allowPrivate: boolean;
  /** The name of the variable that allows private addresses, for the message. */
  readonly setting: string;
}

/** The checks of an address, for every kind of connection. Both are needed. */
export function guardAddresses(
  { lookup = systemLookup as LookupFunction }: OutgoingNeeds,
  { allowPrivate, setting }: GuardOptions,
) {
  const refusal = (): AddressRefusal => new AddressRefusal(setting);
  const isAllowed = (address: string): boolean => allowPrivate || isPublicAddress(address);
  return {
    lookup: guardedLookup(lookup, isAllowed, refusal),
    /** A literal address is not looked up, so it is checked by itself. */
    refusalOf: (host: string): AddressRefusal | undefined =>
      allowPrivate || isPublicHost(bareHost(host)) ? undefined : refusal(),
  };
}

/** Fails when any address of a name is not allowed: the system chooses which of them is used. */
function guardedLookup(
  lookup: LookupFunction,
  isAllowed: (address: string) => boolean,
  refusal: () => AddressRefusal,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const addresses = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => isAllowed(address))) return callback(refusal(), []);
      return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}

function readTarget(text: string): { readonly url: URL } | { readonly reason: string } {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return { reason: 'not a web address' };
  if (url.username !== '' || url.password !== '') return { reason: 'the address names a user' };
  return { url };
}

const bareHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

function responseOf(request: ClientRequest, body: string): Promise<OutgoingAnswer> {
  return new Promise((resolve, reject) => {
    let response: IncomingMessage | undefined;
    request.on('error', reject);
    // A response that switches protocols closes without any other event.
    request.once('close', () => response ?? reject(new ConnectionClosedError()));
    request.once('response', (message) => {
      response = message;
      resolve(readResponse(message));
    });
    request.end(body);
  });
}

async function readResponse(response: IncomingMessage): Promise<OutgoingAnswer> {
  const text = await readUpTo(response, maxResponseBytes);
  const headers = new Headers();
  for (const name of ['retry-after', 'x-ratelimit-reset', 'x-ratelimit-remaining']) {
    const value = response.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  return { ok: true, status: response.statusCode ?? 0, headers, text };
}

/** A longer response is not read to its end: the connection is closed instead. */
async function readUpTo(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response.iterator()) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8');
}

export class AddressRefusal extends Error {
  override readonly name = 'AddressRefused';
  readonly code = 'private_address';

  constructor(setting: string, reason = 'it leads to a private or special network address') {
    super(`${reason} (${setting})`);
  }
}

class ConnectTimeout extends Error {
  readonly code = 'ETIMEDOUT';
}

class ConnectionClosedError extends Error {
  readonly code = 'ECONNRESET';
}

function failureOf(error: unknown, signal?: AbortSignal): OutgoingFailure {
  const isTooLate = signal?.aborted === true && isTimeout(signal.reason);
  return {
    ok: false,
    refused: error instanceof AddressRefusal,
    code: isTooLate ? 'ETIMEDOUT' : codeOf(error),
    reason: reasonOf(error, signal),
  };
}

/** Never the message of the engine: it quotes addresses. */
export function reasonOf(error: unknown, signal?: AbortSignal): string {
  if (error instanceof AddressRefusal) return error.message;
  if (signal?.aborted) return isTimeout(signal.reason) ? 'no answer in time' : 'stopped';
  const code = codeOf(error);
  return explained[code] ?? `no connection (${code})`;
}

const isTimeout = (reason: unknown): boolean => reason instanceof Error && reason.name === 'TimeoutError';

const explained: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name does not exist (ENOTFOUND)',
  EAI_AGAIN: 'its name cannot be looked up (EAI_AGAIN)',
  ECONNREFUSED: 'it refuses connections (ECONNREFUSED)',
  ETIMEDOUT: 'no answer in time (ETIMEDOUT)',
  ECONNRESET: 'the connection was closed (ECONNRESET)',
};

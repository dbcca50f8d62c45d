// Loaded before a client: what it sends to https://api.calendly.com goes to BASE_URL instead. Most clients have the address as a constant.
import http, { type RequestOptions } from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';

const service = 'https://api.calendly.com';
const base = new URL(process.env['BASE_URL'] ?? '');

/** The same path below BASE_URL. */
const moved = (url: string): string => `${base.href.replace(/\/$/, '')}${url.slice(service.length)}`;

const { fetch } = globalThis;
globalThis.fetch = (input, init) => {
  const url = input instanceof Request ? input.url : String(input);
  if (!url.startsWith(`${service}/`)) return fetch(input, init);
  return fetch(input instanceof Request ? new Request(moved(url), input) : moved(url), init);
};

/** Packages for HTTP end at this function, with an address or with options. */
const request = https.request as (...given: readonly unknown[]) => http.ClientRequest;
const requestMoved = (...given: readonly unknown[]): http.ClientRequest => {
  const [first, ...others] = given;
  const options = (first instanceof URL || typeof first === 'string' ? others[0] : first) as RequestOptions | undefined;
  const from = first instanceof URL || typeof first === 'string' ? new URL(first) : addressOf(options ?? {});
  if (from.origin !== service) return request(...given);
  const callback = given.findLast((each) => typeof each === 'function') as () => void;
  const { agent: _agent, protocol: _protocol, host: _host, hostname: _hostname, port: _port, ...rest } = options ?? {};
  const { hostname, port, pathname, search } = new URL(moved(from.href));
  return http.request({ ...rest, hostname, port, path: pathname + search }, callback);
};
const addressOf = ({ hostname, host, path = '/' }: RequestOptions): URL =>
  new URL(`https://${hostname ?? host}${path}`);

Object.defineProperty(https, 'request', { value: requestMoved });
syncBuiltinESMExports();

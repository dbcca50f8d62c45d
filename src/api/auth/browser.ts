// What the admin listener reads from the request of a browser and writes to its answer: the cookie of the session, the host it asked
// for, where the request comes from, and where it goes on after a login.
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { isLoopback } from '#src/base/loopback.ts';
import { sessionSeconds } from './session.ts';

export interface Caller {
  readonly who:
    | `${'admin' | 'read-only'} ${'token' | 'session'}`
    | 'metrics token'
    | 'mcp token'
    | 'mcp command'
    | 'answer link'
    | 'slack button';
  /** The address of the socket, because a header can be forged. Of a button in Slack it is the id of the user, as Slack says. */
  readonly address: string;
}

export interface AdminEnv {
  Bindings: Partial<HttpBindings>;
  /** Set for every request that was let in. */
  Variables: { caller: Caller; readOnly: boolean };
}

export type AdminContext = Context<AdminEnv>;

export const addressOf = ({ env }: AdminContext): string => env?.incoming?.socket.remoteAddress ?? '';

/** An address is not a name that a page could lead elsewhere (DNS rebinding). */
const address = /^(\d+\.\d+\.\d+\.\d+|\[.+\])$/;

export function isKnownHost({ req }: AdminContext, names: readonly string[]): boolean {
  const url = new URL(req.url);
  return address.test(url.hostname) || isLoopback(url) || names.includes(url.hostname);
}

/**
 * Where a browser that logs in at `127.0.0.1` or `localhost` goes on with its code, before it gets a cookie: browsers send cookies to every
 * port of a host, and no other server has the name `ownName`. The name is a secret, so only a browser that may log in gets it: a server that knew
 * it could lead a browser there, to its own port. Safari does not know names below `localhost`; a proxy has a name of its own.
 */
export function ownAddress(
  context: AdminContext,
  { ownName, path, code }: { readonly ownName: string | undefined; readonly path: string; readonly code: string },
): string | undefined {
  const { req } = context;
  const at = new URL(path, req.url);
  const isShared = isLoopback(at) && !at.hostname.endsWith('.localhost');
  const isAble = /(Chrome|Chromium|Firefox)\//.test(req.header('user-agent') ?? '');
  if (ownName === undefined || isProxied(req.header()) || !isShared || !isAble || !isNavigation(context))
    return undefined;
  at.hostname = ownName;
  at.searchParams.set('login', code);
  return at.href;
}

export const isProxied = (headers: Readonly<Record<string, string>>): boolean =>
  Object.keys(headers).some((name) => /^(x-)?forwarded/.test(name));

/** Two processes on one host must not log each other out. With HTTPS no other host can set the cookie (`__Host-`). */
function cookieOf(context: AdminContext) {
  const { port } = new URL(context.req.url);
  const name = port === '' ? 'slotstream_session' : `slotstream_session_${port}`;
  return { name, options: isHttps(context) ? ({ path: '/', secure: true, prefix: 'host' } as const) : { path: '/' } };
}

export function sessionIn(context: AdminContext): string | undefined {
  const { name, options } = cookieOf(context);
  return getCookie(context, name, options.prefix);
}

export function setSession(context: AdminContext, value: string): void {
  const { name, options } = cookieOf(context);
  setCookie(context, name, value, { ...options, httpOnly: true, sameSite: 'Strict', maxAge: sessionSeconds });
}

export function endSession(context: AdminContext): Response {
  const { name, options } = cookieOf(context);
  deleteCookie(context, name, options);
  return context.redirect('/', 303);
}

/** The one header of a proxy that is trusted, because it can only make the cookie stricter. */
function isHttps(context: AdminContext): boolean {
  return new URL(context.req.url).protocol === 'https:' || context.req.header('x-forwarded-proto') === 'https';
}

/** For the cookie's SameSite rule, a page on another port of the host is the same site, so the rule is not enough. */
export function isSameOrigin(context: AdminContext): boolean {
  const site = context.req.header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = context.req.header('origin') ?? '';
  // Only the host: behind a proxy that terminates TLS, the process does not have its own scheme.
  return URL.canParse(origin) && new URL(origin).host === new URL(context.req.url).host;
}

/** A page of another site or port may lead here, and load nothing: no image, no frame, no answer for its script. */
export function mayRead(context: AdminContext): boolean {
  const site = context.req.header('sec-fetch-site') ?? 'none';
  return site === 'none' || site === 'same-origin' || isNavigation(context);
}

/** A browser sends a cookie of this session only with what a page of this host begins, redirects included. */
export const isFromElsewhere = ({ req }: AdminContext): boolean =>
  /^(cross|same)-site$/.test(req.header('sec-fetch-site') ?? '');

export const isFromPage = ({ req }: AdminContext): boolean => req.header('sec-fetch-site') !== undefined;

/** Whether a browser opens the address as a page of its own: not as an image, in a frame or by a script. */
export const isNavigation = ({ req }: AdminContext): boolean =>
  req.header('sec-fetch-mode') === 'navigate' && req.header('sec-fetch-dest') === 'document';

/** The requested address without the code, or the first page for a request that is not repeated by opening its address. */
export function requestedAddress({ req: { url, method } }: AdminContext): string {
  return method === 'GET' || method === 'HEAD' ? localAddress(url, url) : '/';
}

/** Path and query of an address on this host; the first page instead of an address elsewhere. */
export function localAddress(address: string, base: string): string {
  if (!URL.canParse(address, base)) return '/';
  const url = new URL(address, base);
  if (url.origin !== new URL(base).origin) return '/';
  url.searchParams.delete('login');
  // `//elsewhere.example` would lead to another host, and a login page has no use after a login.
  const path = `/${url.pathname.replace(/^\/+/, '')}`;
  return path === '/login' || path === '/logout' ? '/' : path + url.search;
}

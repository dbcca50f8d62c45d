// What the admin listener reads from the request of a browser and writes to its answer: the cookie of the session, where the request
// comes from, and where it goes on after a login.
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { sessionSeconds } from './session.ts';

/** Who sent a request. */
export interface Caller {
  readonly who: `${'admin' | 'read-only'} ${'token' | 'session'}` | 'mcp token' | 'mcp command';
  /** The address of the socket; a header can be forged. */
  readonly address: string;
}

export interface AdminEnv {
  Bindings: Partial<HttpBindings>;
  /** Set for every request that was let in. */
  Variables: { caller: Caller; readOnly: boolean };
}

export type AdminContext = Context<AdminEnv>;

export const addressOf = ({ env }: AdminContext): string => env?.incoming?.socket.remoteAddress ?? '';

/** Browsers share cookies among the ports of a host; two processes on one host must not log each other out. */
function cookieName(context: AdminContext): string {
  const { port } = new URL(context.req.url);
  return port === '' ? 'slotstream_session' : `slotstream_session_${port}`;
}

export const sessionIn = (context: AdminContext): string | undefined => getCookie(context, cookieName(context));

export function setSession(context: AdminContext, value: string): void {
  setCookie(context, cookieName(context), value, {
    path: '/',
    httpOnly: true,
    sameSite: 'Strict',
    maxAge: sessionSeconds,
    secure: isHttps(context),
  });
}

export function endSession(context: AdminContext): Response {
  deleteCookie(context, cookieName(context), { path: '/' });
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

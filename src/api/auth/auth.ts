// Who may ask the admin listener: whoever sends the token as a bearer token, or holds a session. One ladder, in this order:
// bearer token ─▶ login link (`?token=`, becomes a session) ─▶ session cookie (not for what another site's page sends) ─▶ 401
import { createHash, timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { acceptsHtml } from '#src/http/request.ts';
import { createAttempts } from './login-throttle.ts';
import { loginPage, loginPolicy } from './login-page.ts';
import { createSessions, sessionSeconds, type Sessions } from './session.ts';

export type AdminRefusal = 'unauthenticated' | 'wrong' | 'too_many' | 'cross_site';

export interface GuardNeeds {
  readonly token: string;
  clock(): number;
  /** Told of everybody who was turned away. */
  refused(cause: AdminRefusal): void;
  /** Told of every session that begins. */
  loggedIn(): void;
}

export type AdminEnv = { Bindings: Partial<HttpBindings> };
type Asking = Context<AdminEnv>;
type Verdict = 'welcome' | 'login' | 'absent' | 'wrong' | 'cross_site';

export function createGuard({ token, clock, refused, loggedIn }: GuardNeeds): MiddlewareHandler<AdminEnv> {
  const sessions = createSessions(token, { clock });
  const attempts = createAttempts({ clock });
  const isToken = sameAs(token);
  const isBearer = sameAs(`Bearer ${token}`);

  function turnAway(context: Asking, verdict: 'absent' | 'wrong'): Response {
    // The right token is never kept waiting, so nobody can lock its holder out.
    const seconds = verdict === 'wrong' ? attempts.failed(addressOf(context)) : undefined;
    if (seconds !== undefined) {
      refused('too_many');
      return context.json({ title: 'Too Many Requests', message: 'Too many wrong tokens. Wait.' }, 429, {
        'retry-after': String(seconds),
      });
    }
    refused(verdict === 'wrong' ? 'wrong' : 'unauthenticated');
    return unauthenticated(context);
  }

  return async (context, next) => {
    const verdict = judge({ isToken, isBearer, sessions }, context);
    if (verdict === 'welcome') return next();
    if (verdict === 'login') {
      loggedIn();
      return logIn(context, sessions);
    }
    if (verdict !== 'cross_site') return turnAway(context, verdict);
    refused('cross_site');
    return context.json({ title: 'Forbidden', message: 'A page of another site sent this request.' }, 403);
  };
}

interface Known {
  isToken(text: string): boolean;
  isBearer(text: string): boolean;
  readonly sessions: Sessions;
}

function judge({ isToken, isBearer, sessions }: Known, context: Asking): Verdict {
  const header = context.req.header('authorization');
  if (header !== undefined) return isBearer(header) ? 'welcome' : 'wrong';
  const isSafe = context.req.method === 'GET' || context.req.method === 'HEAD';
  const given = isSafe ? context.req.query('token') : undefined;
  if (given !== undefined) return isToken(given) ? 'login' : 'wrong';
  const cookie = getCookie(context, cookieName(context));
  if (cookie === undefined) return 'absent';
  const state = sessions.stateOf(cookie);
  if (state !== 'valid') return state === 'expired' ? 'absent' : 'wrong';
  return isSafe || isSameOrigin(context) ? 'welcome' : 'cross_site';
}

/** The token leaves the address bar at once; what stays in the browser is the session. */
function logIn(context: Asking, sessions: Sessions): Response {
  const url = new URL(context.req.url);
  url.searchParams.delete('token');
  setCookie(context, cookieName(context), sessions.open(), {
    path: '/',
    httpOnly: true,
    sameSite: 'Strict',
    maxAge: sessionSeconds,
    secure: isHttps(context),
  });
  // `//elsewhere.example` would lead to another host.
  return context.redirect(`/${url.pathname.replace(/^\/+/, '')}${url.search}`, 303);
}

function unauthenticated(context: Asking): Response {
  const headers = { 'www-authenticate': 'Bearer', vary: 'Accept' };
  if (acceptsHtml(context.req.header('accept')))
    return context.html(loginPage, 401, { ...headers, 'content-security-policy': loginPolicy });
  const message = 'Send the admin token as a bearer token.';
  return context.json({ title: 'Unauthenticated', message }, 401, headers);
}

/** Browsers share cookies among the ports of a host; two Slotstreams on one must not log each other out. */
function cookieName(context: Asking): string {
  const { port } = new URL(context.req.url);
  return port === '' ? 'slotstream_session' : `slotstream_session_${port}`;
}

/** A page of another port on the same host counts as the same site, so the cookie's own rule is not enough. */
function isSameOrigin(context: Asking): boolean {
  const site = context.req.header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = context.req.header('origin') ?? '';
  // The host alone: behind a proxy that ends TLS we do not know our own scheme.
  return URL.canParse(origin) && new URL(origin).host === new URL(context.req.url).host;
}

/** Of a proxy's word only this is believed, because it can only make the cookie stricter. */
function isHttps(context: Asking): boolean {
  return new URL(context.req.url).protocol === 'https:' || context.req.header('x-forwarded-proto') === 'https';
}

/** As the socket has it: what a request says about its origin can be made up. */
const addressOf = ({ env }: Asking): string => env?.incoming?.socket.remoteAddress ?? '';

/** Digests are of one length, so the comparison tells nothing about the token's. */
function sameAs(wanted: string): (text: string) => boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const right = digest(wanted);
  return (text) => timingSafeEqual(digest(text), right);
}

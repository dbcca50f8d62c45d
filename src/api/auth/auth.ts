// Authentication of the admin listener, by the admin token, the read-only token, or a session of either. The checks, in this order:
// bearer token ─▶ login link (`?token=`, becomes a session) ─▶ session cookie (not for requests of another site's page) ─▶ 401
// A caller with the read-only token may read everything and change nothing: every method but GET and HEAD is answered 403.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { SlotstreamError } from '#src/base/errors.ts';
import { acceptsHtml } from '#src/http/request.ts';
import { throttled, type Log } from '#src/observability/log.ts';
import type { Metrics } from '#src/observability/metrics/registry.ts';
import { createLoginThrottle } from './login-throttle.ts';
import { loginPage, loginPolicy } from './login-page.ts';
import { createSessions, sessionSeconds, type Sessions } from './session.ts';
import { minTokenLength } from '#src/api/running-instance.ts';

export type RejectionCause = 'unauthenticated' | 'wrong' | 'too_many' | 'cross_site' | 'read_only';

export interface AuthNeeds {
  readonly token: string;
  /** The token for callers that may only read. */
  readonly readToken?: string | undefined;
  clock(): number;
  /** How long the answer to a wrong token is delayed, once there were too many. */
  readonly delayMs?: number;
  /** Is called for every request that is rejected. */
  refused(cause: RejectionCause, request: Pick<Request, 'method'> & { readonly path: string }): void;
  /** Is called for every session that begins. */
  loggedIn(): void;
}

export type AdminEnv = { Bindings: Partial<HttpBindings> };
type AdminContext = Context<AdminEnv>;
type Verdict = 'absent' | 'wrong' | 'cross_site' | { readonly by: 'request' | 'login'; readonly caller: Caller };

export function createAuth({ token, readToken, clock, ...needs }: AuthNeeds): MiddlewareHandler<AdminEnv> {
  const { loggedIn, ...timing } = needs;
  // The configuration compares the two settings; the admin token may also come from its file.
  if (readToken === token)
    throw new SlotstreamError('config', 'ADMIN_READ_TOKEN is the admin token, which can change everything.', {
      hint: 'Set ADMIN_READ_TOKEN to a token of its own: openssl rand -hex 24',
    });
  const callers = [
    callerWith(token, { clock, isReadOnly: false }),
    ...(readToken === undefined ? [] : [callerWith(readToken, { clock, isReadOnly: true })]),
  ];
  const throttle = createLoginThrottle({ clock, ...timing });
  const refused = (cause: RejectionCause, { req }: AdminContext): void => needs.refused(cause, req);

  function tooMany(context: AdminContext, seconds: number): Response {
    refused('too_many', context);
    return context.json({ title: 'Too Many Requests', message: 'Too many wrong tokens. Wait.' }, 429, {
      'retry-after': String(seconds),
    });
  }

  async function reject(context: AdminContext, verdict: 'absent' | 'wrong'): Promise<Response> {
    const seconds = verdict === 'wrong' ? await throttle.failed(addressOf(context)) : undefined;
    if (seconds !== undefined) return tooMany(context, seconds);
    refused(verdict === 'wrong' ? 'wrong' : 'unauthenticated', context);
    return unauthenticated(context);
  }

  return async (context, next) => {
    // A session is not blocked: the network of an attacker may be that of a person who has logged in.
    const blockedFor = hasToken(context) ? throttle.blocked(addressOf(context)) : undefined;
    if (blockedFor !== undefined) return tooMany(context, blockedFor);
    const verdict = authenticate(callers, context);
    if (verdict === 'absent' || verdict === 'wrong') return reject(context, verdict);
    const forbid = (cause: 'cross_site' | 'read_only', message: string): Response => {
      refused(cause, context);
      return context.json({ title: 'Forbidden', message }, 403);
    };
    if (verdict === 'cross_site') return forbid(verdict, 'A page of another site sent this request.');
    const { by, caller } = verdict;
    if (caller.isReadOnly && !isReading(context))
      return forbid('read_only', 'This token can only read (ADMIN_READ_TOKEN). A change needs the admin token.');
    if (by === 'request') return next();
    loggedIn();
    return logIn(context, caller.sessions);
  };
}

/** Someone who has a token, or a session that began with it. */
interface Caller {
  readonly isReadOnly: boolean;
  isToken(text: string): boolean;
  isBearer(text: string): boolean;
  readonly sessions: Sessions;
}

function callerWith(
  token: string,
  { clock, isReadOnly }: Pick<AuthNeeds, 'clock'> & Pick<Caller, 'isReadOnly'>,
): Caller {
  if (token.length < minTokenLength) throw new Error(`The admin token has fewer than ${minTokenLength} characters.`);
  const sessions = createSessions(token, { clock });
  return { isReadOnly, isToken: equalTo(token), isBearer: equalTo(`Bearer ${token}`), sessions };
}

/** A list of what is allowed, so that no new method of a route can be forgotten. No GET changes anything. */
const isReading = ({ req: { method } }: AdminContext): boolean => method === 'GET' || method === 'HEAD';

const hasToken = ({ req }: AdminContext): boolean =>
  req.header('authorization') !== undefined || req.query('token') !== undefined;

function authenticate(callers: readonly Caller[], context: AdminContext): Verdict {
  const header = context.req.header('authorization');
  if (header !== undefined) return verdictFor(callers, { by: 'request', isTheirs: ({ isBearer }) => isBearer(header) });
  const given = isReading(context) ? context.req.query('token') : undefined;
  if (given !== undefined) return verdictFor(callers, { by: 'login', isTheirs: ({ isToken }) => isToken(given) });
  const cookie = getCookie(context, cookieName(context));
  if (cookie === undefined) return 'absent';
  const states = callers.map(({ sessions }) => sessions.stateOf(cookie));
  const caller = callers[states.indexOf('valid')];
  if (caller === undefined) return states.includes('expired') ? 'absent' : 'wrong';
  return isReading(context) || isSameOrigin(context) ? { by: 'request', caller } : 'cross_site';
}

interface Proof {
  readonly by: 'request' | 'login';
  isTheirs(caller: Caller): boolean;
}

function verdictFor(callers: readonly Caller[], { by, isTheirs }: Proof): Verdict {
  const caller = callers.find(isTheirs);
  return caller === undefined ? 'wrong' : { by, caller };
}

/** Redirects, so the token leaves the address bar at once and only the session stays in the browser. */
function logIn(context: AdminContext, sessions: Sessions): Response {
  const url = new URL(context.req.url);
  url.searchParams.delete('token');
  setCookie(context, cookieName(context), sessions.open(), {
    path: '/',
    httpOnly: true,
    sameSite: 'Strict',
    maxAge: sessionSeconds,
    secure: isHttps(context),
  });
  // `//elsewhere.example` would redirect to another host.
  return context.redirect(`/${url.pathname.replace(/^\/+/, '')}${url.search}`, 303);
}

function unauthenticated(context: AdminContext): Response {
  const headers = { 'www-authenticate': 'Bearer', vary: 'Accept' };
  if (acceptsHtml(context.req.header('accept')))
    return context.html(loginPage, 401, { ...headers, 'content-security-policy': loginPolicy });
  const message = 'Send the admin token as a bearer token.';
  return context.json({ title: 'Unauthenticated', message }, 401, headers);
}

/** Browsers share cookies among the ports of a host; two processes on one host must not log each other out. */
function cookieName(context: AdminContext): string {
  const { port } = new URL(context.req.url);
  return port === '' ? 'slotstream_session' : `slotstream_session_${port}`;
}

/** For the cookie's SameSite rule, a page on another port of the host is the same site, so the rule is not enough. */
function isSameOrigin(context: AdminContext): boolean {
  const site = context.req.header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = context.req.header('origin') ?? '';
  // Only the host: behind a proxy that terminates TLS, the process does not have its own scheme.
  return URL.canParse(origin) && new URL(origin).host === new URL(context.req.url).host;
}

/** The one header of a proxy that is trusted, because it can only make the cookie stricter. */
function isHttps(context: AdminContext): boolean {
  return new URL(context.req.url).protocol === 'https:' || context.req.header('x-forwarded-proto') === 'https';
}

/** The address of the socket; a header can be forged. */
const addressOf = ({ env }: AdminContext): string => env?.incoming?.socket.remoteAddress ?? '';

/** Compares digests, which have one length, so the duration does not reveal the length of the token. */
function equalTo(expected: string): (text: string) => boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expectedDigest = digest(expected);
  return (text) => timingSafeEqual(digest(text), expectedDigest);
}

/** One log line per minute, however many tokens an attacker guesses. */
const logIntervalMs = 60_000;

/** `/api/deliveries` of `/api/deliveries/7/replay`: the rest is what the caller likes, and may be about a person. */
const startOf = (path: string): string => /^(?:\/[a-z_]{1,30}(?=\/|$)){0,2}/.exec(path)?.[0] ?? '';

/** Writes rejected requests and new sessions to the log and the metrics. */
export function createAccessLog(
  log: Log,
  metrics: Pick<Metrics, 'adminRefused'>,
): Pick<AuthNeeds, 'refused' | 'loggedIn'> {
  const write = throttled(log, logIntervalMs);
  return {
    refused(cause, { method, path }) {
      metrics.adminRefused(cause);
      // Its caller has a token, so these are not guesses: each one is logged.
      if (cause === 'read_only')
        log.warn({ method, path: startOf(path) }, 'a change with the read-only token was refused');
      else if (cause !== 'unauthenticated') write('warn', 'the admin listener rejected a request', { cause });
    },
    loggedIn: () => log.info('a browser logged in to the admin listener'),
  };
}

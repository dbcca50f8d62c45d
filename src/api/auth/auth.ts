// Authentication of the admin listener, by the admin token, the read-only token, or a session of either. The checks, in this order:
// bearer token ─▶ a known host (421) ─▶ login form or link (`?login=`; goes on under a name of our own, and becomes a session)
// ─▶ session cookie (not for requests of another site's page) ─▶ 401
// A caller with the read-only token may read everything and change nothing: every method but GET and HEAD is answered 403.
// Forms need no token of their own against forged requests: what a page of another origin sends with a session is refused here.
import type { MiddlewareHandler } from 'hono';
import { slotstream } from '#src/base/command.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { acceptsHtml } from '#src/http/request.ts';
import {
  addressOf,
  endSession,
  isFromElsewhere,
  isFromPage,
  isKnownHost,
  isNavigation,
  isSameOrigin,
  localAddress,
  mayRead,
  ownAddress,
  requestedAddress,
  sessionIn,
  setSession,
  type AdminContext,
  type AdminEnv,
  type Caller,
} from './browser.ts';
import { loginLink, type LoginCodes } from './login-codes.ts';
import { createLoginThrottle } from './login-throttle.ts';
import { continueAt, loginHeaders, loginPage, type LoginPage } from './login-page.ts';
import type { SessionRecord } from './session.ts';
import { equalToBearer, holderOf, type TokenHolder } from './token-holder.ts';

export type RejectionCause = 'unauthenticated' | 'wrong' | 'too_many' | 'cross_site' | 'unknown_host' | 'read_only';

export type RefusedRequest = Pick<Request, 'method'> & { readonly path: string };

export interface AuthNeeds {
  readonly token: string;
  readonly readToken?: string | undefined;
  /** The token that opens `/metrics` and nothing else. */
  readonly metricsToken?: string | undefined;
  readonly loginCodes: LoginCodes;
  /** Names of this listener besides those of this machine and its addresses. */
  readonly hostNames: readonly string[];
  /** A secret name on this machine that no other server has; absent where the listener is not on this machine. */
  readonly ownName?: string | undefined;
  /** The command that prints a login link, for the login page. */
  readonly loginCommand?: string | undefined;
  clock(): number;
  /** How long the answer to a wrong token is delayed, once there were too many. */
  readonly delayMs?: number;
  refused(cause: RejectionCause, request: RefusedRequest & Pick<Caller, 'address'>): void;
  /** Records a change that is refused to a caller that can only read; never fails. */
  record(caller: Caller, request: RefusedRequest): Promise<void>;
  loggedIn(from: Pick<Caller, 'address'>): void;
  /** Receives why a session could not be ended in other processes. */
  report(error: unknown): void;
  /** Which sessions are open still. */
  readonly sessions: SessionRecord;
}

type Verdict = 'absent' | 'wrong' | 'cross_site' | { readonly by: 'token' | 'session'; readonly holder: TokenHolder };

export function createAuth({ token, readToken, clock, ...needs }: AuthNeeds): MiddlewareHandler<AdminEnv> {
  const { loggedIn, loginCodes, loginCommand: command = `${slotstream} status --login`, ...timing } = needs;
  // The configuration compares the two settings; the admin token may also come from its file.
  if (readToken === token)
    throw new SlotstreamError('config', 'ADMIN_READ_TOKEN is the admin token, which can change everything.', {
      hint: 'Set ADMIN_READ_TOKEN to a token of its own: openssl rand -hex 24',
    });
  if (needs.metricsToken === token)
    throw new SlotstreamError('config', 'METRICS_TOKEN is the admin token, which can change everything.', {
      hint: 'Set METRICS_TOKEN to a token of its own: openssl rand -hex 24',
    });
  const holders = [
    holderOf(token, { clock, isReadOnly: false }),
    ...(readToken === undefined ? [] : [holderOf(readToken, { clock, isReadOnly: true })]),
  ];
  const isMetricsBearer = needs.metricsToken === undefined ? () => false : equalToBearer(needs.metricsToken);
  const throttle = createLoginThrottle({ clock, ...timing });
  const refused = (cause: RejectionCause, context: AdminContext): void =>
    needs.refused(cause, { method: context.req.method, path: context.req.path, address: addressOf(context) });

  const page = (context: AdminContext, status: 401 | 429, { headers, ...given }: PageAnswer) =>
    context.html(loginPage({ next: requestedAddress(context), command, ...given }), status, {
      ...headers,
      ...loginHeaders,
    });

  function tooMany(context: AdminContext, seconds: number): Response | Promise<Response> {
    refused('too_many', context);
    const headers = { 'retry-after': String(seconds) };
    if (acceptsHtml(context.req.header('accept')))
      return page(context, 429, { problem: `Too many wrong tokens. Try again in ${seconds} seconds.`, headers });
    return context.json({ title: 'Too Many Requests', message: 'Too many wrong tokens. Wait.' }, 429, headers);
  }

  async function reject(
    context: AdminContext,
    verdict: 'absent' | 'wrong',
    given: Partial<LoginPage> = {},
  ): Promise<Response> {
    const seconds = verdict === 'wrong' ? await throttle.failed(addressOf(context)) : undefined;
    if (seconds !== undefined) return tooMany(context, seconds);
    refused(verdict === 'wrong' ? 'wrong' : 'unauthenticated', context);
    const headers = { 'www-authenticate': 'Bearer', vary: 'Accept' };
    if (acceptsHtml(context.req.header('accept'))) return page(context, 401, { ...given, headers });
    const message = 'Send the admin token as a bearer token.';
    return context.json({ title: 'Unauthenticated', message }, 401, headers);
  }

  function forbid(context: AdminContext, cause: 'cross_site' | 'read_only'): Response {
    refused(cause, context);
    return context.json({ title: 'Forbidden', message: forbidden[cause] }, 403);
  }

  function misdirected(context: AdminContext): Response {
    refused('unknown_host', context);
    return context.json({ title: 'Misdirected Request', message: unknownHost }, 421);
  }

  function logIn(context: AdminContext, { sessions }: TokenHolder, next: string): Response {
    loggedIn({ address: addressOf(context) });
    const cookie = sessions.open();
    needs.sessions.begun(cookie);
    setSession(context, cookie);
    return isFromElsewhere(context) ? continueAt(context, next) : context.redirect(next, 303);
  }

  async function logInByForm(context: AdminContext): Promise<Response> {
    if (!isSameOrigin(context)) return forbid(context, 'cross_site');
    const form = new URLSearchParams(await context.req.text());
    const next = localAddress(form.get('next') ?? '', context.req.url);
    const token = (form.get('token') ?? '').trim();
    const holder = holders.find(({ isToken }) => isToken(token));
    if (holder !== undefined) {
      const code = loginCodes.make(holder);
      const own = ownAddress(context, { ownName: needs.ownName, path: next, code });
      return own === undefined ? logIn(context, holder, next) : continueAt(context, own);
    }
    return reject(context, 'wrong', { next, problem: 'This is neither the admin token nor the read-only token.' });
  }

  async function logInByCode(context: AdminContext, code: string): Promise<Response> {
    // A page could send many in the name of its visitor.
    if (isFromPage(context) && !isNavigation(context)) return forbid(context, 'cross_site');
    const next = requestedAddress(context);
    const own = loginCodes.isValid(code)
      ? ownAddress(context, { ownName: needs.ownName, path: next, code })
      : undefined;
    if (own !== undefined) return context.redirect(own);
    const used = loginCodes.use(code);
    const holder = used && holders.find(({ isReadOnly }) => isReadOnly === used.isReadOnly);
    if (holder !== undefined) return logIn(context, holder, next);
    // The same browser opens the link again.
    if (typeof (await sessionOf(context)) === 'object') return context.redirect(next, 303);
    return reject(context, 'wrong', {
      problem: 'This link is not valid any more. A new one is valid for a minute, once.',
    });
  }

  async function logOut(context: AdminContext): Promise<Response> {
    const answer = endSession(context);
    try {
      await needs.sessions.end(sessionIn(context) ?? '');
      return answer;
    } catch (error) {
      needs.report(error);
      const headers = { 'set-cookie': answer.headers.get('set-cookie') ?? '' };
      return context.json({ title: 'Service Unavailable', message: notEndedEverywhere }, 503, headers);
    }
  }

  async function authenticate(context: AdminContext): Promise<Verdict> {
    const header = context.req.header('authorization');
    if (header === undefined) return sessionOf(context);
    const holder = holders.find(({ isBearer }) => isBearer(header));
    return holder === undefined ? 'wrong' : { by: 'token', holder };
  }

  async function sessionOf(context: AdminContext): Promise<Verdict> {
    const cookie = sessionIn(context);
    if (cookie === undefined) return 'absent';
    const states = holders.map(({ sessions }) => sessions.stateOf(cookie));
    const holder = holders[states.indexOf('valid')];
    if (holder === undefined) return states.includes('expired') ? 'absent' : 'wrong';
    if (!(await needs.sessions.isOpen(cookie))) return 'absent';
    return (isReading(context) ? mayRead(context) : isSameOrigin(context)) ? { by: 'session', holder } : 'cross_site';
  }

  return async (context, next) => {
    const { req } = context;
    const code = req.method === 'GET' ? req.query('login') : undefined;
    // A request with a bearer token is judged by that, whatever else it holds.
    if (req.header('authorization') === undefined) {
      if (!isKnownHost(context, needs.hostNames)) return misdirected(context);
      if (isPostTo(context, '/login')) return logInByForm(context);
      if (code !== undefined) return logInByCode(context, code);
    }
    if (req.path === '/metrics' && isReading(context) && isMetricsBearer(req.header('authorization') ?? '')) {
      context.set('caller', { who: 'metrics token', address: addressOf(context) });
      return next();
    }
    const verdict = await authenticate(context);
    if (verdict === 'absent' || verdict === 'wrong') return reject(context, verdict);
    if (verdict === 'cross_site') return forbid(context, verdict);
    const { by, holder } = verdict;
    if (by === 'session' && isPostTo(context, '/logout')) return logOut(context);
    const { isReadOnly } = holder;
    context.set('readOnly', isReadOnly);
    const who = `${isReadOnly ? 'read-only' : 'admin'} ${by === 'session' ? by : 'token'}` as const;
    const caller: Caller = { who, address: addressOf(context) };
    context.set('caller', caller);
    if (isReadOnly && !isReading(context)) {
      await needs.record(caller, context.req);
      return forbid(context, 'read_only');
    }
    if (by === 'token' && isPostTo(context, '/login'))
      return context.json({ login_url: loginLink(new URL(req.url).origin, loginCodes.make()) }, 201);
    return next();
  };
}

export const unknownHost =
  'This host name is not known here. Set ADMIN_URL to the URL under which people open this listener.';

const notEndedEverywhere =
  'You are logged out of this process. The database did not answer, so a copy of the cookie may stay valid in other processes, and after a restart, until its twelve hours have passed.';

const forbidden = {
  cross_site: 'A page of another site sent this request.',
  read_only: 'This token can only read (ADMIN_READ_TOKEN). A change needs the admin token.',
} as const;

/** A list of what is allowed, so that no new method of a route can be forgotten. No GET changes anything. */
const isReading = ({ req: { method } }: AdminContext): boolean => method === 'GET' || method === 'HEAD';

const isPostTo = ({ req }: AdminContext, path: string): boolean => req.method === 'POST' && req.path === path;

interface PageAnswer extends Partial<LoginPage> {
  readonly headers: Readonly<Record<string, string>>;
}

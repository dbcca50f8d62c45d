// Authentication of the admin listener, by the admin token, the read-only token, or a session of either. The checks, in this order:
// bearer token ─▶ login form or link (`?token=`; becomes a session) ─▶ session cookie (not for requests of another site's page) ─▶ 401
// A caller with the read-only token may read everything and change nothing: every method but GET and HEAD is answered 403.
// Forms need no token of their own against forged requests: what a page of another origin sends with a session is refused here.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { SlotstreamError } from '#src/base/errors.ts';
import { acceptsHtml } from '#src/http/request.ts';
import {
  addressOf,
  endSession,
  isSameOrigin,
  localAddress,
  requestedAddress,
  sessionIn,
  setSession,
  type AdminContext,
  type AdminEnv,
  type Caller,
} from './browser.ts';
import { createLoginThrottle } from './login-throttle.ts';
import { loginHeaders, loginPage, type LoginPage } from './login-page.ts';
import { createSessions, type Sessions } from './session.ts';
import { minTokenLength } from '#src/api/running-instance.ts';

export type RejectionCause = 'unauthenticated' | 'wrong' | 'too_many' | 'cross_site' | 'read_only';

export type RefusedRequest = Pick<Request, 'method'> & { readonly path: string };

export interface AuthNeeds {
  readonly token: string;
  /** The token for callers that may only read. */
  readonly readToken?: string | undefined;
  clock(): number;
  /** How long the answer to a wrong token is delayed, once there were too many. */
  readonly delayMs?: number;
  /** Is called for every request that is rejected. */
  refused(cause: RejectionCause, request: RefusedRequest): void;
  /** Records a change that is refused to a caller that can only read; never fails. */
  record(caller: Caller, request: RefusedRequest): Promise<void>;
  /** Is called for every session that begins. */
  loggedIn(): void;
}

type Way = 'token' | 'login' | 'session';
type Verdict = 'absent' | 'wrong' | 'cross_site' | { readonly by: Way; readonly holder: TokenHolder };

export function createAuth({ token, readToken, clock, ...needs }: AuthNeeds): MiddlewareHandler<AdminEnv> {
  const { loggedIn, ...timing } = needs;
  // The configuration compares the two settings; the admin token may also come from its file.
  if (readToken === token)
    throw new SlotstreamError('config', 'ADMIN_READ_TOKEN is the admin token, which can change everything.', {
      hint: 'Set ADMIN_READ_TOKEN to a token of its own: openssl rand -hex 24',
    });
  const holders = [
    holderOf(token, { clock, isReadOnly: false }),
    ...(readToken === undefined ? [] : [holderOf(readToken, { clock, isReadOnly: true })]),
  ];
  const throttle = createLoginThrottle({ clock, ...timing });
  const refused = (cause: RejectionCause, { req }: AdminContext): void => needs.refused(cause, req);

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
    return unauthenticated(context, given);
  }

  function forbid(context: AdminContext, cause: 'cross_site' | 'read_only'): Response {
    refused(cause, context);
    return context.json({ title: 'Forbidden', message: forbidden[cause] }, 403);
  }

  function logIn(context: AdminContext, { sessions }: TokenHolder, next: string): Response {
    loggedIn();
    setSession(context, sessions.open());
    // The token leaves the address bar at once: only the session stays in the browser.
    return context.redirect(next, 303);
  }

  async function logInByForm(context: AdminContext): Promise<Response> {
    if (!isSameOrigin(context)) return forbid(context, 'cross_site');
    const form = new URLSearchParams(await context.req.text());
    const next = localAddress(form.get('next') ?? '', context.req.url);
    const token = tokenIn(form.get('token') ?? '');
    const holder = holders.find(({ isToken }) => isToken(token));
    if (holder !== undefined) return logIn(context, holder, next);
    return reject(context, 'wrong', { next, problem: 'This is neither the admin token nor the read-only token.' });
  }

  return async (context, next) => {
    if (isFormLogin(context)) return logInByForm(context);
    const verdict = authenticate(holders, context);
    if (verdict === 'absent' || verdict === 'wrong') return reject(context, verdict);
    if (verdict === 'cross_site') return forbid(context, verdict);
    const { by, holder } = verdict;
    if (by === 'session' && isPostTo(context, '/logout')) return endSession(context);
    const { isReadOnly } = holder;
    context.set('readOnly', isReadOnly);
    const who = `${isReadOnly ? 'read-only' : 'admin'} ${by === 'session' ? by : 'token'}` as const;
    const caller: Caller = { who, address: addressOf(context) };
    context.set('caller', caller);
    if (isReadOnly && !isReading(context)) {
      await needs.record(caller, context.req);
      return forbid(context, 'read_only');
    }
    return by === 'login' ? logIn(context, holder, requestedAddress(context)) : next();
  };
}

const forbidden = {
  cross_site: 'A page of another site sent this request.',
  read_only: 'This token can only read (ADMIN_READ_TOKEN). A change needs the admin token.',
} as const;

/** Someone who has a token, or a session that began with it. */
interface TokenHolder {
  readonly isReadOnly: boolean;
  isToken(text: string): boolean;
  isBearer(text: string): boolean;
  readonly sessions: Sessions;
}

function holderOf(
  token: string,
  { clock, isReadOnly }: Pick<AuthNeeds, 'clock'> & Pick<TokenHolder, 'isReadOnly'>,
): TokenHolder {
  if (token.length < minTokenLength) throw new Error(`The admin token has fewer than ${minTokenLength} characters.`);
  const sessions = createSessions(token, { clock });
  return { isReadOnly, isToken: equalTo(token), isBearer: equalTo(`Bearer ${token}`), sessions };
}

/** A list of what is allowed, so that no new method of a route can be forgotten. No GET changes anything. */
const isReading = ({ req: { method } }: AdminContext): boolean => method === 'GET' || method === 'HEAD';

const isPostTo = ({ req }: AdminContext, path: string): boolean => req.method === 'POST' && req.path === path;

/** A request with a bearer token is judged by that, whatever else it holds. */
const isFormLogin = (context: AdminContext): boolean =>
  isPostTo(context, '/login') && context.req.header('authorization') === undefined;

/** Of the whole login link, where a person pasted that. */
function tokenIn(pasted: string): string {
  const text = pasted.trim();
  return (URL.canParse(text) ? new URL(text).searchParams.get('token') : null) ?? text;
}

function authenticate(holders: readonly TokenHolder[], context: AdminContext): Verdict {
  const header = context.req.header('authorization');
  if (header !== undefined) return verdictFor(holders, { by: 'token', isTheirs: ({ isBearer }) => isBearer(header) });
  const given = isReading(context) ? context.req.query('token') : undefined;
  if (given !== undefined) return verdictFor(holders, { by: 'login', isTheirs: ({ isToken }) => isToken(given) });
  const cookie = sessionIn(context);
  if (cookie === undefined) return 'absent';
  const states = holders.map(({ sessions }) => sessions.stateOf(cookie));
  const holder = holders[states.indexOf('valid')];
  if (holder === undefined) return states.includes('expired') ? 'absent' : 'wrong';
  return isReading(context) || isSameOrigin(context) ? { by: 'session', holder } : 'cross_site';
}

interface Proof {
  readonly by: Way;
  isTheirs(holder: TokenHolder): boolean;
}

function verdictFor(holders: readonly TokenHolder[], { by, isTheirs }: Proof): Verdict {
  const holder = holders.find(isTheirs);
  return holder === undefined ? 'wrong' : { by, holder };
}

function unauthenticated(context: AdminContext, given: Partial<LoginPage>): Response | Promise<Response> {
  const headers = { 'www-authenticate': 'Bearer', vary: 'Accept' };
  if (acceptsHtml(context.req.header('accept'))) return page(context, 401, { ...given, headers });
  const message = 'Send the admin token as a bearer token.';
  return context.json({ title: 'Unauthenticated', message }, 401, headers);
}

interface PageAnswer extends Partial<LoginPage> {
  readonly headers: Readonly<Record<string, string>>;
}

function page(context: AdminContext, status: 401 | 429, { headers, ...given }: PageAnswer) {
  return context.html(loginPage({ next: requestedAddress(context), ...given }), status, {
    ...headers,
    ...loginHeaders,
  });
}

/** Compares digests, which have one length, so the duration does not reveal the length of the token. */
export function equalTo(expected: string): (text: string) => boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expectedDigest = digest(expected);
  return (text) => timingSafeEqual(digest(text), expectedDigest);
}

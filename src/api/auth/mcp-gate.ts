// Who may use /mcp: callers with its own token, which opens nothing else. The checks, in this order:
// MCP_TOKEN is set (404) ─▶ a known host name (421), no page of another site (403) ─▶ token (401; 429 after many wrong ones) ─▶ rate (429)
// A web page can lead its own name to this machine (DNS rebinding); a request under a name that is not ours is refused for that reason.
import { SlotstreamError } from '#src/base/errors.ts';
import { minuteMs } from '#src/base/time.ts';
import { minTokenLength } from '#src/api/running-instance.ts';
import { unknownHost, type AuthNeeds, type RejectionCause } from './auth.ts';
import { addressOf, isKnownHost, isSameOrigin, type AdminContext } from './browser.ts';
import { equalToBearer } from './token-holder.ts';
import { createLoginThrottle } from './login-throttle.ts';

export interface McpGateNeeds extends Pick<
  AuthNeeds,
  'token' | 'readToken' | 'hostNames' | 'clock' | 'delayMs' | 'refused'
> {
  readonly mcpToken: string | undefined;
}

/** Of all kinds; calls of tools have a limit of their own. */
const requestsPerMinute = 600;

/** Returns how a request is refused; undefined for one that may pass. */
export function createMcpGate({ mcpToken, hostNames, token, readToken, refused, ...timing }: McpGateNeeds) {
  if (mcpToken !== undefined && (mcpToken === token || mcpToken === readToken))
    throw new SlotstreamError('config', 'MCP_TOKEN is a token of the admin listener, which opens more than MCP.', {
      hint: 'Set MCP_TOKEN to a token of its own: openssl rand -hex 24',
    });
  if (mcpToken !== undefined && mcpToken.length < minTokenLength)
    throw new Error(`MCP_TOKEN has fewer than ${minTokenLength} characters.`);
  const isBearer = equalToBearer(mcpToken ?? '');
  const throttle = createLoginThrottle(timing);
  const rate = createRate(requestsPerMinute, timing.clock);

  return async (context: AdminContext): Promise<Response | undefined> => {
    const { req } = context;
    const refuse = (
      cause: RejectionCause,
      status: 401 | 403 | 421 | 429,
      {
        title,
        message,
        ...headers
      }: { readonly title: string; readonly message: string; readonly [name: string]: string },
    ): Response => {
      refused(cause, { method: req.method, path: req.path, address: addressOf(context) });
      return context.json({ title, message }, status, headers);
    };
    const wait = (seconds: number, message: string): Response =>
      refuse('too_many', 429, { title: 'Too Many Requests', message, 'retry-after': String(seconds) });
    if (mcpToken === undefined)
      return context.json({ title: 'Not Found', message: 'MCP is off. Set MCP_TOKEN to turn it on.' }, 404);
    if (!isKnownHost(context, hostNames))
      return refuse('unknown_host', 421, { title: 'Misdirected Request', message: unknownHost });
    const isFromPage = (req.header('origin') ?? req.header('sec-fetch-site')) !== undefined;
    if (isFromPage && !isSameOrigin(context))
      return refuse('cross_site', 403, { title: 'Forbidden', message: 'A page of another site sent this request.' });
    const given = req.header('authorization');
    if (given === undefined || !isBearer(given)) {
      const seconds = given === undefined ? undefined : await throttle.failed(addressOf(context));
      if (seconds !== undefined) return wait(seconds, 'Too many wrong tokens. Wait.');
      return refuse(given === undefined ? 'unauthenticated' : 'wrong', 401, {
        title: 'Unauthenticated',
        message: 'Send MCP_TOKEN as a bearer token. The tokens of the admin listener do not open MCP.',
        'www-authenticate': 'Bearer',
      });
    }
    const seconds = rate();
    return seconds === undefined ? undefined : wait(seconds, `More than ${requestsPerMinute} requests a minute. Wait.`);
  };
}

/** Counts by the minute; the seconds to wait where there were too many. */
export function createRate(perMinute: number, clock: () => number): () => number | undefined {
  let window = { sinceMs: -Infinity, count: 0 };
  return () => {
    if (clock() - window.sinceMs >= minuteMs) window = { sinceMs: clock(), count: 0 };
    window.count += 1;
    return window.count > perMinute ? Math.max(1, Math.ceil((window.sinceMs + minuteMs - clock()) / 1000)) : undefined;
  };
}

// The authorization server: its published metadata and its token endpoint. The protocol is oauth4webapi's; limits, retries and errors
// are ours. Errors of the library quote what the server sent, tokens included, so none of them leaves this file.
import * as oauth from 'oauth4webapi';
import { authorizationServerMetadata, metadataPath } from '#schemas/oauth.ts';
import { slotstream } from '#src/base/command.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { isLoopback } from '#src/base/loopback.ts';
import { httpRetryDelayMs, requestedDelayMs } from '#src/base/retry-after.ts';
import { userAgent } from '#src/base/user-agent.ts';
import { safeText } from '#src/observability/redact.ts';
import { sendOnce, throwIfAborted, type AttemptResponse, type SendNeeds } from '#src/upstream/send-once.ts';

export interface OAuthApplication {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly authUrl: string;
}

export interface OAuthNeeds extends SendNeeds {
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

export type Tokens = oauth.TokenEndpointResponse;
export type AuthorizationServer = Awaited<ReturnType<typeof discover>>;

export async function discover(needs: OAuthNeeds, application: OAuthApplication, signal?: AbortSignal) {
  const metadata = await readMetadata(needs, application.authUrl, signal);
  const client = { client_id: application.clientId };
  const known = [metadata, client, authenticationOf(metadata, application.clientSecret)] as const;
  return {
    metadata,
    /** Exchanges the code that a validated redirect brought. */
    async exchange(redirect: URLSearchParams, sent: { readonly redirectUri: string; readonly verifier: string }) {
      const options = optionsFor(needs, { what: 'tokens', signal });
      const { redirectUri, verifier } = sent;
      const response = await oauth.authorizationCodeGrantRequest(...known, redirect, redirectUri, verifier, options);
      return tokensIn(response, oauth.processAuthorizationCodeResponse(metadata, client, response));
    },
    /** Undefined when the server does not accept the refresh token any more. */
    async refresh(refreshToken: string, stop: AbortSignal | undefined) {
      // A refresh token that was sent is used up: without the response the user would have to log in again, so it is not aborted.
      const options = optionsFor(needs, { what: 'tokens', signal: stop, mustFinish: true });
      const response = await oauth.refreshTokenGrantRequest(...known, refreshToken, options);
      const reading = tokensIn(response, oauth.processRefreshTokenResponse(metadata, client, response));
      return reading.catch((error: unknown) => {
        if (error instanceof OAuthError && error.reason === 'invalid_grant') return undefined;
        throw error;
      });
    },
  };
}

/** The metadata comes over TLS from the configured address, so it may name endpoints of another origin (A25). */
async function readMetadata(needs: OAuthNeeds, authUrl: string, signal: AbortSignal | undefined) {
  if (!isSecure(authUrl)) throw wrongServer('AUTH_URL is neither an https address nor one of this machine.');
  const options = optionsFor(needs, { what: 'its metadata', signal });
  const specified = authUrl + metadataPath;
  const response = await oauth.discoveryRequest(new URL(authUrl), {
    ...options,
    algorithm: 'oauth2',
    // The specification puts a path of AUTH_URL before `/.well-known`, RFC 8414 puts it behind.
    async [oauth.customFetch](standard, init) {
      const first = await options[oauth.customFetch](specified, init);
      return first.status === 200 || standard === specified ? first : options[oauth.customFetch](standard, init);
    },
  });
  const read = authorizationServerMetadata.safeParse(JSON.parse((await response.clone().text()) || 'null'));
  if (response.status !== 200 || !read.success)
    throw wrongServer(`AUTH_URL does not publish the metadata of an authorization server (${response.status}).`);
  const { issuer, authorization_endpoint, token_endpoint } = read.data;
  if (withoutSlash(issuer) !== withoutSlash(authUrl))
    throw wrongServer(`The authorization server at AUTH_URL names another issuer: ${safeText(issuer)}`);
  if (!isSecure(authorization_endpoint) || !isSecure(token_endpoint))
    throw wrongServer('The authorization server at AUTH_URL names an endpoint that is not an https address.');
  return oauth.processDiscoveryResponse(new URL(issuer), response);
}

function isSecure(address: string): boolean {
  const url = new URL(address);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

const withoutSlash = (address: string): string => new URL(address).href.replace(/\/+$/, '');

export const wrongServer = (message: string): SlotstreamError =>
  new SlotstreamError('refused', message, { hint: 'Set AUTH_URL to the authorization server of the service.' });

/** RFC 8414: a server that names no methods supports `client_secret_basic`. */
function authenticationOf(
  { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] }: oauth.AuthorizationServer,
  secret: string,
): oauth.ClientAuth {
  if (!methods.includes('client_secret_basic') && methods.includes('client_secret_post'))
    return oauth.ClientSecretPost(secret);
  // The library's Basic also encodes `-`, `_` and `.`, which random identifiers contain; servers that decode nothing would reject it.
  return (_server, { client_id: id }, _body, headers) =>
    headers.set('authorization', `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`);
}

async function tokensIn({ status }: Response, reading: Promise<Tokens>): Promise<Tokens> {
  try {
    return await reading;
  } catch (error) {
    if (status !== 200) throw new OAuthError(status, error);
    const hint = 'Check AUTH_URL.';
    throw new SlotstreamError('service_answer', 'The authorization server sent an invalid response.', { hint });
  }
}

class OAuthError extends SlotstreamError {
  override readonly name = 'OAuthError';
  readonly reason: string;

  constructor(status: number, error: unknown) {
    const reason = reasonOf(error);
    super('refused', `The authorization server rejected the request (${`${status} ${reason}`.trim()}).`, {
      hint:
        reason === 'invalid_client'
          ? 'Check OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET.'
          : `Log in again: ${slotstream} login`,
    });
    this.reason = reason;
  }
}

/** The error code of RFC 6749; empty when the server sent none. */
export function reasonOf(error: unknown): string {
  const isSent = error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError;
  return (isSent && /^\w{1,60}$/.exec(error.error)?.[0]) || '';
}

interface SendOptions {
  readonly what: string;
  readonly signal: AbortSignal | undefined;
  /** An attempt is not aborted once it was sent; no further attempt is made. */
  readonly mustFinish?: boolean;
}

const optionsFor = (needs: OAuthNeeds, how: SendOptions) => ({
  headers: { 'user-agent': userAgent },
  // `isSecure` was asked: the library knows no exception for this machine.
  [oauth.allowInsecureRequests]: true,
  async [oauth.customFetch](url: string, { method, headers, body }: oauth.CustomFetchOptions<string, unknown>) {
    const init = { method, headers, ...(body instanceof URLSearchParams && { body }) };
    const response = await sendWithRetries(needs, new URL(url), { ...how, init });
    // Null says the same as leaving it out. Headers stay behind: a challenge in them would hide the error in the body.
    const json = response.isJson ? JSON.stringify(response.body, (_, value: unknown) => value ?? undefined) : null;
    return new Response(json, { status: response.status, headers: { 'content-type': 'application/json' } });
  },
});

const timeouts = { responseMs: 15_000, totalMs: 30_000 } as const;
const maxAttempts = 4;

/** Retries only requests that cannot have been carried out: codes and refresh tokens work once, and a second use counts as theft. */
async function sendWithRetries(
  needs: OAuthNeeds,
  url: URL,
  { init, what, signal, mustFinish = false }: SendOptions & { readonly init: RequestInit },
): Promise<AttemptResponse> {
  for (let tries = 1; ; tries += 1) {
    throwIfAborted(signal);
    const attempt = await sendOnce(needs, { url, init, timeouts, signal: mustFinish ? undefined : signal });
    const mayRepeat = attempt.kind === 'failed' ? !attempt.wasSent : attempt.status === 429 || attempt.status === 503;
    if (attempt.kind === 'response' && !mayRepeat && attempt.status < 500) return attempt;
    if (!mayRepeat || tries === maxAttempts)
      throw new SlotstreamError(
        'service_unavailable',
        `The authorization server did not provide ${what}: ${attempt.kind === 'failed' ? attempt.reason : `it responded ${attempt.status}`}.`,
        { hint: 'Check AUTH_URL and the network, or try again later.' },
      );
    const requestedMs = attempt.kind === 'response' ? requestedDelayMs(attempt, needs.nowMs()) : undefined;
    const delayMs = httpRetryDelayMs({ failures: tries, requestedMs, random: needs.random() });
    await needs.sleep(Math.min(delayMs, 10_000), signal);
  }
}

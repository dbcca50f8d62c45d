// The authorization server: its published metadata and its token endpoint. Secrets are sent only to its configured origin.
import { slotstream } from '#src/base/command.ts';
import type { z } from 'zod';
import {
  authorizationServerMetadata,
  metadataPath,
  oauthErrorBody,
  tokenAnswer,
  type AuthorizationServerMetadata,
  type TokenAnswer,
} from '#schemas/oauth.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { safeText } from '#src/observability/redact.ts';
import { sendOnce, throwIfAborted, type AttemptResponse, type SendNeeds } from '#src/upstream/send-once.ts';
import { requestedDelayMs, httpRetryDelayMs } from '#src/base/retry-after.ts';

export interface OAuthApplication {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly authUrl: string;
}

export interface OAuthNeeds extends SendNeeds {
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

export interface AuthorizationServer {
  readonly metadata: AuthorizationServerMetadata;
  /** Exchanges a code or a refresh token for tokens. */
  exchange(grant: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<TokenAnswer>;
}

const timeouts = { responseMs: 15_000, totalMs: 30_000 } as const;

export async function discover(
  needs: OAuthNeeds,
  application: OAuthApplication,
  signal?: AbortSignal,
): Promise<AuthorizationServer> {
  const url = new URL(application.authUrl + metadataPath);
  const response = await request(needs, {
    url,
    init: { headers: { accept: 'application/json' } },
    what: 'its metadata',
    signal,
  });
  const read = authorizationServerMetadata.safeParse(response.body);
  if (response.status !== 200 || !read.success)
    throw wrongServer(`AUTH_URL does not publish the metadata of an authorization server (${response.status}).`);
  const metadata = read.data;
  checkMetadata(metadata, application);
  return { metadata, exchange: (grant, stop) => exchangeGrant(needs, { metadata, application, grant, signal: stop }) };
}

/** Rejects a server that names another issuer or a token endpoint elsewhere: it is not the configured one. */
function checkMetadata(metadata: AuthorizationServerMetadata, { authUrl }: OAuthApplication): void {
  const { issuer, token_endpoint, authorization_endpoint, code_challenge_methods_supported: methods } = metadata;
  if (issuer.replace(/\/+$/, '') !== authUrl)
    throw wrongServer('The authorization server at AUTH_URL names another issuer than that address.');
  if (new URL(token_endpoint).origin !== new URL(authUrl).origin)
    throw wrongServer('The token endpoint of the authorization server is not at AUTH_URL.');
  if (!/^https?:/.test(authorization_endpoint)) throw wrongServer('The authorization endpoint is not a web address.');
  if (methods && !methods.includes('S256'))
    throw wrongServer('The authorization server does not support PKCE with S256.');
}

const wrongServer = (message: string): SlotstreamError =>
  new SlotstreamError('refused', message, { hint: 'Set AUTH_URL to the authorization server of the service.' });

interface GrantExchange {
  readonly metadata: AuthorizationServerMetadata;
  readonly application: OAuthApplication;
  readonly grant: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
}

async function exchangeGrant(
  needs: OAuthNeeds,
  { metadata, application, grant, signal }: GrantExchange,
): Promise<TokenAnswer> {
  const { clientId, clientSecret } = application;
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const byBody = !methods.includes('client_secret_basic') && methods.includes('client_secret_post');
  const init = {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(!byBody && { authorization: basic(clientId, clientSecret) }),
    },
    body: new URLSearchParams({
      ...grant,
      ...(byBody && { client_id: clientId, client_secret: clientSecret }),
    }).toString(),
  };
  // A refresh token that was sent is used up: without the response the user would have to log in again, so it is not aborted.
  const mustFinish = grant['grant_type'] === 'refresh_token';
  const url = new URL(metadata.token_endpoint);
  const response = await request(needs, { url, init, what: 'tokens', signal, mustFinish });
  if (response.status !== 200) throw oauthErrorOf(response);
  return parseBody(tokenAnswer, response.body);
}

/** RFC 6749, 2.3.1: both halves are form-encoded first. */
function basic(id: string, secret: string): string {
  const encoded = [id, secret].map((half) => new URLSearchParams({ half }).toString().slice('half='.length)).join(':');
  return `Basic ${Buffer.from(encoded).toString('base64')}`;
}

function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  throw new SlotstreamError('service_answer', 'The authorization server sent an invalid response.', {
    hint: 'Check AUTH_URL.',
  });
}

/** `reason` is the error code of RFC 6749; empty when the server sent none. */
export class OAuthError extends SlotstreamError {
  override readonly name = 'OAuthError';
  readonly reason: string;

  constructor(status: number, reason: string) {
    super('refused', `The authorization server rejected the request (${status}${reason === '' ? '' : ` ${reason}`}).`, {
      hint:
        reason === 'invalid_client'
          ? 'Check OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET.'
          : `Log in again: ${slotstream} login`,
    });
    this.reason = reason;
  }
}

function oauthErrorOf({ status, body }: AttemptResponse): OAuthError {
  const read = oauthErrorBody.safeParse(body);
  const reason = read.success && /^\w{1,60}$/.test(read.data.error) ? safeText(read.data.error) : '';
  return new OAuthError(status, reason);
}

interface TokenRequest {
  readonly url: URL;
  readonly init: RequestInit;
  readonly what: string;
  readonly signal: AbortSignal | undefined;
  /** An attempt is not aborted once it was sent; no further attempt is made. */
  readonly mustFinish?: boolean;
}

const maxAttempts = 4;

/** Retries only requests that cannot have been carried out: codes and refresh tokens work once, and a second use counts as theft. */
async function request(
  needs: OAuthNeeds,
  { url, init, what, signal, mustFinish = false }: TokenRequest,
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
    await needs.sleep(
      Math.min(httpRetryDelayMs({ failures: tries, requestedMs, random: needs.random() }), 10_000),
      signal,
    );
  }
}
